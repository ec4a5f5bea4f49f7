#!/bin/bash
# What runs leave behind in the window's memory: starts it on a separate display and runs the first workload, small, the given
# number of times in sequence. After each run, once the window has released what it can:
#   rss    resident memory, and of it the C library's heap, and the rest that is not file-backed, most of it Go's
#   heap   what Go still refers to, after its last collection
# and the same at rest, two minutes after the first run and the last: by then Fyne has released unused textures, and memory is
# returned every 100 s. At rest means the median of 110 readings in as many seconds, each column separately: in between, Go's heap
# grows until it is collected, and redraws read evicted code again. The last line is the growth between these two, and the part of
# it that is not file-backed.
# The first run comes after eight minutes, so that the window's history of ten minutes, which fills with time, is full at the
# first reading at rest.
# usage: scripts/windowruns.sh [runs]
set -eu
. scripts/tools.sh
runs=${1:-50}
work=$(mktemp -d)
app='' server='' first=0 held=0
trap 'kill $app $server 2>/dev/null || true; wait; rm -rf "$work"' EXIT
if [ -n "${ASSAY:-}" ]; then cp "$ASSAY" "$work/assay"; else go build -tags "$tags" -o "$work/assay" .; fi
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1280x800x24 3>"$work/display" >/dev/null 2>&1 &
server=$!
read -r number <"$work/display"
export DISPLAY=:$number
home=$work/home
mkdir -p "$home/assay"
cat >"$home/assay/settings.json" <<'SETTINGS'
{"page": "run", "workload": "batching", "quick": true,
 "values.batching": "{\"(quick)\":\"true\",\"sweep\":\"matmul\",\"min_size\":\"64\",\"max_size\":\"256\",\"library\":\"false\"}"}
SETTINGS
HOME=$home XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home GODEBUG=gctrace=1 LIBGL_ALWAYS_SOFTWARE=1 "$work/assay" 2>"$work/log" &
app=$!
sleep 480 # of the history

# over counts the runs that have ended.
over() { cat "$home"/assay/runs/*/run.json 2>/dev/null | grep -c '"state": "finished"' || true; }

# memory prints rss, the C library's heap, the rest without a file, all in kB, and Go's live heap in MB.
memory() {
    awk '/^[0-9a-f]+-/ { libc = $6 == "[heap]" } /^Rss:/ { rss += $2 } /^Anonymous:/ { if (libc) c += $2; else rest += $2 }
        END { printf "%d %d %d ", rss, c, rest }' "/proc/$app/smaps"
    grep '^gc ' "$work/log" | tail -n 1 | sed 's/.*->\([0-9]*\) MB,.*/\1/'
}

# median prints the median of a column of the readings.
median() { awk -v n="$1" '{ print $n }' "$work/readings" | sort -n | sed -n 55p; }

# tell prints a line with a name.
tell() {
    read -r rss libc rest heap <<<"$(memory)"
    printf '%8s %8d %8d %8d %5d\n' "$1" "$rss" "$libc" "$rest" "$heap"
}

printf '%8s %8s %8s %8s %5s\n' run 'rss kB' libc rest 'heap MB'
for run in $(seq "$runs"); do
    xdotool key ctrl+r
    for _ in $(seq 240); do
        [ "$(over)" -lt "$run" ] || break
        sleep 0.5
    done
    [ "$(over)" -ge "$run" ] || { echo "run $run has not ended"; exit 1; }
    sleep 5
    tell "$run"
    if [ "$run" = 1 ] || [ "$run" = "$runs" ]; then
        sleep 120
        for _ in $(seq 110); do
            memory
            sleep 0.9
        done >"$work/readings"
        rss=$(median 1) libc=$(median 2) rest=$(median 3) heap=$(median 4)
        printf '%8s %8d %8d %8d %5d\n' "$run, rest" "$rss" "$libc" "$rest" "$heap"
        [ "$run" != 1 ] || first=$rss held=$((libc + rest))
    fi
done
echo "at rest, from run 1 to run $runs: $((rss - first)) kB, of it $((libc + rest - held)) kB without a file"
