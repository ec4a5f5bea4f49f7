#!/bin/sh
# Creates dist/Assay-VERSION.dmg from dist/Assay.app: the app beside a link to Applications. It uses the variables of app.sh.
set -eu
cd "$(dirname "$0")/../.."
. scripts/tools.sh
: "${SIGN_IDENTITY:=}" "${NOTARY_PROFILE:=}"
[ "$(uname -s)" = Darwin ] || { echo "make dmg: a disk image is made by hdiutil, which only macOS has; make app works here" >&2; exit 1; }

make --no-print-directory app
version=$(detail Version)
image=dist/Assay-$version.dmg
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ditto dist/Assay.app "$folder/Assay.app"
ln -s /Applications "$folder/Applications"
rm -f "$image"
hdiutil create -volname "Assay $version" -srcfolder "$folder" -fs HFS+ -format UDZO -quiet "$image"
if [ -n "$SIGN_IDENTITY" ]; then
    codesign --force --timestamp --sign "$SIGN_IDENTITY" "$image"
fi
if [ -n "$NOTARY_PROFILE" ]; then
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
    spctl --assess --type open --context context:primary-signature --verbose=2 "$image"
fi
hdiutil verify -quiet "$image"
echo "made $image"
