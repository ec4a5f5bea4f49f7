#!/bin/sh
# Every test that has more than one goroutine under the race detector, and the simulated Metal under it and the address
# sanitizer. What test.sh has checked already and the detector adds nothing to is left out by the tests themselves.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # as in test.sh

display() {
    if [ -n "${DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then "$@"; else xvfb-run -a -s "-screen 0 1280x800x24" "$@"; fi
}

display env ASSAY_RANDOM_TIME=10s go test -tags $tags -race -timeout 30m ./ui ./...
sh scripts/metalsim.sh sanitized
