//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

func TestWithoutCuBLAS(t *testing.T) {
	o := fakeOptions(t, "")
	o.BLAS = []string{"libcublas-that-is-not-there.so", "libm.so.6"}
	e := open(t, o)
	defer closed(t, e)
	k := catalog.MustFind("matmul_cublas_f32")
	says(t, e.Supports(k), gpu.ErrUnsupported, "not available: cuBLAS cannot be opened", "libcublas-that-is-not-there.so", "libm.so.6 has no cublas")
	if name := e.LibraryName(k); name != "" {
		t.Errorf("the library that is not there is %q", name)
	}
	says(t, e.Supports(catalog.MustFind("matmul_mps_f32")), gpu.ErrUnsupported, "mps")
	says(t, e.Supports(catalog.MustFind("softmax_mps_f32")), gpu.ErrUnsupported, "mps")
}

func TestLibraryName(t *testing.T) {
	e := openFake(t, "")
	defer closed(t, e)
	if name := e.LibraryName(catalog.MustFind("matmul_cublas_f16")); name != "cuBLAS 13.12.11" {
		t.Errorf("the library is %q", name)
	}
	if name := e.LibraryName(catalog.MustFind("add_f32")); name != "" {
		t.Errorf("add_f32 is run by %q", name)
	}
	_, err := e.Recompile(context.Background(), catalog.MustFind("matmul_cublas_f32"), true)
	says(t, err, gpu.ErrUnsupported, "cuBLAS has no source")
}

// A GEMM that cuBLAS refuses is an error of its submission, and does no harm.
func TestCuBLASFails(t *testing.T) {
	ledger(t)
	x := newAdder(t, openFake(t, ""), 64)
	k, err := x.e.Kernel(catalog.MustFind("matmul_cublas_f32").With(shaders.Constants{gemm.TransposeB: 1}))
	if err != nil {
		t.Fatal(err)
	}
	launch := gpu.Launch{Kernel: k, Params: gemm.MatmulParams{M: 8, N: 8, K: 8, Batch: 1}, Bindings: gpu.Bind(x.a, x.b, nil, x.out)}
	for _, c := range []struct{ script, says string }{
		{"cublasCreate_v2=3", "cuBLAS failed (code -3: cuBLAS status 3)"},
		{"cublasGemmEx=15", "cuBLAS status 15"},
	} {
		script(t, c.script)
		_, err := gputest.Submit(x.e, x.q, x.launch(), launch)
		says(t, err, gpu.ErrExecution, "matmul_cublas_f32", c.says)
		script(t, "")
		x.works()
	}
	s, err := gputest.Submit(x.e, x.q, launch)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*64)}
	if err := x.out.Read(0, v.Data); err != nil || v.At(63) != 16 {
		t.Errorf("8 products of 1 and 2 are %g: %v", v.At(63), err)
	}
	x.close()
}
