# The tags of every build. migrated_fynedo asserts that all UI calls are made on Fyne's thread, which removes its run-time checks;
# no_emoji leaves out a font of 4 MB that the window would hold in memory several times over; no_animations keeps the window
# still: each fade of a blinking cursor redraws all of it 60 times a second.
tags=migrated_fynedo,no_emoji,no_animations

# cgo's compiler on Linux, where the first build takes two minutes longer with gcc alone (scripts/cc).
if [ "$(uname -s)" = Linux ] && [ -z "${CC:-}" ] && [ -x "$PWD/scripts/cc" ] && command -v gcc >/dev/null; then export CC="$PWD/scripts/cc"; fi

# How tests are built for one run: lint.sh vets all of them, and a test binary links in half the time without debugger tables,
# which stack traces do not need.
once="-vet=off -ldflags=-w"

# Not instrumented, because they are arithmetic: text shaping, image drawing and the float64 references, which took two thirds of
# the time, and the computations of the tests' scripted engine, which took a third of the rest in package app. What Fyne and Assay
# do with them is instrumented; the references announce which bytes they access (internal/race).
unwatched=$(for p in github.com/go-text/... golang.org/x/image/... image/... sort internal/reflectlite assay/shaders/... assay/workloads/quant assay/gpu/gputest; do
    echo "-gcflags=$p=-race=false"
done)

# The linters and their versions, for lint.sh and metalsim.sh: go run builds each once into the build cache.
gofumpt=mvdan.cc/gofumpt@v0.12.0
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

# display runs a command on the existing display, or on a virtual one.
display() {
    if [ -n "${DISPLAY:-}" ] || [ "$(uname -s)" = Darwin ]; then "$@"; else xvfb-run -a -s "-screen 0 1280x800x24" "$@"; fi
}

# with_metalsim PART COMMAND... runs the tests of the simulated Metal alongside a command, because package ui alone keeps one core
# busy for minutes. Their output follows the command's; it fails if either does.
with_metalsim() {
    part=$1
    shift
    log=$(mktemp)
    sh scripts/metalsim.sh "$part" >"$log" 2>&1 &
    metalsim=$!
    trap 'kill $metalsim; rm -f "$log"; exit 130' INT TERM
    status=0
    "$@" || status=$?
    wait $metalsim || status=$?
    trap - INT TERM
    cat "$log"
    rm -f "$log"
    return $status
}

# detail KEY prints a value of FyneApp.toml without changing the file: Fyne's own packager would rewrite it.
detail() { sed -n "s/^$1 = \"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" FyneApp.toml; }
