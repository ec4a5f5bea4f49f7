#!/bin/bash
# How far an open window moves results: measures the same case again and again, in turns, without a window, with the window open on the
# Monitor page, as it is by default, and so without quiet mode, when it redraws at every reading. scripts/windowmoves.awk says what came
# of it: the ratio with its interval against the interval of a result. On a machine that is not quiet it is inconclusive.
# usage: scripts/windowmoves.sh [rounds [size [conditions]]], of none, window and live
set -eu
. scripts/tools.sh
rounds=${1:-8} size=${2:-256} conditions=${3:-none window live}
work=$(mktemp -d)
app='' server=''
trap 'kill $app $server 2>/dev/null || true; rm -rf "$work"' EXIT
if [ -n "${ASSAY:-}" ]; then cp "$ASSAY" "$work/assay"; else go build -tags "$tags" -o "$work/assay" .; fi
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1280x800x24 3>"$work/display" >/dev/null 2>&1 &
server=$!
read -r number <"$work/display"
export DISPLAY=:$number ASSAY_INTERVAL=250ms LIBGL_ALWAYS_SOFTWARE=1

# column NAME FILE prints a column of results.csv of the one case that is measured, - if it is empty; cells before it have no commas in quotes.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        NR == 2 { print $at == "" ? "-" : $at }' "$2"
}

# take ROUND CONDITION HOME prints a line for awk.
take() {
    file=$(ls "$3"/assay/runs/*/results.csv)
    grep -q '"state": "finished"' "${file%results.csv}run.json" || { echo "round $1, $2: the run has not ended" >&2; exit 1; }
    disturbed=0
    ! grep -q 'disturbed' "$file" || disturbed=1
    echo "$1 $2 $size $(column time_s "$file") $(column time_lo_s "$file") $(column time_hi_s "$file") $disturbed"
}

home() { rm -rf "$work/home" && mkdir -p "$work/home/assay"; export HOME=$work/home XDG_CONFIG_HOME=$work/home XDG_DATA_HOME=$work/home; }

# without ROUND measures without a window.
without() {
    home
    "$work/assay" run batching --engine cpu --set sweep=matmul --set min_size="$size" --set max_size="$size" --set library=false >/dev/null 2>&1
    take "$1" none "$work/home"
}

# within ROUND CONDITION CHOICES measures in the window.
within() {
    home
    cat >"$work/home/assay/settings.json" <<SETTINGS
{"page": "run", "workload": "batching", "quick": false, "engine": "cpu", "choices": "$3",
 "values.batching": "{\"(quick)\":\"false\",\"sweep\":\"matmul\",\"min_size\":\"$size\",\"max_size\":\"$size\",\"library\":\"false\"}"}
SETTINGS
    "$work/assay" 2>/dev/null &
    app=$!
    sleep 6 # longer than it takes to give back what only starting needs
    xdotool key ctrl+r
    sleep 1
    xdotool key ctrl+3 # the Monitor page
    for _ in $(seq 240); do
        ! cat "$work"/home/assay/runs/*/run.json 2>/dev/null | grep -q '"state": "finished"' || break
        sleep 0.5
    done
    kill "$app" && wait "$app" || true
    app=''
    take "$1" "$2" "$work/home"
}

for round in $(seq "$rounds"); do
    order=$conditions
    [ $((round % 2)) = 1 ] || order=$(echo "$conditions" | tr ' ' '\n' | tac)
    for condition in $order; do
        case $condition in
        none) without "$round" ;;
        window) within "$round" window '{}' ;;
        live) within "$round" live '{\"sampling.quiet\":\"Off\"}' ;;
        esac
    done
done | tee "$work/lines" >&2
awk -f scripts/windowmoves.awk "$work/lines"
