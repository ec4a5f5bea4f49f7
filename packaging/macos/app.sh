#!/bin/sh
# Makes dist/Assay.app, a universal application. On macOS with its own tools; on Linux with MACOS_SDK set by
# cross-building (docs/macos.md).
#
#   ARCHS           what to build: "arm64 amd64"
#   MACOS_SDK       on Linux: Apple's headers and stub libraries, laid out by packaging/macos/sdk
#   SIGN_IDENTITY   on macOS: the Developer ID to sign with; empty: an ad-hoc signature
#   NOTARY_PROFILE  on macOS: a keychain profile of notarytool; with it the app is notarized and stapled
set -eu
cd "$(dirname "$0")/../.."
. scripts/tools.sh
: "${GO:=go}" "${TAGS:=$tags}" "${ARCHS:=arm64 amd64}" "${MACOS_SDK:=}" "${SIGN_IDENTITY:=}" "${NOTARY_PROFILE:=}"
here=packaging/macos
app=dist/Assay.app
os=$(uname -s)

die() { echo "make app: $*" >&2; exit 1; }

compile() {
    echo "building for $1"
    if [ "$os" = Darwin ]; then
        least=-mmacosx-version-min=12.0
        CGO_ENABLED=1 GOOS=darwin GOARCH=$1 MACOSX_DEPLOYMENT_TARGET=12.0 CGO_CFLAGS="-O2 -g $least" \
            CGO_LDFLAGS="$least" $GO build -tags "$TAGS" -trimpath -ldflags '-s -w' -o "$2" .
    else
        CGO_ENABLED=1 GOOS=darwin GOARCH=$1 MACOS_SDK=$MACOS_SDK CC="$PWD/$here/cc" \
            $GO build -tags "$TAGS" -trimpath -ldflags '-s -w' -o "$2" .
    fi
}

# unite creates one executable from those for each architecture.
unite() {
    out=$1
    shift
    if [ "$os" = Darwin ]; then lipo -create -output "$out" "$@"; else "${LIPO:-llvm-lipo-16}" -create -output "$out" "$@"; fi
}

sign() {
    if [ -n "$SIGN_IDENTITY" ]; then
        codesign --force --options runtime --timestamp --sign "$SIGN_IDENTITY" "$app"
    else
        codesign --force --sign - "$app"
    fi
    codesign --verify --strict --verbose=2 "$app"
}

notarize() {
    ditto -c -k --keepParent "$app" "$work/Assay.zip"
    xcrun notarytool submit "$work/Assay.zip" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$app"
    spctl --assess --type execute --verbose=2 "$app"
}

case $os in
Darwin)
    [ -z "$NOTARY_PROFILE" ] || [ -n "$SIGN_IDENTITY" ] || die "NOTARY_PROFILE needs SIGN_IDENTITY: Apple notarizes no ad-hoc signature"
    ;;
Linux)
    [ -n "$MACOS_SDK" ] || die "an app for macOS is made on macOS, or here with Apple's headers and stub libraries:" \
        "make app MACOS_SDK=FOLDER (docs/macos.md says how to get the folder)"
    [ -d "$MACOS_SDK/Frameworks/Foundation.framework" ] || die "MACOS_SDK=$MACOS_SDK was not laid out by $here/sdk: it has no Frameworks/Foundation.framework"
    MACOS_SDK=$(cd "$MACOS_SDK" && pwd)
    [ -z "$SIGN_IDENTITY$NOTARY_PROFILE" ] || die "signing with a Developer ID and notarizing need macOS"
    ;;
*) die "this system is neither macOS nor Linux" ;;
esac

version=$(detail Version) build=$(detail Build)
[ -n "$version" ] || die "FyneApp.toml has no Version"
[ -n "$build" ] || die "FyneApp.toml has no Build"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
built=
for arch in $ARCHS; do
    compile "$arch" "$work/assay-$arch"
    built="$built $work/assay-$arch"
done
rm -rf "$app"
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
# shellcheck disable=SC2086
unite "$app/Contents/MacOS/assay" $built
chmod 755 "$app/Contents/MacOS/assay"
sed -e "s/@VERSION@/$version/" -e "s/@BUILD@/$build/" $here/Info.plist >"$app/Contents/Info.plist"
printf 'APPL????' >"$app/Contents/PkgInfo"
cp LICENSE "$app/Contents/Resources/"
GOOS=darwin CGO_ENABLED=1 sh packaging/licenses.sh "$TAGS" >"$app/Contents/Resources/LICENSES"
$GO run ./$here icns assets/Icon.png "$app/Contents/Resources/Assay.icns"
if [ "$os" = Darwin ]; then
    sign
    [ -z "$NOTARY_PROFILE" ] || notarize
else
    echo "The code for arm64 has the linker's ad-hoc signature; the bundle is not sealed. On a Mac: codesign --force --sign - $app"
fi
$GO run ./$here check "$app"
echo "made $app"
