#!/bin/sh
# How much an open window changes results: repeatedly measures the same case, in alternation and in one process, without listeners
# and with the window's loop stopped (none), with the window open on the Monitor page, as by default (window), and also without
# quiet mode, when it redraws at every reading (live). scripts/windowmoves.awk prints the outcome: the ratio with its interval
# compared with the interval of a result. On a machine that is not quiet it is inconclusive.
# usage: scripts/windowmoves.sh [rounds [size [conditions [sampling]]]], of none, window and live, each sampled for that long (1s)
set -eu
. scripts/tools.sh
rounds=${1:-60} size=${2:-512} conditions=${3:-none window live} sampling=${4:-1s}
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
export LIBGL_ALWAYS_SOFTWARE=1
# shellcheck disable=SC2086
display go test $once -v -count 1 -tags "$tags" -timeout 3h ./ui -run '^TestWindowMoves$' \
    -moves "$rounds" -moves-size "$size" -moves-under "$conditions" -moves-time "$sampling" | tee "$lines" >&2
grep -E '^[0-9]+ (none|window|live) ' "$lines" | awk -f scripts/windowmoves.awk
