//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/shaders"
)

// product is a GEMM with cuBLAS; see cuda_product.
type product struct {
	blas                   blas
	m, n, k, batch         uint32
	kind                   int
	transposeA, transposeB int32
	a, b, out              uint64
}

// libraryRow is an operation that the library computes.
type libraryRow struct {
	types map[shaders.Type]int // the element types, as numbered by the library's row in C
	// encode fills in c, which has the addresses of the arguments; false if there is nothing to do.
	encode func(c *command, row *libraryRow, b blas, k *kernel, params any) bool
}

// libraryRows are the operations by name.
func libraryRows() map[string]libraryRow {
	return map[string]libraryRow{
		"matmul": {map[shaders.Type]int{shaders.F32: 0, shaders.F16: 1, shaders.BF16: 2}, encodeProduct},
	}
}

// openFirst opens the first of the libraries that can be opened; the error has the reasons for all.
func openFirst(paths []string) (blas, error) {
	var why []error
	for _, path := range paths {
		b, err := openBLAS(path)
		if err == nil {
			return b, nil
		}
		why = append(why, err)
	}
	return blas{}, errors.New(strings.ReplaceAll(errors.Join(why...).Error(), "\n", "; "))
}

// openBLAS opens cuBLAS; the memory that loading it writes stays with the process.
func (e *engine) openBLAS() (b blas, err error) {
	e.code.during(func() { b, err = openFirst(e.options.BLAS) })
	return b, err
}

// supportsLibrary returns why a library's kernel cannot run.
func (e *engine) supportsLibrary(k *shaders.Kernel) error {
	if k.Impl.Library != shaders.CuBLAS {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "the CUDA engine does not have %s", k.Impl.Library.Short())
	}
	row, known := libraryRows()[k.Impl.Op.Name]
	if _, has := row.types[k.Type]; !known || !has {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "%s has no %s of %v", k.Impl.Library.Full(), k.Impl.Op.Name, k.Type)
	}
	if _, err := e.blas(); err != nil {
		return gpu.Errorf(gpu.ErrUnsupported, "kernel", k.Name, "not available: cuBLAS cannot be opened: %w", err)
	}
	return nil
}

// LibraryName returns the version of cuBLAS for its kernels.
func (e *engine) LibraryName(k shaders.Kernel) string {
	b, err := e.blas()
	if err != nil || k.Impl.Library != shaders.CuBLAS || b.version() == "" {
		return ""
	}
	return "cuBLAS " + b.version()
}

// library encodes a launch of a library's kernel; false if there is nothing to do.
func (c *command) library(k *kernel, params any) (bool, error) {
	for i := range k.spec.Args {
		if k.spec.Args[i].Access == shaders.Out && k.spec.Len(i, params) == 0 {
			return false, nil
		}
	}
	b, err := k.engine.blas()
	if err != nil {
		return false, fmt.Errorf("launch %s: %w", k.spec.Name, err)
	}
	row := libraryRows()[k.spec.Impl.Op.Name]
	return row.encode(c, &row, b, k, params), nil
}

// encodeProduct makes a GEMM of the arguments a, b, the bias, which no library kernel has, and out. An empty sum is a fill with
// zeros.
func encodeProduct(c *command, row *libraryRow, b blas, k *kernel, params any) bool {
	dims := k.spec.Impl.Dims(k.spec.Call(params))
	p := product{
		blas: b, m: dims[0], n: dims[1], k: dims[2], batch: dims[3], kind: row.types[k.spec.Type],
		a: c.buffers[0], b: c.buffers[1], out: c.buffers[3],
	}
	for _, v := range k.spec.Values() {
		switch v.Name {
		case "transpose_a":
			p.transposeA = v.Value
		case "transpose_b":
			p.transposeB = v.Value
		}
	}
	if p.k == 0 {
		c.kind, c.to, c.bytes = fillCommand, p.out, k.spec.Bytes(3, params)
		return true
	}
	c.kind, c.product = productCommand, p
	return true
}
