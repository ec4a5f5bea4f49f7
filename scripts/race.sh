#!/bin/sh
# Runs every test with more than one goroutine under the race detector, and the simulated Metal under it and the address
# sanitizer. Packages that test.sh has checked and for which the detector adds nothing are left out here; in other packages the
# tests themselves skip such parts.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # as in test.sh
# When it ends, each program, including those that tests start, waits a second for late races: 50 ms here.
export GORACE="atexit_sleep_ms=50 ${GORACE:-}"

# Neither the code nor the tests of these start a goroutine, except tests that compute in parallel.
alone='^assay/(assets|packaging/[a-z]+|shaders|shaders/[a-z]+|internal/(chart|metric|plain|si|stats)|gpu/msl|workloads|workloads/graph|workloads/quant|monitor/leak)$'
packages=$(go list -tags $tags ./... | grep -vE "$alone")

# shellcheck disable=SC2086
with_metalsim sanitized display env ASSAY_RANDOM_TIME=10s go test $once -tags $tags -race $unwatched -timeout 30m ./ui $packages
