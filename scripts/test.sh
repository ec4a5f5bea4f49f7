#!/bin/sh
# Every test once: plain, under a virtual display, so that the window's own run too, and the Metal engine on the simulated
# Metal. Package ui takes longest and comes first. The window is used at random for a minute (ASSAY_RANDOM_TIME). The race detector and the sanitizers: race.sh.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # a fifth of the time went into collecting garbage

display() {
    if [ -n "${DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then "$@"; else xvfb-run -a -s "-screen 0 1280x800x24" "$@"; fi
}

display env ASSAY_RANDOM_TIME="${ASSAY_RANDOM_TIME:-1m}" go test -tags $tags -timeout 30m ./ui ./...
sh scripts/metalsim.sh plain
