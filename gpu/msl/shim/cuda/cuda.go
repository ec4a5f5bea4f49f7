// Package cuda is the metal_stdlib for NVIDIA GPUs: headers for clang, and how a kernel becomes a PTX entry. abi.h is the
// interface between a compiled kernel and the CUDA engine.
package cuda

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"assay/gpu/msl/shim"
	"assay/gpu/msl/shim/cpu"
)

//go:embed abi.h machine
var own embed.FS

// part is part.h. It is not one of the headers, since only exports with parts have it, and what is built in does not depend on it.
//
//go:embed part.h
var part string

var headers = sync.OnceValue(func() fs.FS { return shim.Headers(own) })

// names is computed once: it reads all headers.
var names = sync.OnceValue(func() map[string]bool {
	n, err := shim.Names(headers())
	if err != nil {
		panic("gpu/msl/shim/cuda: " + err.Error()) // embedded files can be read
	}
	return n
})

// Architecture is the oldest that compiled kernels run on, PTX the version of their text: compute capability 8.0 and drivers
// of CUDA 11.8 (520) and later.
const (
	Architecture = "sm_80"
	PTX          = "ptx78"
)

// Entry is the symbol of the function that becomes the PTX entry.
const Entry = "msl_entry"

// Target compiles to PTX. Calls, fetches and probes are those of a processor. It implements msl.Target and clang.Target.
type Target struct {
	cpu.Target
	Parts bool // grids may end in partial threadgroups: an entry has a msl_part as its second parameter
}

// Headers are the files, by path.
func (Target) Headers() fs.FS { return headers() }

// Names are all names that the headers mention.
func (Target) Names() map[string]bool { return names() }

// Export defines a function that takes a launch's parameters by value.
func (t Target) Export(symbol, function string) string {
	if t.Parts {
		return "\n" + part + `extern "C" void ` + symbol + `(msl_launch l, msl_part p) { ::msl_call c(l); ::msl_place(c.thread, p); ` + function + "(&c); }\n"
	}
	return `extern "C" void ` + symbol + `(msl_launch l) { ::msl_call c(l); ` + function + "(&c); }\n"
}

// Constants is text that gives function constants their values, by index, and says which buffer's bytes come with a launch;
// −1: none. It comes before the translated text.
func (Target) Constants(values map[int][]byte, inlined int) string {
	var b strings.Builder
	for _, index := range slices.Sorted(maps.Keys(values)) {
		b.WriteString("template <> struct msl::given<" + strconv.Itoa(index) +
			"> { static constexpr bool defined = true; static constexpr unsigned char bytes[] = {")
		for _, v := range values[index] {
			b.WriteString(strconv.Itoa(int(v)) + ",")
		}
		b.WriteString("}; }; ")
	}
	if inlined >= 0 {
		b.WriteString("template <> struct msl::inlined<" + strconv.Itoa(inlined) + "> { static constexpr bool value = true; }; ")
	}
	return b.String()
}

// Thresholds of clang's that are above its own.
const (
	inlineAll  = "-inline-threshold=1000000"
	unrollMore = "-unroll-threshold=4000"
)

// Lighter are flags that Flags returned, with clang's own thresholds: less is inlined and unrolled, which takes clang a small part of
// the time where there is much of it.
func Lighter(flags []string) []string {
	var light []string
	for i, f := range flags {
		own := f == inlineAll || f == unrollMore
		if next := i + 1; f == "-mllvm" && next < len(flags) {
			own = flags[next] == inlineAll || flags[next] == unrollMore
		}
		if !own {
			light = append(light, f)
		}
	}
	return light
}

// Flags are clang's; dir is where the headers were written. There is no checked mode on this target.
func (Target) Flags(dir string, _, fastMath bool) []string {
	f := []string{
		"--target=nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", Architecture,
		"-Xclang", "-target-feature", "-Xclang", "+" + PTX, "-nocudainc", "-nocudalib", "-nostdlibinc", "-O3", "-ffp-contract=on", "-mllvm", inlineAll, "-mllvm", unrollMore, // a call would keep its arguments in memory
		"-Xclang", "-fnative-half-type", "-Xclang", "-fnative-half-arguments-and-returns", // half rounds at each step
		"-fno-math-errno", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=200", "-fshow-overloads=best",
		"-fbracket-depth=1024", "-ftemplate-depth=2048", "-fdebug-compilation-dir=.", "-I", dir,
	}
	if fastMath {
		f = append(f, "-ffast-math", "-fhonor-infinities", "-fhonor-nans", "-DMSL_FAST_MATH=1") // kernels mask with infinity
	}
	return f
}

// Machine is empty: the code is the same wherever it is compiled.
func (Target) Machine() string { return "" }
