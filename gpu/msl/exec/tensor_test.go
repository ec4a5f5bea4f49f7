package exec

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/shaders"
)

// compileFile compiles a file of testdata.
func compileFile(t *testing.T, name string, checked bool) *clang.Library {
	t.Helper()
	if checked {
		needsChecking(t)
	}
	path := filepath.Join("..", "testdata", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := testCompiler(t).Compile(t.Context(), msl.Source{Name: path, Text: string(text)}, clang.Options{Checked: checked, Cache: testCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// matrix is rows of numbers in memory.
type matrix struct {
	shaders.View
	cols      int
	transpose bool
}

func (m matrix) at(row, col int) float64 {
	if m.transpose {
		row, col = col, row
	}
	return m.At(row*m.cols + col)
}

// randomMatrix has rows × cols numbers; with transpose they are stored as cols × rows.
func randomMatrix(r *rand.Rand, of shaders.Type, rows, cols int, transpose bool) matrix {
	m := matrix{shaders.View{Type: of, Data: make([]byte, of.Bytes(rows*cols))}, cols, transpose}
	if transpose {
		m.cols = rows
	}
	m.FillUniform(r)
	return m
}

// products compares c with a·b, after `finish` has processed each sum.
func products(t *testing.T, a, b, c matrix, m, n, k int, finish func(row int, sum float64) float64) {
	t.Helper()
	for row := range m {
		for col := range n {
			sum, size := 0.0, 0.0
			for i := range k {
				v := a.at(row, i) * b.at(i, col)
				sum, size = sum+v, size+math.Abs(v)
			}
			want := sum
			if finish != nil {
				want = finish(row, sum)
			}
			if got := c.at(row, col); math.Abs(got-want) > 1e-6*size {
				t.Fatalf("row %d, column %d: %g, want %g", row, col, got, want)
			}
		}
	}
}

func sizes(values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// Fragments in registers, of every type and transposition, at sizes that fill no tile.
func TestTensorFragments(t *testing.T) {
	const m, n, k = 67, 49, 41
	l := compileFile(t, "nax_style.metal", true)
	r := rand.New(rand.NewPCG(1, 2))
	for name, types := range map[string][2]shaders.Type{
		"float16": {shaders.F16, shaders.F32}, "bfloat16": {shaders.BF16, shaders.F32}, "float32": {shaders.F32, shaders.F32},
		"int8": {shaders.I8, shaders.I32},
	} {
		kernel := open(t, l, "nax_product_"+name, nil)
		for transposes := range 4 {
			a := randomMatrix(r, types[0], m, k, transposes&1 != 0)
			b := randomMatrix(r, types[0], k, n, transposes&2 != 0)
			c := randomMatrix(r, types[1], m, n, false)
			launch := line(128, a.Data, b.Data, c.Data, sizes(m, n, k, transposes))
			launch.Groups = [3]uint32{1, 2, 1}
			if err := kernel.Race(t.Context(), launch, 2); err != nil {
				t.Fatal(err)
			}
			t.Run(name+" "+[]string{"NN", "TN", "NT", "TT"}[transposes], func(t *testing.T) { products(t, a, b, c, m, n, k, nil) })
		}
	}
}

// Tensors in device and threadgroup memory, shared by several SIMD groups.
func TestTensorsInMemory(t *testing.T) {
	const m, n, k = 70, 37, 45
	l := compileFile(t, "tensor_style.metal", true)
	r := rand.New(rand.NewPCG(3, 4))
	c := randomMatrix(r, shaders.F32, m, n, false)

	a, b := randomMatrix(r, shaders.F16, m, k, false), randomMatrix(r, shaders.F16, k, n, false)
	launch := line(128, a.Data, b.Data, c.Data, sizes(m, n, k))
	launch.Groups = [3]uint32{2, 2, 1}
	if err := open(t, l, "plain", nil).Race(t.Context(), launch, 2); err != nil {
		t.Fatal(err)
	}
	products(t, a, b, c, m, n, k, nil)

	a, b = randomMatrix(r, shaders.BF16, m, k, false), randomMatrix(r, shaders.BF16, k, n, true)
	bias := randomMatrix(r, shaders.F32, m, 1, false)
	launch = line(64, a.Data, b.Data, c.Data, sizes(m, n, k), bias.Data)
	launch.Groups = [3]uint32{2, 3, 1}
	if err := open(t, l, "staged", nil).Race(t.Context(), launch, 3); err != nil {
		t.Fatal(err)
	}
	products(t, a, b, c, m, n, k, func(row int, sum float64) float64 { return max(sum+bias.at(row, 0), 0) })
}

func TestTensorsInRegisters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	l := compileFile(t, "tensor_style.metal", true)
	a, b := randomMatrix(r, shaders.F16, 16, 16, false), randomMatrix(r, shaders.F16, 16, 16, false)
	for i := range 256 { // so that the first product is an f16 value, too
		a.Set(i, float64(r.IntN(5)-2))
		b.Set(i, float64(r.IntN(5)-2))
	}
	first, c := randomMatrix(r, shaders.F32, 16, 16, false), randomMatrix(r, shaders.F32, 16, 16, false)
	for i := range 256 {
		sum := 0.0
		for j := range 16 {
			sum += a.at(i/16, j) * b.at(j, i%16)
		}
		first.Set(i, sum)
	}
	if err := open(t, l, "chained", nil).Run(t.Context(), line(32, a.Data, b.Data, c.Data)); err != nil {
		t.Fatal(err)
	}
	products(t, first, b, c, 16, 16, 16, nil)
}

// Elements of four bits, signed and unsigned, the first in the lower half of each byte.
func TestTensorsOfFourBits(t *testing.T) {
	const m, k = 3, 6
	r := rand.New(rand.NewPCG(7, 8))
	a := randomMatrix(r, shaders.F16, m, k, false)
	b := make([]byte, 4*k/2)
	signed, plain := randomMatrix(r, shaders.I8, k, 4, true), randomMatrix(r, shaders.I8, k, 4, true)
	for i := range 4 * k {
		v := r.IntN(16)
		b[i/2] |= byte(v << (i % 2 * 4))
		plain.Set(i, float64(v))
		signed.Set(i, float64((v^8)-8))
	}
	c := matrix{shaders.View{Type: shaders.F32, Data: make([]byte, 4*8*m)}, 8, false}
	if err := open(t, compileFile(t, "tensor_style.metal", true), "packed", nil).Run(t.Context(), line(m, a.Data, b, c.Data, sizes(m, 4, k))); err != nil {
		t.Fatal(err)
	}
	products(t, a, signed, c, m, 4, k, nil)
	c.Data = c.Data[16:]
	products(t, a, plain, c, m, 4, k, nil)
}

// Rows and columns folded in registers, in both layouts.
func TestTensorReductions(t *testing.T) {
	const m, n, k = 32, 48, 16
	r := rand.New(rand.NewPCG(9, 10))
	l := compileFile(t, "tensor_style.metal", true)
	a, b := randomMatrix(r, shaders.F16, m, k, false), randomMatrix(r, shaders.F16, k, n, true)
	var want, columns [m * n]float64
	for row := range m {
		total := 0.0
		for col := range n {
			sum := 0.0
			for i := range k {
				sum += a.at(row, i) * b.at(i, col)
			}
			want[row*n+col] = math.Exp(sum)
			total += want[row*n+col]
		}
		for col := range n {
			want[row*n+col] /= total
			columns[col] += want[row*n+col]
		}
	}
	for _, name := range []string{"softmax", "softmax_relaxed"} {
		c := shaders.View{Type: shaders.F32, Data: make([]byte, 4*(m*n+n))}
		if err := open(t, l, name, nil).Run(t.Context(), line(32, a.Data, b.Data, c.Data)); err != nil {
			t.Fatal(err)
		}
		for i, w := range slices.Concat(want[:], columns[:n]) {
			if math.Abs(c.At(i)-w) > 1e-5*w {
				t.Fatalf("%s: number %d is %g, want %g", name, i, c.At(i), w)
			}
		}
	}
}

// shapes returns extents and strides, as the host passes those of tensors.
func shapes(numbers ...int64) []byte {
	var b []byte
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// Tensors that the host binds: sliced for an operation, read by several indices, with gaps between rows.
func TestTensorsOfTheHost(t *testing.T) {
	const m, n, k, gap = 70, 37, 45, 3
	l := compileFile(t, "tensor_host_style.metal", true)
	r := rand.New(rand.NewPCG(11, 12))
	a, b := randomMatrix(r, shaders.F16, m, k+gap, false), randomMatrix(r, shaders.F16, k, n, false)
	c := randomMatrix(r, shaders.F32, m, n, false)
	launch := line(128, a.Data, b.Data, c.Data, shapes(k, m, 1, k+gap, n, k, 1, n, n, m, 1, n))
	launch.Groups = [3]uint32{2, 2, 1}
	if err := open(t, l, "product", nil).Race(t.Context(), launch, 2); err != nil {
		t.Fatal(err)
	}
	products(t, a, b, c, m, n, k, nil)

	x, weight := randomMatrix(r, shaders.F16, m, k, false), randomMatrix(r, shaders.F16, k, n, true)
	scale := shaders.View{Type: shaders.F32, Data: make([]byte, 4)}
	scale.Set(0, 0.5)
	launch = line(128, x.Data, weight.Data, c.Data, scale.Data,
		shapes(k, m, 1, 1, k, k*m, k, n, 1, k, n, m, 1, 1, n, n*m))
	launch.Groups = [3]uint32{(n + 3) / 4, m, 1}
	if err := open(t, l, "rows_half", nil).Race(t.Context(), launch, 2); err != nil {
		t.Fatal(err)
	}
	products(t, x, weight, c, m, n, k, func(_ int, sum float64) float64 { return sum / 2 })
}

// An index beyond the buffer of a tensor is a fault at its line, regardless of the shape; so is a launch without shapes.
func TestBoundsOfTensors(t *testing.T) {
	kernel := open(t, compileFile(t, "tensor_host_style.metal", true), "doubled", nil)
	x, y := shaders.View{Type: shaders.F32, Data: make([]byte, 4*12)}, shaders.View{Type: shaders.F32, Data: make([]byte, 4*8)}
	x.Set(8+3, 1.5)
	launch := line(8, x.Data, y.Data, shapes(4, 2, 1, 8, 8, 1))
	if err := kernel.Run(t.Context(), launch); err != nil || y.At(7) != 11 || y.At(3) != 8 {
		t.Errorf("numbers %g and %g with error %v, want 11 and 8", y.At(7), y.At(3), err)
	}
	launch.Buffers[2] = shapes(4, 2, 1, 9, 8, 1)
	var f *Fault
	if err := kernel.Run(t.Context(), launch); !errors.As(err, &f) || f.Line != 40 || !strings.Contains(f.Message, "buffer(0)") {
		t.Errorf("error %v, want a fault of buffer 0 in line 40", err)
	}
	launch.Buffers[2] = shapes(4, 2, 1, 8, 8)
	if err := kernel.Run(t.Context(), launch); err == nil || !strings.Contains(err.Error(), "the shapes of its tensors are not bound, 48 bytes in buffer 2") {
		t.Errorf("error %v, want one of the missing shapes", err)
	}
}

// All lanes of a SIMD group participate in an operation.
func TestTensorOperationOfSomeLanes(t *testing.T) {
	k := entryPoint(t, `#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
	using namespace mpp::tensor_ops;
	kernel void k(device float *x [[buffer(0)]], uint i [[thread_index_in_simdgroup]]) {
		constexpr matmul2d_descriptor d(16, 16, 16);
		matmul2d<d, execution_simdgroup> op;
		auto t = tensor(x, extents<int, 16, 16>());
		if (i < 20) op.run(t, t, t);
	}`, false)
	err := k.Run(t.Context(), line(32, make([]byte, 4*256)))
	var f *Fault
	if !errors.As(err, &f) || !strings.Contains(f.Message, "matmul2d must be reached by all 32 lanes") || f.Line != 9 {
		t.Errorf("error %v, want a fault of matmul2d in line 9", err)
	}
}
