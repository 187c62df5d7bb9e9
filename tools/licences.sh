#!/usr/bin/env bash
# Licences and sources of the crates against deny.toml: by cargo-deny where it is installed, else by what cargo itself says.
# Known vulnerabilities are looked up where cargo-deny has a copy of their database; nothing is downloaded.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

Rscript tools/licences.R
if ! command -v cargo-deny >/dev/null; then
  echo "cargo-deny is not installed: advisories are not checked (cargo install --locked cargo-deny)"
  exit 0
fi
cargo deny --offline --locked check --hide-inclusion-graph licenses bans sources
if compgen -G "${CARGO_HOME:-$HOME/.cargo}/advisory-db*" >/dev/null; then
  cargo deny --offline --locked check --disable-fetch advisories
else
  echo "cargo-deny has no copy of the advisories: fetch them with cargo deny fetch"
fi
