#!/usr/bin/env bash
# The checks of `make check`, in order; the first that fails ends the run.
#   tools/check.sh build            only the tarball, from the crates already packed
#   tools/check.sh tarball <file>   only R CMD check --as-cran, of that tarball
#   tools/check.sh all              everything
# All it makes is in .check; R sees the system's packages and .Rdeps there, not
# the wbb that `make install` left in .Rlib.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

work="$root/.check"
export R_LIBS="$root/.Rdeps"
unset R_LIBS_USER R_LIBS_SITE

build_tarball() {
  heading "R CMD build"
  # From a copy: R would copy the compiled files of the checkout too.
  rm -rf "$work/source" "$work"/wbb_*.tar.gz
  mkdir -p "$work/source/wbb"
  tar --create --exclude-from=- --directory "$root" . <<'IGNORE' |
./.git
./.Rlib
./.Rdeps
./.bench-venv
./.check
./.debian13
./output
./target
IGNORE
    tar --extract --directory "$work/source/wbb"
  (cd "$work/source/wbb" && ./cleanup)
  (cd "$work" && R CMD build source/wbb)
  tarball=$(ls "$work"/wbb_*.tar.gz)
  echo "$(basename "$tarball"): $(wc -c < "$tarball") bytes"
}

check_tarball() {
  heading "R CMD check --as-cran"
  local manual="" log="$work/wbb.Rcheck/00check.log"
  if ! command -v pdflatex >/dev/null; then
    manual="--no-manual"
    echo "no pdflatex here: the PDF manual is not checked"
  fi
  rm -rf "$work/wbb.Rcheck"
  # The checks that ask the network (CRAN's list of packages, a time server) are
  # off, local ones stay on; the manual uses fonts that LaTeX brings. NOT_CRAN
  # runs the tests that are skipped on CRAN, pictures and snapshots, as well.
  env NOT_CRAN=true \
    CARGO_NET_OFFLINE=true \
    R_RD4PDF="times,hyper" \
    _R_CHECK_CRAN_INCOMING_REMOTE_=false \
    _R_CHECK_SYSTEM_CLOCK_=0 \
    _R_CHECK_FORCE_SUGGESTS_=true \
    _R_CHECK_TESTS_NLINES_=0 \
    R CMD check --as-cran $manual --output="$work" "$tarball" || true
  local status
  status=$(sed -n 's/^Status: //p' "$log")
  if [ "$status" != OK ]; then
    grep -q '^\* DONE' "$work/wbb.Rcheck/00install.out" || cat "$work/wbb.Rcheck/00install.out"
    fail "R CMD check says '${status:-nothing}' and not 'OK'; its log is .check/wbb.Rcheck/00check.log"
  fi
}

# R's check makes a note of an installed package above 5 MB; see CONTRIBUTING.md for what it is made of.
print_size() {
  heading "installed size"
  local installed="$work/wbb.Rcheck/wbb" part
  for part in libs R data doc help; do
    printf '%-5s %5s kB\n' "$part" "$(du -sk "$installed/$part" | cut -f 1)"
  done
  printf '%-5s %5s kB of 5120\n' all "$(du -sk "$installed" | cut -f 1)"
}

# What is generated and committed must be what its sources give.
check_generated() {
  heading "generated files"
  local copy="$work/source/wbb" stated used file
  Rscript tools/wrappers.R "$work/wbb.Rcheck/wbb/libs/wbb.so" "$copy/R/extendr-wrappers.R"
  stated=$(sed -n 's/^RoxygenNote: //p' DESCRIPTION)
  used=$(Rscript -e 'cat(as.character(packageVersion("roxygen2")))')
  if [ "$stated" = "$used" ]; then
    (cd "$copy" && Rscript tools/docs.R >/dev/null 2>&1) || fail "roxygen2 failed: run make docs"
  else
    echo "man/ is not compared: it was made by roxygen2 $stated, here is $used"
  fi
  for file in NAMESPACE man R/extendr-wrappers.R; do
    diff -r "$file" "$copy/$file" || fail "$file is not up to date: run make docs and commit it"
  done
  echo "wrappers, NAMESPACE and man/ are up to date"
}

case "${1:-all}" in
  build)
    build_tarball
    ;;
  tarball)
    tarball=${2:?"which tarball?"}
    mkdir -p "$work"
    check_tarball
    ;;
  all)
    heading "Rust: format and lints" && make --no-print-directory lint
    heading "Rust: oldest version" && tools/oldest-rust.sh
    heading "Rust: licences" && tools/licences.sh
    heading "Rust: tests" && make --no-print-directory test-rust
    heading "vendoring"
    authors=$(cat inst/AUTHORS)
    tools/vendor.sh
    [ "$authors" = "$(cat inst/AUTHORS)" ] || echo "inst/AUTHORS has changed: commit it"
    build_tarball
    check_tarball
    print_size
    check_generated
    heading "notebooks" && R_LIBS="$work/wbb.Rcheck:$R_LIBS" tools/notebooks.sh
    heading "torture, in short"
    R_LIBS="$work/wbb.Rcheck:$R_LIBS" Rscript tools/torture.R calls=300 stops=8 bytes=100 forks=1 limits=0
    heading "all checks passed"
    echo "R CMD check --as-cran: Status: OK"
    echo "tarball: .check/$(basename "$tarball")"
    ;;
  *)
    fail "usage: tools/check.sh build|tarball <file>|all"
    ;;
esac
