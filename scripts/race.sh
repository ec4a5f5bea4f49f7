#!/bin/sh
# Every test that has more than one goroutine under the race detector, and the simulated Metal under it and the address
# sanitizer. What test.sh has checked already and the detector adds nothing to is left out here, if it is a whole package,
# or else by the tests themselves.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # as in test.sh

# Neither code nor tests of these start a goroutine, but for tests that compute side by side.
alone='^assay/(assets|packaging/[a-z]+|shaders|shaders/[a-z]+|internal/(chart|metric|plain|si|stats)|gpu/msl|workloads|workloads/quant|monitor/leak)$'
packages=$(go list -tags $tags ./... | grep -vE "$alone")

# Shaping of text, drawing of pictures and the float64 references are arithmetic, and took two thirds of the time, and what the scripted
# engine of tests computes took a third of what was left in package app: they are not instrumented. What Fyne and Assay do with them is;
# which bytes the references access is announced (internal/race).
unwatched=$(for p in github.com/go-text/... golang.org/x/image/... image/... sort internal/reflectlite assay/shaders/... assay/workloads/quant assay/gpu/gputest; do
    echo "-gcflags=$p=-race=false"
done)

# shellcheck disable=SC2086
with_metalsim sanitized display env ASSAY_RANDOM_TIME=10s go test $once -tags $tags -race $unwatched -timeout 30m ./ui $packages
