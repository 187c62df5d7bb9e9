#!/bin/sh
# Compiles the Rust library for R; make calls it in src/.
#   build-rust.sh checkout|vendored|online TARGET_DIR [cargo's options]
#   build-rust.sh clean-<one of these> TARGET_DIR
# configure says what the three kinds of build are.
set -e
build="$1"
target_dir="$2"
shift 2

PATH="${PATH}:${HOME}/.cargo/bin"
# Set here and not in Cargo.toml: the workspace's profiles are not in the tarball. A developer in a hurry may say
# otherwise: CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 gives the same bits, slower.
CARGO_PROFILE_RELEASE_LTO="${CARGO_PROFILE_RELEASE_LTO:-fat}"
CARGO_PROFILE_RELEASE_CODEGEN_UNITS="${CARGO_PROFILE_RELEASE_CODEGEN_UNITS:-1}"
export PATH CARGO_PROFILE_RELEASE_LTO CARGO_PROFILE_RELEASE_CODEGEN_UNITS

case "${build}" in
  clean-checkout)
    exit 0
    ;;
  clean-*)
    # The static library goes too: R's check would read its unused symbols.
    rm -rf .cargo vendor "${target_dir}"
    exit 0
    ;;
  vendored)
    CARGO_HOME="`pwd`/.cargo"
    export CARGO_HOME
    tar -xf rust/vendor.tar.xz
    # On the command line, where no configuration of the user's can override it.
    set -- "$@" --offline -j 2 \
      --config 'source.crates-io.replace-with="vendored"' \
      --config 'source.vendored.directory="vendor"'
    ;;
esac

# What stands between R and the core is called a few times a fit: small, not fast.
set -- "$@" --config 'profile.release.package.extendr-api.opt-level="s"'
# Less is inlined than by default: the library is smaller by 230 kB, and no workload slower.
set -- "$@" --config 'build.rustflags=["-C", "llvm-args=-inline-threshold=60"]'

# The flags of the compiler's version stand unquoted: there may be none.
exec cargo build --lib --release --locked `sh ../tools/rust-version.sh flags` \
  --manifest-path rust/Cargo.toml --target-dir "${target_dir}" "$@"
