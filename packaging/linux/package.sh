#!/bin/sh
# Creates PACKAGE_VERSION_ARCH.deb and PACKAGE_VERSION_linux_ARCH.tar.gz from a built program, both with the same files, and
# reproducible to the byte. usage: package.sh PACKAGE PROGRAM LICENSES FOLDER, where PACKAGE is assay, or assay-headless for the
# program without a window, and paths begin at the root of the project. Without dpkg, only the archive is created.
#
#   MAINTAINER         the package's maintainer
#   SOURCE_DATE_EPOCH  the time of all files, in seconds; the commit's by default
set -eu
package=$1 program=$2 licenses=$3 out=$4
cd "$(dirname "$0")/../.."
. scripts/tools.sh
umask 022
here=packaging/linux
id=$(detail ID)
version=$(detail Version)
arch=$(${GO:-go} env GOARCH)
: "${MAINTAINER:=The Assay authors <maintainers@assay.invalid>}"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() { echo "make release: $*" >&2; exit 1; }

case $package in
assay)
    other=assay-headless
    kind='window and command line'
    # GLFW opens these at run time, so the program does not link them.
    needs=', libx11-xcb1, libxcursor1, libxi6, libxinerama1, libxrandr2, libxrender1, libxxf86vm1'
    recommends='Recommends: xdg-utils
'
    ;;
assay-headless)
    other=assay
    kind='command line'
    needs=
    recommends=
    ;;
*) die "no package \"$package\", want assay or assay-headless" ;;
esac

# files ROOT lays out what is installed below /usr, or below any other folder.
files() {
    doc=$1/share/doc/$package
    install -D -m 755 "$program" "$1/bin/assay"
    mkdir -p "$1/share/man/man1" "$doc"
    sed "s/@VERSION@/$version/" $here/assay.1 | gzip -9n >"$1/share/man/man1/assay.1.gz"
    gzip -9n <"$licenses" >"$doc/LICENSES.gz"
    gzip -9n <CHANGELOG.md >"$doc/CHANGELOG.md.gz"
    changelog | gzip -9n >"$doc/changelog.gz"
    copyright >"$doc/copyright"
    [ "$package" = assay ] || return 0
    install -D -m 644 "$here/$id.desktop" "$1/share/applications/$id.desktop"
    install -D -m 644 "$here/$id.xml" "$1/share/mime/packages/$id.xml"
    install -D -m 644 assets/Icon256.png "$1/share/icons/hicolor/256x256/apps/$id.png"
    install -D -m 644 assets/Icon.svg "$1/share/icons/hicolor/scalable/apps/$id.svg"
}

changelog() {
    printf '%s (%s) unstable; urgency=medium\n\n  * What is new: CHANGELOG.md.gz.\n\n -- %s  %s\n' \
        "$package" "$debversion" "$MAINTAINER" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

copyright() {
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    echo 'Upstream-Name: Assay'
    echo "Comment: LICENSES.gz has the licenses of all that is compiled into the program."
    printf '\nFiles: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    sed -e '1,/^Copyright/d' -e '1,/./{/^$/d;}' -e 's/^$/./' -e 's/^/ /' LICENSE | sed '1{/^ \.$/d;}'
}

# shared prints the packages of the libraries that the program links.
shared() {
    mkdir -p "$work/shlibs/debian"
    printf 'Source: %s\n\nPackage: %s\nArchitecture: any\n' "$package" "$package" >"$work/shlibs/debian/control"
    (cd "$work/shlibs" && dpkg-shlibdeps -O -e"$work/usr/bin/assay" 2>"$work/problems") | sed -n 's/^shlibs:Depends=//p'
    ! grep -q 'error' "$work/problems" || die "$(cat "$work/problems")"
}

control() {
    cat <<EOF
Package: $package
Version: $debversion
Architecture: $(dpkg --print-architecture)
Maintainer: $MAINTAINER
Installed-Size: $(du -k -s --apparent-size "$1" | cut -f 1)
Depends: $depends
${recommends}Suggests: libopenblas0, clang-16
Conflicts: $other
Replaces: $other
Section: devel
Priority: optional
Description: workbench for compute kernels, $kind
$(detail Comment | fold -s -w 78 | sed -e 's/ *$//' -e 's/^/ /')
 .
 Every result is verified, times come with intervals, and what is not known
 is said to be not available. Kernels run on GPUs and on the CPU.
EOF
}

deb() {
    depends=$(shared)$needs
    [ -n "$depends" ] || die "dpkg-shlibdeps names no package for $program"
    if [ "$package" = assay-headless ] && echo "$depends" | grep -q ,; then
        die "the headless build needs more than the C library: $depends"
    fi
    root=$work/deb
    mkdir -p "$root/DEBIAN"
    cp -a "$work/usr" "$root/usr"
    control "$root/usr" >"$root/DEBIAN/control"
    (cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
    chmod 755 "$root"
    SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH dpkg-deb --root-owner-group -Zxz --build "$root" "$out/${package}_${version}_$arch.deb" >/dev/null
    echo "made $out/${package}_${version}_$arch.deb, which needs $depends"
}

archive() {
    name=${package}_${version}_linux_$arch
    cp -a "$work/usr" "$work/$name"
    tar -C "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
    echo "made $out/$name.tar.gz"
}

[ -n "$version" ] || die "FyneApp.toml has no Version"
debversion=$(echo "$version" | tr - '~')
mkdir -p "$out"
files "$work/usr"
archive
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    deb
else
    echo "no dpkg-deb or no dpkg-shlibdeps here: no .deb of $package is made"
fi
