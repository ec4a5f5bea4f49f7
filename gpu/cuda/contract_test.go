//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"slices"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
)

// Kernels of the contract on the fake driver. Their results are tested elsewhere; here only that each kind of argument is passed
// correctly: constants, optional arguments, threadgroup memory of the source and of the launch, atomics, parameters.
func few() []string {
	return []string{
		"add_f32", "copy_f32", "matmul_tiled_f32", "attention_decode_f32", "entropy_shared_int8", "sum_into_f32", "quantize_int8",
		"matmul_cublas_f32", "matmul_cublas_f16", "matmul_cublas_bf16",
	}
}

// limited is an engine that supports few kernels.
type limited struct{ gpu.Engine }

func (l limited) Supports(k shaders.Kernel) error {
	if err := l.Engine.Supports(k); err != nil {
		return err
	}
	if !k.Impl.Source.User() && !slices.Contains(few(), k.Name) && k.Impl.Op.Name != "no_such_kernel" {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "not a kernel of this test")
	}
	return nil
}

func (l limited) Kernel(k shaders.Kernel) (gpu.Kernel, error) {
	if err := l.Supports(k); err != nil {
		return nil, err
	}
	return l.Engine.Kernel(k)
}

// Unwrap returns the engine, for its optional interfaces.
func (l limited) Unwrap() gpu.Engine { return l.Engine }

func TestContract(t *testing.T) {
	ledger(t)
	o := fakeOptions(t, "")
	gputest.Contract(t, func() (gpu.Engine, error) {
		e, err := OpenWith(o)
		return limited{e}, err
	})
}

// encoded is an engine that encodes all programs in one way.
type encoded struct {
	gpu.Engine
	encoding gpu.Encoding
}

func (s encoded) Prepare(commands ...gpu.Command) (gpu.Program, error) {
	return s.Engine.(gpu.Encoder).PrepareWith(s.encoding, commands...)
}

// Unwrap returns the engine, for its optional interfaces.
func (s encoded) Unwrap() gpu.Engine { return s.Engine }

func TestContractStages(t *testing.T)     { encodedContract(t, gpu.Encoding{Stages: true}) }
func TestContractConcurrent(t *testing.T) { encodedContract(t, gpu.Encoding{Concurrent: true}) }

func encodedContract(t *testing.T, how gpu.Encoding) {
	ledger(t)
	o := fakeOptions(t, "")
	gputest.EncodedContract(t, func() (gpu.Engine, error) {
		e, err := OpenWith(o)
		return limited{encoded{e, how}}, err
	})
}

// The names above are names of kernels.
func TestFewKernels(t *testing.T) {
	for _, name := range few() {
		if _, known := catalog.Find(name); !known {
			t.Errorf("there is no kernel %s", name)
		}
	}
}
