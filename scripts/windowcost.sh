#!/bin/bash
# Measures what the window costs: starts it on a separate display (1280 × 800, software GL) with four readings a second, and
# prints for each page, and for the Monitor page during a run, over the given number of seconds:
#   cpu    of one core: all threads, and the window's among them: Fyne's thread, which is the first, and the GL's
#   rss    resident memory at the end, and the part of it that is not file-backed
#   draws  of the whole window per second, by Mesa's own count
#   gc     Go's collections per minute, and the bytes that Go allocates per second between them
# usage: scripts/windowcost.sh [seconds [page …]]
set -eu
. scripts/tools.sh
seconds=${1:-60}
shift || true
[ $# -gt 0 ] || set -- run results monitor memory history alerts settings about
work=$(mktemp -d)
app='' server=''
trap 'kill $app $server 2>/dev/null || true; rm -rf "$work"' EXIT
go build -tags "$tags" -o "$work/assay" .
mkfifo "$work/display"
Xvfb -displayfd 3 -screen 0 1280x800x24 3>"$work/display" >/dev/null 2>&1 &
server=$!
read -r number <"$work/display"
export DISPLAY=:$number

# start PAGE [run]: opens the window on a page, and waits until it has released its startup memory.
start() {
    home=$work/home
    rm -rf "$home" "$work/hud"
    mkdir -p "$home/assay" "$work/hud"
    echo "{\"page\": \"$1\"}" >"$home/assay/settings.json"
    HOME=$home XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home ASSAY_INTERVAL=250ms ASSAY_THEME=dark GODEBUG=gctrace=1 \
        LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_HUD=fps GALLIUM_HUD_VISIBLE=false GALLIUM_HUD_DUMP_DIR=$work/hud GALLIUM_HUD_PERIOD=1 \
        "$work/assay" 2>"$work/log" &
    app=$!
    sleep 10
    [ "${2:-}" != run ] || { xdotool key ctrl+r; sleep 2; }
}

# ticks prints a line for each thread: its number, name and processor time in hundredths of a second.
ticks() {
    for t in /proc/"$app"/task/*; do
        { name=$(tr ' ' _ <"$t/comm") && time=$(sed 's/.*) //' "$t/stat" | awk '{print $12 + $13}'); } 2>/dev/null || continue
        echo "${t##*/} $name $time"
    done
}

count() { grep -c '^gc ' "$work/log" || true; }

# measure NAME: prints one line.
measure() {
    ticks >"$work/before"; gcs=$(count); draws=$(wc -l <"$work/hud/fps")
    sleep "$seconds"
    ticks >"$work/after"
    awk -v app="$app" -v s="$seconds" -v name="$1" 'NR == FNR { old[$1] = $3; next }
        { d = $3 - old[$1]; all += d; if ($1 == app || $2 ~ /^llvmpipe/) window += d }
        END { printf "%-16s cpu %5.1f %%, the window %5.1f %%; ", name, all / s, window / s }' "$work/before" "$work/after"
    awk '/^Rss:/ { rss = $2 } /^Pss:/ { pss = $2 } /^Anonymous:/ { own = $2 }
        END { printf "rss %.0f MiB, pss %.0f, anonymous %.0f; ", rss / 1024, pss / 1024, own / 1024 }' "/proc/$app/smaps_rollup"
    tail -n "+$((draws + 1))" "$work/hud/fps" | awk '{ n += $1; if ($1 > most) most = $1 }
        END { printf "draws %.1f/s, most %.1f; ", n / NR, most }'
    # A line of the trace has the heap before and after: 34->35->18 MB.
    grep '^gc ' "$work/log" | awk -v skip="$gcs" -v s="$seconds" '{ split($0, part, / ms cpu, /); split(part[2], mb, /->| /) }
        NR > skip { n++; if (NR > 1) sum += mb[1] - live } { live = mb[3] }
        END { printf "gc %.0f/min, %.2f MB/s\n", n * 60 / s, sum / s }'
    kill "$app" && wait "$app" || true
    app=''
}

for page; do
    start "$page" && measure "$page"
done
if command -v xdotool >/dev/null; then
    start monitor run && measure 'monitor, a run'
fi
