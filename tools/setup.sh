#!/usr/bin/env bash
# Installs what is missing, and nothing else:
#   tools/setup.sh demo      what building and running the package needs
#   tools/setup.sh tarball   that, and what R CMD check --as-cran needs
#   tools/setup.sh check     that, and what all the checks need
#   tools/setup.sh cluster   that, and the scheduler and database server of `make check-cluster`
#   tools/setup.sh site      as tarball, and what the site of help pages needs
#   tools/setup.sh torture   as check, and valgrind and cargo-fuzz
# On Debian and its relatives by apt-get, as root or through sudo; otherwise R
# packages go into the checkout (.Rdeps) and the rest is named. Where all is
# there, no network is touched.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

level=${1:-check}
case "$level" in demo | tarball | check | cluster | site | torture) ;; *) fail "usage: tools/setup.sh demo|tarball|check|cluster|site|torture" ;; esac
servers=$([ "$level" != cluster ] || echo yes)
instruments=$([ "$level" != torture ] || echo yes)
[ -z "$servers$instruments" ] || level=check
rust_minimum=$(tools/rust-version.sh minimum)
r_minimum=4.2.0

have() { command -v "$1" >/dev/null 2>&1; }
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]; }

# -- Rust: the one thing this script does not install ---------------------------
check_rust() {
  local found advice
  advice="wbb needs Rust >= $rust_minimum, and Debian's own may be older.
    Install it with rustup (see 'Install Rust' on Rust's site), then run this again."
  have cargo && have rustc || fail "Rust was not found. $advice"
  found=$(rustc --version | awk '{ print $2 }')
  tools/rust-version.sh enough ||
    fail "Rust $found is too old. $advice
    With rustup there already: rustup update stable"
  if [ "$level" = check ]; then
    check_component fmt rustfmt
    check_component clippy clippy
  fi
}

check_component() { # check_component <cargo's command> <rustup's component>
  cargo "$1" --version >/dev/null 2>&1 && return 0
  echo "adding Rust's $2"
  { have rustup && rustup component add "$2"; } ||
    fail "$2 is missing. Install it: rustup component add $2"
}

# -- what is missing ------------------------------------------------------------
# Where there is no R yet, nothing is asked of its version: it is looked at again once R is there.
r_version() {
  if have R; then R --version | sed -nE '1s/^R version ([0-9.]+).*/\1/p'; else echo 0; fi
}

# What the package imports; for the checks also what it suggests and what the
# scripts in tools/ use. R's own packages come with R.
wanted_r_packages() {
  local fields="Imports|Suggests"
  [ "$level" != demo ] || fields="Imports"
  [ "$level" != check ] || echo IRkernel jsonlite roxygen2
  [ "$level" != site ] || echo pkgdown
  # R's check renders the formulas of the manual, since 4.3.
  [ "$level" = demo ] || ! at_least "$(r_version)" 4.3.0 || echo V8
  awk -v fields="^($fields):" '/^[^ ]/ { keep = $0 ~ fields } keep' DESCRIPTION |
    sed -E 's/^[A-Za-z]+://; s/\([^)]*\)//' | tr ',' ' ' | tr ' ' '\n' |
    grep -vxE '|graphics|grDevices|methods|stats|utils'
}

need() { # need <what it is called> <Debian package>...
  missing_programs="$missing_programs      $1
"
  shift
  missing_debian="$missing_debian $*"
}

find_missing() {
  hash -r
  missing_programs=""
  missing_debian=""
  missing_r=""
  have R && have Rscript || need "R >= $r_minimum" r-base-core r-base-dev r-recommended
  have cc || need "a C compiler" build-essential
  have xz || need xz xz-utils
  if [ -n "$servers" ]; then
    { have munged && have slurmctld && have slurmd; } || need "Slurm and munge" slurm-wlm munge
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || need PostgreSQL postgresql
  fi
  if [ -n "$instruments" ]; then
    have valgrind || need valgrind valgrind
    have c++ || need "a C++ compiler (for the fuzzer)" g++
  fi
  if [ "$level" != demo ]; then
    have pandoc || need pandoc pandoc
    have checkbashisms || need checkbashisms devscripts
    have qpdf || need qpdf qpdf
    have pngquant || need "pngquant (small pictures in vignettes)" pngquant
    have tidy || need "HTML tidy" tidy
    have pdflatex || need LaTeX \
      texlive-latex-base texlive-latex-recommended texlive-fonts-recommended
  fi
  if [ "$level" = check ]; then
    jupyter_python >/dev/null || need "Jupyter's nbconvert and jupyter_client (Python)" \
      jupyter-client jupyter-nbconvert
  fi
  missing_r=$(wanted_r_packages)
  if have Rscript; then
    missing_r=$(R_LIBS="$root/.Rdeps" Rscript --no-init-file tools/missing.R $missing_r)
  fi
  missing_r=$(echo $missing_r)
}

# -- ways to install ------------------------------------------------------------
as_root=""
find_root() {
  [ "$(id -u)" = 0 ] && return 0
  # sudo may ask for a password only where there is somebody to answer.
  have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; } && as_root=sudo
}

debian_names() {
  local package
  for package in "$@"; do
    echo "r-cran-$(echo "$package" | tr '[:upper:]' '[:lower:]')"
  done
}

# $as_root and lists of packages stand unquoted: they are to split into words.
apt_install() {
  echo "apt-get install $*"
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

apt_install_missing() {
  local name available=""
  $as_root apt-get update -qq
  if [ -n "$missing_debian" ]; then
    apt_install $missing_debian
    # Which packages are wanted depends on the R that has come.
    find_missing
  fi
  for name in $(debian_names $missing_r); do
    if apt-cache show "$name" >/dev/null 2>&1; then available="$available $name"; fi
  done
  [ -z "$available" ] || apt_install $available
}

cran_install() {
  echo "installing into .Rdeps from CRAN: $*"
  mkdir -p .Rdeps
  R_LIBS="$root/.Rdeps" Rscript tools/install.R .Rdeps "$@" || true
}

say_what_is_missing() {
  local quoted
  {
    printf '\n*** This is missing and could not be installed:\n%s' "$missing_programs"
    [ -z "$missing_r" ] || printf '      the R packages %s\n' "$missing_r"
    printf '*** On Debian and its relatives, as root:\n'
    echo "      apt-get install" $missing_debian $(debian_names $missing_r)
    if [ -n "$missing_r" ]; then
      quoted=$(printf '"%s", ' $missing_r)
      printf '*** or, for the R packages, in R:\n      install.packages(c(%s))\n' "${quoted%, }"
    fi
    printf '*** Then run this again.\n'
  } >&2
  exit 1
}

# -- run ------------------------------------------------------------------------
check_rust
find_missing
if [ -n "$missing_debian$missing_r" ]; then
  printf 'missing for %s:\n%s' "$level" "$missing_programs"
  [ -z "$missing_r" ] || printf '      the R packages %s\n' "$missing_r"
  if have apt-get && find_root; then
    apt_install_missing
    find_missing
  fi
  if [ -n "$missing_r" ] && have Rscript; then
    cran_install $missing_r
    find_missing
  fi
  [ -z "$missing_debian$missing_r" ] || say_what_is_missing
fi

if [ -n "$instruments" ] && ! have cargo-fuzz; then
  echo "cargo install cargo-fuzz"
  cargo install --locked --quiet cargo-fuzz
fi

r_found=$(r_version)
at_least "$r_found" "$r_minimum" || fail "R $r_found is too old: wbb needs R >= $r_minimum"
echo "set-up for $level: all there (R $r_found, $(rustc --version | cut -d ' ' -f 1-2))"
