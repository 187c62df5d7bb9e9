# Shared by the scripts in tools/; read with `.`, not run.

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
export PATH="$PATH:$HOME/.cargo/bin"

# The same sorting and UTF-8 everywhere: a fresh machine may have no locale set.
if locale -a 2>/dev/null | grep -qiE '^C\.utf-?8$'; then
  export LC_ALL=C.UTF-8
fi

heading() { printf '\n== %s ==\n' "$*"; }
fail() { printf '\n*** %s\n' "$*" >&2; exit 1; }

# A Python that has Jupyter's modules: the first on the PATH may be another one
# than the one the system's packages belong to.
jupyter_python() {
  local candidate
  for candidate in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    if "$candidate" -c 'import jupyter_client, nbclient, nbconvert' 2>/dev/null; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}
