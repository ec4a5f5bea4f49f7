#!/bin/sh
# Every test that has more than one goroutine under the race detector, and the simulated Metal under it and the address
# sanitizer. What test.sh has checked already and the detector adds nothing to is left out here, if it is a whole package,
# or else by the tests themselves.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # as in test.sh

# Neither code nor tests of these start a goroutine or lock anything.
alone='^assay/(assets|packaging/[a-z]+|shaders|shaders/(elementwise|gemm|norm|quant|stream)|internal/(chart|metric|plain|si|stats)|gpu/msl|workloads|workloads/quant)$'
packages=$(go list -tags $tags ./... | grep -vE "$alone")

# shellcheck disable=SC2086
with_metalsim sanitized display env ASSAY_RANDOM_TIME=10s go test -tags $tags -race -timeout 30m ./ui $packages
