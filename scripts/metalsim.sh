#!/bin/sh
# Tests the Metal engine on the simulated Metal. "plain": the simulator's own tests, the engine's, which run its contract and
# every kernel, and the workloads from the command line. "sanitized": the same with the race detector and the address sanitizer,
# and the linters for code that only the tag builds. Without an argument: both.
set -eu
cd "$(dirname "$0")/.."
part=${1:-both}
case $part in plain | sanitized | both) ;; *) echo "metalsim: invalid part $part: want plain or sanitized" >&2; exit 2 ;; esac

if [ "$(uname -s)" = Darwin ]; then
    echo "metalsim: skipped, since this system has the real Metal: go test ./gpu/metal"
    exit 0
fi

# Go does not notice changes of headers in another folder, but does notice changes of flags.
headers=$(find gpu/metal/sim/include scripts/metalsim-cc -type f -exec cat {} + | cksum | cut -d ' ' -f 1)
export CC="$PWD/scripts/metalsim-cc" CGO_ENABLED=1 CGO_CFLAGS="-O2 -g -DMETALSIM_HEADERS=$headers"
. scripts/tools.sh
tags=$tags,metalsim
# Without the tag every package here would pass without testing anything.
simulated() { [ "$(go list -tags "$tags" -f '{{len .XTestGoFiles}}' ./gpu/metal/sim)" -gt 0 ]; }

probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
printf '#import <Foundation/Foundation.h>\n#include <Block.h>\nint main(void) { [NSObject class]; return 0; }\n' >"$probe/probe.m"
if ! "$CC" -c "$probe/probe.m" -o "$probe/probe.o" || ! "$CC" "$probe/probe.o" -o "$probe/probe" -lBlocksRuntime -lgnustep-base -lobjc; then
    echo "metalsim: it needs clang 16 or later, GNUstep's base library, gcc's Objective-C runtime and libBlocksRuntime" >&2
    echo "metalsim: with their headers. On Debian scripts/deps.sh test installs them." >&2
    exit 1
fi

simulated || { echo "metalsim: the tag is not in force: $tags" >&2; exit 1; }
if [ "$part" != sanitized ]; then
    # shellcheck disable=SC2086
    go test $once -tags "$tags" -timeout 30m ./gpu/metal/...
fi
[ "$part" != plain ] || exit 0

go vet -tags "$tags" ./gpu/metal/...
go run "$staticcheck" -tags "$tags" ./gpu/metal/...
# Under the sanitizers the contract is skipped because it takes too long, and the workloads because the sanitizers inflate their
# footprint.
slow='Contract.*|Workload.*|CompilerFailsEveryOther'
# shellcheck disable=SC2086
go test -vet=off -race $unwatched -tags "$tags" -timeout 30m -skip "^Test($slow|ThousandRuns)$" ./gpu/metal/...
ASAN_OPTIONS=detect_stack_use_after_return=0 \
    LSAN_OPTIONS="suppressions=$PWD/gpu/metal/testdata/lsan.supp:print_suppressions=0" \
    go test -vet=off -asan -tags "$tags" -timeout 30m -skip "^Test($slow)$" ./gpu/metal/...
