#!/bin/sh
# Every test that has more than one goroutine under the race detector, and the simulated Metal under it and the address
# sanitizer. What test.sh has checked already and the detector adds nothing to is left out by the tests themselves.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # as in test.sh

with_metalsim sanitized display env ASSAY_RANDOM_TIME=10s go test -tags $tags -race -timeout 30m ./ui ./...
