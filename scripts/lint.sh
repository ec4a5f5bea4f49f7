#!/bin/sh
# Formatting, vet and staticcheck.
set -eu
. scripts/tools.sh

bad=$(go run $gofumpt -l .)
[ -z "$bad" ] || { echo "gofumpt would change:"; echo "$bad"; exit 1; }
go vet -tags $tags ./...
go vet -tags headless .
go run $staticcheck -tags $tags ./...
go mod verify >/dev/null
