#!/bin/sh
# Prints the Homebrew cask of a release: cask.sh OWNER/REPOSITORY dist/Assay-VERSION.dmg
set -eu
[ $# = 2 ] || { echo "usage: $0 OWNER/REPOSITORY IMAGE" >&2; exit 2; }
[ -f "$2" ] || { echo "$0: there is no $2" >&2; exit 1; }
version=$(basename "$2" .dmg)
version=${version#Assay-}
if command -v sha256sum >/dev/null; then sum=$(sha256sum "$2"); else sum=$(shasum -a 256 "$2"); fi
sed -e "/^#/d" -e "s/@VERSION@/$version/" -e "s/@SHA256@/${sum%% *}/" -e "s|@REPOSITORY@|$1|" "$(dirname "$0")/assay.rb"
