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

# Shaping of text and drawing of pictures is the arithmetic of others, and took two thirds of the time: their code is not
# instrumented. What Fyne and Assay do with it is.
unwatched='-race=false -d=checkptr=0'

# shellcheck disable=SC2086
with_metalsim sanitized display env ASSAY_RANDOM_TIME=10s go test -tags $tags -race -timeout 30m \
    "-gcflags=github.com/go-text/...=$unwatched" "-gcflags=golang.org/x/image/...=$unwatched" \
    "-gcflags=image/...=$unwatched" "-gcflags=sort=$unwatched" "-gcflags=internal/reflectlite=$unwatched" \
    ./ui $packages
