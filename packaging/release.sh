#!/bin/sh
# Creates what people install, for this system, and its checksums in dist/SHA256SUMS. On Linux: the packages and archives of
# packaging/linux, with and without the window; with MACOS_SDK also the app for macOS. On macOS: the disk image.
set -eu
cd "$(dirname "$0")/.."
. scripts/tools.sh
: "${GO:=go}" "${MACOS_SDK:=}"
version=$(detail Version)
out=$PWD/dist

# program PACKAGE TAGS builds one for Linux and packs it.
program() {
    echo "building $1"
    $GO build -tags "$2" -trimpath -buildvcs=auto -ldflags '-s -w' -o "$work/$1" .
    sh packaging/licenses.sh "$2" >"$work/LICENSES"
    sh packaging/linux/package.sh "$1" "$work/$1" "$work/LICENSES" "$out"
}

# app packs the app for macOS without macOS, where there are no disk images.
app() {
    if [ -z "$MACOS_SDK" ]; then
        echo "no app for macOS: it is made on macOS, or here with MACOS_SDK=FOLDER (docs/macos.md)"
        return
    fi
    sh packaging/macos/app.sh
    tar -C dist --sort=name --owner=0 --group=0 --numeric-owner -cf - Assay.app | gzip -9n >"dist/Assay-$version.tar.gz"
    echo "made $out/Assay-$version.tar.gz"
}

mkdir -p dist
rm -f dist/assay_* dist/assay-headless_* dist/Assay-* dist/SHA256SUMS # of earlier versions
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $(uname -s) in
Linux)
    export CGO_ENABLED=1
    program assay-headless headless
    program assay "$tags"
    app
    ;;
Darwin) sh packaging/macos/dmg.sh ;;
esac
cd dist
sum=sha256sum
command -v $sum >/dev/null || sum='shasum -a 256'
$sum -- *"$version"[_.-]* >SHA256SUMS
cat SHA256SUMS
