#!/usr/bin/env bash
# Packs the crates the package is compiled from into src/rust/vendor.tar.xz, the
# same bytes for the same Cargo.lock, and lists their authors in inst/AUTHORS.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

archive=src/rust/vendor.tar.xz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tar --version | grep -q 'GNU tar' || fail "vendoring needs GNU tar (set its folder first on the PATH)"
cargo vendor --locked --quiet --versioned-dirs "$work/vendor" >/dev/null

# What is compiled, on whatever system. Cargo wants to find every crate of the
# lock file: those that only tests need become empty ones of the same name.
cargo tree --locked -p wbb -e normal,build --target all --prefix none --format '{p}' |
  sed -E 's/^([^ ]+) v([^ ]+).*/\1-\2/' | sort -u > "$work/needed"

for crate in "$work"/vendor/*; do
  checksum=$(sed -E 's/.*"package":"([0-9a-f]+)".*/\1/' "$crate/.cargo-checksum.json")
  if grep -qxF "$(basename "$crate")" "$work/needed"; then
    # Only what the compiler reads, licences and read-mes (which code may include).
    rm -rf "$crate"/{tests,benches,bench,examples,ci,fuzz,testdata}
    find "$crate" -mindepth 1 -maxdepth 1 \
      \( -name '.*' -o -name '*.yml' -o -name 'CHANGELOG*' -o -name Cargo.lock \
         -o -name Cargo.toml.orig \) -exec rm -rf {} +
  else
    find "$crate" -mindepth 1 ! -name Cargo.toml -delete
    mkdir "$crate/src"
    : > "$crate/src/lib.rs"
  fi
  # Cargo compares the crate's checksum with the lock file, and those of files
  # only where they are listed.
  printf '{"files":{},"package":"%s"}' "$checksum" > "$crate/.cargo-checksum.json"
done

tar --create --directory "$work" --format=ustar --sort=name --mtime='2020-01-01 00:00Z' \
    --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' vendor |
  xz -9e --threads=1 > "$work/vendor.tar.xz"
mv "$work/vendor.tar.xz" "$archive"
chmod 644 "$archive"

Rscript tools/authors.R "$work/needed" inst/AUTHORS
echo "$archive: $(grep -vcE '^wbb(-core)?-[0-9]' "$work/needed") crates, $(wc -c < "$archive") bytes"
