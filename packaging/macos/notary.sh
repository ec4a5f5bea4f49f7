#!/bin/sh
# Stores the key for Apple's notary service in the keychain, as a profile named $1, for notarytool.
#
#   NOTARY_KEY     the App Store Connect key: a .p8 file in base64
#   NOTARY_KEY_ID  its ID
#   NOTARY_ISSUER  its issuer's ID
set -eu
: "${NOTARY_KEY:?}" "${NOTARY_KEY_ID:?}" "${NOTARY_ISSUER:?}" "${RUNNER_TEMP:?}"
[ $# = 1 ] || { echo "usage: $0 PROFILE" >&2; exit 2; }
file=$RUNNER_TEMP/notary.p8
trap 'rm -f "$file"' EXIT
printf %s "$NOTARY_KEY" | base64 --decode >"$file"
xcrun notarytool store-credentials "$1" --key "$file" --key-id "$NOTARY_KEY_ID" --issuer "$NOTARY_ISSUER"
