#!/bin/sh
# Prints the benchmark tables. Run it on an idle machine; only compare figures from one run.
set -eu
. scripts/tools.sh
unset OPENBLAS_CORETYPE || true
go test -tags $tags -run '^$' -bench . -benchtime "${BENCHTIME:-300ms}" ./gpu/... ./monitor/... ./ui/chart/ ./workloads/... ./app/...
