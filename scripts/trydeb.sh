#!/bin/bash
# Tries the packages of make release on a bare Debian, which it creates below a folder (a temporary one by default): installs each
# package with apt from Debian's archive, runs it, replaces one by the other, opens the window under Xvfb, removes it. Needs root
# and debootstrap. usage: scripts/trydeb.sh [SUITE [FOLDER]], such as bookworm /var/tmp/bare
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/tools.sh
suite=${1:-bookworm}
folder=${2:-}
version=$(detail Version)
arch=$(dpkg --print-architecture)
[ "$(id -u)" = 0 ] || { echo "trydeb: a system below a folder needs root" >&2; exit 1; }
[ -n "$folder" ] || folder=$(mktemp -d)
root=$folder/$suite

step() { printf '\n=== %s\n' "$*"; }
within() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
apt_get() { within apt-get -qq -o Dpkg::Use-Pty=0 -y "$@" >/dev/null; }
fails() { # fails WORDS COMMAND...: the command must fail, and say so
    words=$1
    shift
    if said=$(within "$@" 2>&1); then echo "trydeb: no error from: $*" >&2; exit 1; fi
    grep -qF -- "$words" <<<"$said" || { echo "trydeb: $* says: $said" >&2; exit 1; }
}

step "a bare $suite in $root"
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$root" >"$folder/debootstrap.log"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
apt_get update
cp dist/assay*_"$version"_"$arch".deb dist/assay*_"$version"_linux_"$arch".tar.gz "$root/root/"

step "the headless package"
before=$(within dpkg-query -f '${Package}\n' -W)
apt_get install "/root/assay-headless_${version}_$arch.deb"
comm -13 <(sort <<<"$before") <(within dpkg-query -f '${Package}\n' -W | sort) | tr '\n' ' '
within assay version
within ldd /usr/bin/assay
within assay doctor | sed -n 1,8p
within assay run batching --quick --engine cpu --set max_size=128 --set max_batch=4 | tail -n 12
within assay report last --html /root/report.html --csv /root/report.csv
within assay runs
within assay list >/dev/null
within assay kernel list >/dev/null
within assay monitor --count 2 --interval 200ms >/dev/null
fails "clang" assay kernel check /dev/null
run=$(within sh -c 'ls -d /root/.local/share/assay/runs/*.assayrun')
fails "headless build" assay "${run#"$root"}"

step "the package with the window, in its place"
apt_get install --no-install-recommends "/root/assay_${version}_$arch.deb" desktop-file-utils shared-mime-info xvfb xauth x11-utils
[ "$(within dpkg-query -f '${db:Status-Abbrev}' -W assay-headless 2>/dev/null | cut -c 1)" != i ]
within ldd /usr/bin/assay
within desktop-file-validate /usr/share/applications/io.github.assay.Assay.desktop
grep -F 'application/x-safetensors=io.github.assay.Assay.desktop;' "$root/usr/share/applications/mimeinfo.cache"
grep -F 'application/x-safetensors:*.safetensors' "$root/usr/share/mime/globs2"
grep -F 'application/x-gguf:*.gguf' "$root/usr/share/mime/globs2"
within assay run batching --quick --engine cpu --set max_size=64 --set max_batch=2 | tail -n 3

step "the window, with a run"
cat >"$root/root/window.sh" <<'E2'
assay "$1" 2>/root/window.log &
app=$!
for _ in $(seq 60); do
    sleep 1
    title=$(xwininfo -root -tree | grep '"Assay' || true)
    [ -z "$title" ] || break
done
echo "$title"
sleep 5
grep -o '/[^ ]*lib\(X\|GL\|gallium\|swrast\)[^ ]*\|/[^ ]*_dri.so' /proc/$app/maps | sort -u
kill $app
wait $app
status=$?
cat /root/window.log
[ -n "$title" ] && [ $status = 130 ]
E2
within xvfb-run -a -s '-screen 0 1280x800x24' sh /root/window.sh "${run#"$root"}"

step "the archives, unpacked below a home, and the packages removed"
apt_get purge assay
if within sh -c 'command -v assay'; then exit 1; fi
for package in assay-headless assay; do
    within tar -xzf "/root/${package}_${version}_linux_$arch.tar.gz" -C /root/.local --strip-components 1
    within /root/.local/bin/assay version
done
echo
echo "trydeb: all of it works on $suite"
