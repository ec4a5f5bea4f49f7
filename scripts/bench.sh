#!/bin/sh
# The benchmark tables. Run on an idle machine; compare only figures of one run.
set -eu
. scripts/tools.sh
unset OPENBLAS_CORETYPE || true
go test -tags $tags -run '^$' -bench . -benchtime "${BENCHTIME:-300ms}" ./gpu/... ./monitor/... ./ui/chart/ ./workloads/... ./app/...
