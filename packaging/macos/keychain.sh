#!/bin/sh
# Puts a Developer ID certificate into a separate keychain, for codesign on a hosted runner.
#
#   CERTIFICATE           the certificate and its key: a .p12 file in base64
#   CERTIFICATE_PASSWORD  that of the file
set -eu
: "${CERTIFICATE:?}" "${CERTIFICATE_PASSWORD:?}" "${RUNNER_TEMP:?}"
keychain=$RUNNER_TEMP/assay.keychain-db
password=$(openssl rand -hex 24)
file=$RUNNER_TEMP/certificate.p12
trap 'rm -f "$file"' EXIT
printf %s "$CERTIFICATE" | base64 --decode >"$file"
security create-keychain -p "$password" "$keychain"
security set-keychain-settings -lut 21600 "$keychain"
security unlock-keychain -p "$password" "$keychain"
security import "$file" -P "$CERTIFICATE_PASSWORD" -t cert -f pkcs12 -k "$keychain" -T /usr/bin/codesign
security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
security list-keychains -d user -s "$keychain" login.keychain-db
