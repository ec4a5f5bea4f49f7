#!/bin/sh
# Installs what is missing, asking for nothing. deps.sh build: to build and run; deps.sh test: to test as well.
set -eu
want=${1:-build}

say() { echo "assay: $*" >&2; }
die() { say "$*"; exit 1; }

apt_missing() {
    for p in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || printf '%s ' "$p"
    done
}

apt_install() {
    missing=$(apt_missing "$@")
    [ -n "$missing" ] || return 0
    root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null ||
            die "missing packages. Install them with: sudo apt-get install $missing"
        root="sudo -n"
    fi
    say "installing $missing"
    $root apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends $missing >/dev/null
}

linux() {
    command -v apt-get >/dev/null || { say "no apt-get here: install by hand what scripts/deps.sh names"; return 0; }
    command -v cc >/dev/null || apt_install gcc libc6-dev
    command -v pkg-config >/dev/null || apt_install pkg-config # in some releases only another package's other name
    apt_install libgl1-mesa-dev libgl1-mesa-dri libx11-dev libxcursor-dev libxrandr-dev libxinerama-dev libxi-dev \
        libxxf86vm-dev libxkbcommon-dev
    [ "$want" = build ] || apt_install xvfb xauth xdotool
    [ -z "${MACOS_SDK:-}" ] || apt_install clang-16 lld-16 llvm-16 # to cross-build for macOS
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
