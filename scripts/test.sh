#!/bin/sh
# Every test: plain under a virtual display, so that the window's own run too, everything again under the race detector,
# and the Metal engine on the simulated Metal. The window is used at random for a minute (ASSAY_RANDOM_TIME).
set -eu
. scripts/tools.sh

display() {
    if [ -n "${DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then "$@"; else xvfb-run -a -s "-screen 0 1280x800x24" "$@"; fi
}

display env ASSAY_RANDOM_TIME="${ASSAY_RANDOM_TIME:-1m}" go test -tags $tags -timeout 30m ./...
display env ASSAY_RANDOM_TIME=10s go test -tags $tags -race -timeout 30m ./...
sh scripts/metalsim.sh
