#!/bin/sh
# Installs what is missing, without prompting. deps.sh build: to build and run; headless: the same without a window; release: also
# to create packages; test: also to test; pictures: to take pictures of the window; peers: to compare with other libraries.
set -eu
want=${1:-build}

say() { echo "assay: $*" >&2; }
die() { say "$*"; exit 1; }

apt_missing() {
    for p in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || printf '%s ' "$p"
    done
}

can_root() { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

apt_install() {
    missing=$(apt_missing "$@")
    [ -n "$missing" ] || return 0
    can_root || die "missing packages. Install them with: sudo apt-get install $missing"
    say "installing $missing"
    as_root apt-get update -qq
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing >/dev/null
}

linux() {
    command -v apt-get >/dev/null || { say "no apt-get here: install by hand what scripts/deps.sh names"; return 0; }
    command -v cc >/dev/null || apt_install gcc libc6-dev
    [ "$want" != headless ] || return 0
    command -v pkg-config >/dev/null || apt_install pkg-config # in some releases only another package provides it
    apt_install libgl1-mesa-dev libgl1-mesa-dri libx11-dev libxcursor-dev libxrandr-dev libxinerama-dev libxi-dev \
        libxxf86vm-dev libxkbcommon-dev
    case $want in build | release) ;; *) apt_install xvfb xauth xdotool ;; esac
    case $want in release | test) apt_install dpkg-dev xz-utils ;; esac
    [ "$want" != pictures ] || apt_install imagemagick
    [ "$want" != peers ] || apt_install g++ libopenblas-dev libdnnl-dev ${GGML:+cmake}
    [ -z "${MACOS_SDK:-}" ] || apt_install clang-16 lld-16 llvm-16 # to cross-build for macOS
    [ "$want" != test ] || metalsim
}

# clang_version is the first from 16 on that is installed or, if none is, that apt has; empty: none.
clang_version() {
    for v in 16 17 18 19 20; do ! command -v "clang-$v" >/dev/null || { echo $v; return; }; done
    for v in 16 17 18 19 20; do ! apt-cache show "clang-$v" >/dev/null 2>&1 || { echo $v; return; }; done
}

# What the simulated Metal needs: clang, its sanitizer, and Objective-C with a Foundation and blocks.
metalsim() {
    v=$(clang_version)
    if [ -z "$v" ]; then
        can_root || die "a clang from 16 to 20 is missing: sudo apt-get update, and install clang-16 or a later one"
        as_root apt-get update -qq
        v=$(clang_version)
    fi
    [ -n "$v" ] || die "apt knows no clang from 16 to 20, which the tests of the Metal engine need"
    apt_install gcc libc6-dev "clang-$v" "lld-$v" "libclang-rt-$v-dev" libgnustep-base-dev libblocksruntime-dev gobjc
}

macos() {
    xcode-select -p >/dev/null 2>&1 || die "Xcode's command line tools are missing: xcode-select --install"
    command -v go >/dev/null && return 0
    command -v brew >/dev/null || die "Go is missing, and Homebrew to install it: https://go.dev/dl"
    brew install --quiet go
}

case $(uname -s) in
Linux) linux ;;
Darwin) macos ;;
*) die "this system is neither Linux nor macOS" ;;
esac
command -v go >/dev/null || die "Go is missing: https://go.dev/dl"
