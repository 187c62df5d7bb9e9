#!/usr/bin/env bash
# Executes the notebooks of inst/notebooks in a real R kernel, then interrupts a
# running fit as Jupyter's stop button does. R_LIBS says which wbb is used.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

work="$root/.check/jupyter"
python=$(jupyter_python) || fail "Jupyter's modules were not found: run make setup"

# All of Jupyter's folders are in the checkout; the home folder stays as it is.
export JUPYTER_PATH="$work/data" JUPYTER_DATA_DIR="$work/data" \
  JUPYTER_CONFIG_DIR="$work/config" JUPYTER_RUNTIME_DIR="$work/runtime" \
  IPYTHONDIR="$work/ipython" R_LIBS="${R_LIBS:-$root/.Rlib:$root/.Rdeps}"
rm -rf "$work"
mkdir -p "$work/data/kernels/ir" "$work/executed"
cat > "$work/data/kernels/ir/kernel.json" <<'KERNEL'
{
  "argv": ["R", "--slave", "-e", "IRkernel::main()", "--args", "{connection_file}"],
  "display_name": "R",
  "language": "R"
}
KERNEL

for notebook in inst/notebooks/*.ipynb; do
  [ -e "$notebook" ] || { echo "no notebooks in inst/notebooks"; break; }
  echo "executing $notebook"
  "$python" -m nbconvert --to notebook --execute --log-level WARN \
    --ExecutePreprocessor.kernel_name=ir --ExecutePreprocessor.timeout=600 \
    --output-dir "$work/executed" "$notebook" ||
    fail "$notebook failed"
done

echo "pressing the stop button"
"$python" tools/notebook_interrupt.py
