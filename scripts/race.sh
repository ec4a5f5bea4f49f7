#!/bin/sh
# Every test that has more than one goroutine under the race detector, and the simulated Metal under it and the address
# sanitizer. What test.sh has checked already and the detector adds nothing to is left out here, if it is a whole package,
# or else by the tests themselves.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # as in test.sh
# At its end each program, and each that a test starts, waits a second for races still to come: 50 ms here.
export GORACE="atexit_sleep_ms=50 ${GORACE:-}"

# Neither code nor tests of these start a goroutine, but for tests that compute side by side.
alone='^assay/(assets|packaging/[a-z]+|shaders|shaders/[a-z]+|internal/(chart|metric|plain|si|stats)|gpu/msl|workloads|workloads/graph|workloads/quant|monitor/leak)$'
packages=$(go list -tags $tags ./... | grep -vE "$alone")

# shellcheck disable=SC2086
with_metalsim sanitized display env ASSAY_RANDOM_TIME=10s go test $once -tags $tags -race $unwatched -timeout 30m ./ui $packages
