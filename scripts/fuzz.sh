#!/bin/sh
# Runs every fuzz target for FUZZTIME (10 s by default) each. Go would spend most of that on minimizing inputs that only reach new
# code; -fuzzminimizetime stops that, and a failing input then stays as long as it was found.
set -eu
. scripts/tools.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=
for pkg in $(go list -tags $tags ./...); do
    for target in $(go test -tags $tags -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
        echo "$pkg $target"
        if go test -tags $tags -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10s}" -fuzzminimizetime 1x "$pkg" >"$log" 2>&1; then
            tail -n 3 "$log"
            continue
        fi
        cat "$log"
        # When the time is over, Go may report its own deadline as a failure, without an input.
        if grep -q 'Failing input' "$log" || ! grep -q 'context deadline exceeded' "$log"; then
            failed="$failed $target"
        fi
    done
done
if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
