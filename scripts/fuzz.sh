#!/bin/sh
# Every fuzz target for FUZZTIME (10 s unless set) each.
set -eu
. scripts/tools.sh
for pkg in $(go list -tags $tags ./...); do
    for target in $(go test -tags $tags -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
        echo "$pkg $target"
        go test -tags $tags -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10s}" "$pkg"
    done
done
