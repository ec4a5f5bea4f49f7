package cpu_test

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
)

// TestContract runs the engine contract on every instruction set of this machine.
func TestContract(t *testing.T) {
	var all []gputest.Setting
	for _, o := range settings() {
		all = append(all, gputest.Setting{
			Name: fmt.Sprintf("%s/%d", o.ISA, o.Threads), Open: func() (gpu.Engine, error) { return cpu.OpenWith(o) },
		})
	}
	gputest.ContractOfEach(t, all)
}

// TestElementTypes compares the types of the C code with those of shaders.
func TestElementTypes(t *testing.T) {
	for _, typ := range shaders.Types() {
		if got := cpu.TypeBits(typ); got != typ.Bits() {
			t.Errorf("%v has %d bits in C, want %d", typ, got, typ.Bits())
		}
	}
	for _, typ := range shaders.Types() {
		weights, bytes := cpu.Block(typ)
		if b := typ.Block(); b == nil && weights+bytes > 0 || b != nil && (weights != b.Weights || bytes != b.Bytes) {
			t.Errorf("%v has blocks of %d in %d B in C, want %+v", typ, weights, bytes, b)
		}
	}
	for _, typ := range []shaders.Type{shaders.Type(len(shaders.Types())), 31, 32, 200, shaders.Var} {
		if got := cpu.TypeBits(typ); got != 0 {
			t.Errorf("%v has %d bits in C, want 0: there is no such type", typ, got)
		}
	}
}

// TestOtherElementTypes requests each kernel in types that it does not support: this must be an error, and not return the code of
// another type.
func TestOtherElementTypes(t *testing.T) {
	e, err := cpu.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, k := range catalog.All() {
		for _, typ := range append(shaders.Types(), shaders.Type(len(shaders.Types())), 31, 32, 200) {
			if k.Impl.Library != shaders.Own || slices.Contains(k.Impl.Types, typ) {
				continue
			}
			other := k
			other.Type = typ
			if err := e.Supports(other); !errors.Is(err, gpu.ErrUnsupported) {
				t.Errorf("%s: %v, want an error", other.ID(), err)
			}
			if _, err := e.Kernel(other); !errors.Is(err, gpu.ErrUnsupported) {
				t.Errorf("kernel %s: %v, want an error", other.ID(), err)
			}
		}
	}
}

// onlyGPUs is what kernels may require that a processor does not have.
const onlyGPUs = shaders.SIMDGroupMatrix | shaders.Threadgroups

// The CPU engine is the universal fallback: it must run every kernel that neither is a platform's library nor requires what only
// GPUs have.
func TestSupportsAll(t *testing.T) {
	e, err := cpu.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, k := range catalog.All() {
		err := e.Supports(k)
		if blas := k.Impl.Library == shaders.OpenBLAS || k.Impl.Library == shaders.Accelerate; blas {
			checkLibrary(t, e, k, err)
			continue
		}
		if k.Name == "multiply_add_f16" { // the f16 peak, which processors compute in f32
			continue
		}
		if (err == nil) != (k.Impl.Library == shaders.Own && k.Needs()&onlyGPUs == 0) {
			t.Errorf("kernel %s of library %q: %v", k.Name, k.Impl.Library, err)
		}
	}
}

// checkLibrary checks the name of a library that can be opened, and the reason for one that cannot.
func checkLibrary(t *testing.T, e gpu.Engine, k shaders.Kernel, err error) {
	t.Helper()
	if err != nil {
		want := "not available: " + k.Impl.Library.Full() + " cannot be opened: "
		if !k.Impl.Library.MayBeOn(runtime.GOOS) {
			want = "not available: " + k.Impl.Library.Full() + " is part of macOS"
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("kernel %s: %v", k.Name, err)
		}
		return
	}
	namer, ok := gpu.As[gpu.LibraryNamer](e)
	if !ok || !strings.Contains(namer.LibraryName(k), k.Impl.Library.Full()) || !strings.Contains(namer.LibraryName(k), "threads") {
		t.Errorf("kernel %s: the library’s name is not known", k.Name)
	}
	if name := namer.LibraryName(k); strings.Contains(name, ", Prescott,") && slices.Contains(cpu.ISAs(), "avx2") && os.Getenv("OPENBLAS_CORETYPE") == "" {
		t.Errorf("kernel %s runs code for SSE3 on a processor with AVX2: %s", k.Name, name)
	}
	t.Log(namer.LibraryName(k))
}
