// Package cpu is the metal_stdlib for this machine's processor: headers for clang, and how package exec calls a kernel.
//
// abi.h is the interface between a compiled kernel and the executor.
package cpu

import (
	"embed"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"

	"assay/gpu/msl/shim"
)

//go:embed abi.h machine
var own embed.FS

var headers = sync.OnceValue(func() fs.FS { return shim.Headers(own) })

// names is computed once: it reads all headers.
var names = sync.OnceValue(func() map[string]bool {
	n, err := shim.Names(headers())
	if err != nil {
		panic("gpu/msl/shim/cpu: " + err.Error()) // embedded files can be read
	}
	return n
})

// Target compiles for this machine's processor. It implements msl.Target and clang.Target.
type Target struct{}

// Headers are the files, by path.
func (Target) Headers() fs.FS { return headers() }

// Names are all names that the headers mention.
func (Target) Names() map[string]bool { return names() }

// Call defines a function that takes the arguments from the executor's msl_call.
func (Target) Call(function, kernel string, arguments []string) string {
	list := strings.Join(append([]string{kernel}, arguments...), ", ")
	return " static inline void " + function + "(const ::msl_call *c) { ::msl::invoke<" + list + ">(c); } "
}

// Fetch names an instance of msl::from.
func (Target) Fetch(name string, arguments []string) string {
	return "using " + name + " = from<" + strings.Join(arguments, ", ") + ">; "
}

// Probe compiles the fetch of a kernel's arguments.
func (Target) Probe(name, fetch, kernel string) string {
	return " static const int " + name + " = ::msl::" + fetch + "::call(" + kernel + "); "
}

// Entry is the symbol that the executor looks up.
const Entry = "msl_entry"

// Export defines a function that calls another.
func (Target) Export(symbol, function string) string {
	return `extern "C" __attribute__((visibility("default"))) void ` + symbol + "(const ::msl_call *c) { " + function + "(c); }\n"
}

// Flags are clang's for position-independent code; dir is where the headers were written. In checked mode every access to
// memory is announced to the executor.
func (Target) Flags(dir string, checked, fastMath bool) []string {
	f := []string{
		"-O2", "-fPIC", nativeFlag(), "-gline-tables-only", "-fvisibility=hidden", "-fno-math-errno",
		"-fno-caret-diagnostics", "-fno-color-diagnostics", "-ferror-limit=200", "-fshow-overloads=best",
		"-fbracket-depth=1024",
		"-fstack-clash-protection", "-Xclang", "-ffloat16-excess-precision=none", // half rounds at each step, as on a GPU
		"-ftemplate-depth=2048", "-fdebug-compilation-dir=.", "-I", dir,
	}
	if fastMath {
		f = append(f, "-ffast-math", "-fhonor-infinities", "-fhonor-nans", "-DMSL_FAST_MATH=1") // kernels mask with infinity
	} else {
		f = append(f, "-ffp-contract=on")
	}
	if checked {
		f = append(f, "-fsanitize=kernel-address", "-mllvm", "-asan-instrumentation-with-call-threshold=0",
			"-mllvm", "-asan-opt-same-temp=0", // a write after a read of the same address is announced, too: see gpu/msl/exec/exec_witness.c
			"-mllvm", "-asan-globals=0", "-mllvm", "-asan-stack=0", "-fsanitize=bounds", "-DMSL_CHECKED=1")
	}
	return f
}

// nativeFlag compiles for this processor: its name differs between architectures.
func nativeFlag() string {
	if runtime.GOARCH == "arm64" {
		return "-mcpu=native"
	}
	return "-march=native"
}

// Machine names the processor that the flags mean, so that a cache which moves to another machine is not used there.
func (Target) Machine() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for l := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(l, ":"); ok && (strings.TrimSpace(name) == "flags" || strings.TrimSpace(name) == "Features") {
			return runtime.GOARCH + strings.TrimRight(value, "\r\n")
		}
	}
	return runtime.GOARCH
}
