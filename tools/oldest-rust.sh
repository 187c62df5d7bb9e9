#!/usr/bin/env bash
# Checks the oldest Rust that src/rust/core/Cargo.toml states: the other places that name it agree, no
# crate of the lock file asks for a newer one and, where rustup has it, it compiles the package. Calls that
# its standard library does not have are found by clippy, in `make lint`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

stated=$(tools/rust-version.sh minimum)

names_it() { # names_it <file> <what must be in it>
  grep -qF "$2" "$1" || fail "$1 does not say '$2', as src/rust/core/Cargo.toml does"
}
names_it src/rust/Cargo.toml "rust-version = \"$stated\""
names_it DESCRIPTION "rustc (>= $stated)"
names_it README.md "Rust (>= $stated)"

newer=$(Rscript --no-init-file tools/newer_crates.R "$stated")
[ -z "$newer" ] || fail "not every crate compiles with Rust $stated:
$newer"
echo "every crate of the lock file that names its oldest Rust compiles with $stated"

toolchain=$(rustup toolchain list 2>/dev/null | grep -oE "^${stated//./\\.}(\.[0-9]+)?-[^ ]+" | head -n 1 || true)
if [ -n "$toolchain" ]; then
  rustup run "$toolchain" cargo check --quiet --locked --workspace --no-default-features \
    --target-dir target/oldest || fail "Rust $stated does not compile the package"
  echo "Rust $stated compiles the package"
else
  echo "not compiled with Rust $stated, which is not here (rustup toolchain install $stated brings it)"
fi
