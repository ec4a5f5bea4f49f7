#!/bin/sh
# Runs every test once: plain, under a virtual display so that the window's run, too, and the Metal engine on the simulated Metal.
# Package ui takes longest and comes first. The window is used randomly for a quarter of a minute (ASSAY_RANDOM_TIME). The race
# detector and the sanitizers: race.sh.
set -eu
. scripts/tools.sh
export GOGC=${GOGC:-400} # a fifth of the time went into collecting garbage

# shellcheck disable=SC2086
with_metalsim plain display env ASSAY_RANDOM_TIME="${ASSAY_RANDOM_TIME:-15s}" go test $once -tags $tags -timeout 30m ./ui ./...
