#!/bin/sh
# Formatting, vet and staticcheck. The tools' versions are fixed, and built once into the build cache.
set -eu
tags=migrated_fynedo
gofumpt=mvdan.cc/gofumpt@v0.12.0
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

bad=$(go run $gofumpt -l .)
[ -z "$bad" ] || { echo "gofumpt would change:"; echo "$bad"; exit 1; }
go vet -tags $tags ./...
go run $staticcheck -tags $tags ./...
go mod verify >/dev/null
