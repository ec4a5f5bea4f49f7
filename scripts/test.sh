#!/bin/sh
# Every test: plain under a virtual display, so that the window's own run too, everything again under the race detector,
# and the Metal engine on the simulated Metal.
set -eu
. scripts/tools.sh

display() {
    if [ -n "${DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then "$@"; else xvfb-run -a -s "-screen 0 1280x800x24" "$@"; fi
}

display go test -tags $tags -timeout 15m ./...
display go test -tags $tags -race -timeout 15m ./...
sh scripts/metalsim.sh
