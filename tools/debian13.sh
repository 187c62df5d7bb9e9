#!/usr/bin/env bash
# Checks the tarball of `make build` on Debian 13, with the R and the Rust that Debian brings: R CMD check
# --as-cran must end in Status: OK there as here. That Debian lives in .debian13, made by debootstrap from
# the mirror of this machine's apt (or DEBIAN_MIRROR) and used again the next time.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

debian="$root/.debian13"
house="$debian/wbb"

have_what_it_takes() {
  [ "$(id -u)" = 0 ] || fail "Debian 13 runs in a chroot, and only root may enter one: run this as root"
  command -v debootstrap >/dev/null || fail "debootstrap is missing. Install it: apt-get install debootstrap"
  command -v unshare >/dev/null || fail "unshare is missing. Install it: apt-get install util-linux"
}

# Debian's own archive, not that of its security updates.
find_mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null |
    head -n 1 || true
}

make_debian() {
  local mirror=${DEBIAN_MIRROR:-$(find_mirror)}
  [ -n "$mirror" ] || fail "apt here has no mirror of Debian: name one in the variable DEBIAN_MIRROR"
  heading "making Debian 13 in .debian13"
  rm -rf "$debian"
  debootstrap --variant=minbase trixie "$debian" "$mirror" > "$root/.check/debian13.log" ||
    fail "debootstrap failed; its messages are in .check/debian13.log"
  touch "$debian/made"
}

# Runs a command in that Debian, with /proc and /dev/pts while it runs and nothing of this machine's environment.
enter() {
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount -t devpts devpts "$0/dev/pts" &&
    exec chroot "$0" "$@"' "$debian" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

have_what_it_takes
tarball=$(ls .check/wbb_*.tar.gz) || fail "there is no tarball in .check: run make build"
[ -e "$debian/made" ] || make_debian

heading "what the check needs on Debian 13"
# As this machine reaches the network: names, proxies.
cp -L /etc/resolv.conf "$debian/etc/resolv.conf"
apt-config dump 2>/dev/null | grep '^Acquire::' > "$debian/etc/apt/apt.conf.d/99host" || true
enter apt-get update -qq
enter apt-get install -y -qq --no-install-recommends cargo rustc >/dev/null
rm -rf "$house"
mkdir -p "$house/src/rust/core"
cp -r DESCRIPTION tools "$tarball" "$house"
cp src/rust/core/Cargo.toml "$house/src/rust/core"
enter env --chdir=/wbb tools/setup.sh tarball

enter env --chdir=/wbb tools/check.sh tarball "$(basename "$tarball")"
heading "Debian 13: Status: OK"
