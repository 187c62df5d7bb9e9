#!/bin/sh
# What the package asks of Rust's version, for configure and the scripts beside this one:
#   rust-version.sh minimum   prints the oldest that compiles it; src/rust/core/Cargo.toml states it
#   rust-version.sh enough    succeeds if the rustc that is there is not older
#   rust-version.sh flags     prints what cargo must be told for the rustc that is there
set -e
tools=`dirname "$0"`
minimum=`sed -n 's/^rust-version = "\([^"]*\)".*/\1/p' "${tools}/../src/rust/core/Cargo.toml"`
# The first with AVX-512; what else the crates' default features need is older.
all_features=1.89

PATH="${PATH}:${HOME}/.cargo/bin"

version_number() {
  echo "$1" | awk -F. '{ printf "%d", $1 * 1000000 + $2 * 1000 + $3 }'
}
rustc_is_at_least() {
  found=`rustc --version | awk '{ print $2 }'`
  [ "`version_number "${found}"`" -ge "`version_number "$1"`" ]
}

case "$1" in
  minimum) echo "${minimum}" ;;
  enough) rustc_is_at_least "${minimum}" ;;
  flags) rustc_is_at_least "${all_features}" || echo --no-default-features ;;
  *)
    echo "usage: rust-version.sh minimum|enough|flags" >&2
    exit 2
    ;;
esac
