package exec

import (
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"

	"assay/gpu/msl/clang"
	"assay/gpu/msl/shim"
	"assay/gpu/msl/shim/cpu"
	"assay/gpu/msl/shim/cuda"
)

// cudaMath is this processor with the functions of the CUDA target; what the hardware approximates there is exact here.
type cudaMath struct{ cpu.Target }

func (t cudaMath) Headers() fs.FS {
	upper := fstest.MapFS{}
	for _, name := range []string{"machine/math.h", "machine/angle.h"} {
		text, err := fs.ReadFile(cuda.Target{}.Headers(), name)
		if err != nil {
			panic(err)
		}
		upper[name] = &fstest.MapFile{Data: text}
	}
	machine := "#define MSL_EX2(x) __builtin_exp2f(x)\n#define MSL_EX2_FLUSHED(x) __builtin_exp2f(x)\n#define MSL_RSQRT(x) (1.0f / __builtin_sqrtf(x))\n" +
		"#define MSL_DIVIDE(x, y) ((x) / (y))\n#define MSL_FMA_DOWN(x, y, z) fma_down(x, y, z)\n" +
		"static inline float fma_down(float x, float y, float z) {\n" +
		"    double exact = (double)x * y + z; float f = (float)exact;\n" +
		"    return f > exact ? __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f) - 1) : f;\n}\n"
	upper["machine/math.h"].Data = append([]byte(machine), upper["machine/math.h"].Data...)
	return shim.Overlay{Upper: upper, Lower: t.Target.Headers()}
}

// mathFunction is a function of one number, and its error limit in units in the last place of float.
type mathFunction struct {
	name string
	f    func(float64) float64
	ulp  float64
}

// ofPi returns a function of multiples of π, from its values at 0, ½, 1 and 3/2.
func ofPi(f func(float64) float64, quarters [4]float64) func(float64) float64 {
	return func(x float64) float64 {
		turn := math.Remainder(x, 2)
		if quarter := 2 * turn; quarter == math.Trunc(quarter) {
			return quarters[(int(quarter)+4)%4]
		}
		return f(math.Pi * turn)
	}
}

var mathFunctions = []mathFunction{
	{"acos", math.Acos, 4},
	{"acosh", math.Acosh, 4},
	{"asin", math.Asin, 4},
	{"asinh", math.Asinh, 4},
	{"atan", math.Atan, 4},
	{"atanh", math.Atanh, 4},
	{"cos", math.Cos, 4},
	{"cosh", math.Cosh, 4},
	{"exp", math.Exp, 4},
	{"fast::exp", math.Exp, 180}, // 2^(x·log2 e) by a rounded product
	{"exp2", math.Exp2, 4},
	{"fast::exp2", math.Exp2, 4},
	{"exp10", func(x float64) float64 { return math.Pow(10, x) }, 4},
	{"log", math.Log, 4},
	{"log2", math.Log2, 4},
	{"log10", math.Log10, 4},
	{"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 2},
	{"sin", math.Sin, 4},
	{"sinh", math.Sinh, 4},
	{"sqrt", math.Sqrt, 1},
	{"tan", math.Tan, 6},
	{"tanh", math.Tanh, 5},
	{"sinpi", ofPi(math.Sin, [4]float64{0, 1, 0, -1}), 4},
	{"cospi", ofPi(math.Cos, [4]float64{1, 0, -1, 0}), 4},
	{"tanpi", ofPi(math.Tan, [4]float64{0, math.Inf(1), 0, math.Inf(-1)}), 6},
}

// spread returns numbers of every magnitude, the special ones, and many near the functions' turning points.
func spread(n int) []float32 {
	r := rand.New(rand.NewPCG(3, 5))
	all := []float32{
		0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 2, 1e-40, -1e-40, 1.17549435e-38, 3.4028235e38, -3.4028235e38,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 88.72, 88.73, -103.9, -104, 127.99, 128, -149, -150, 16777216, 33554432,
	}
	for len(all) < n/2 {
		all = append(all, math.Float32frombits(r.Uint32()))
	}
	for len(all) < n {
		all = append(all, float32(r.NormFloat64()*4))
	}
	return all
}

// mathPairs are functions of two numbers.
var mathPairs = []struct {
	name string
	f    func(x, y float64) float64
	ulp  float64
}{
	{"pow", pow32, 16},
	{"atan2", math.Atan2, 6},
	{"fmod", math.Mod, 0},
	{"fdim", math.Dim, 1},
	{"copysign", math.Copysign, 0},
	{"nextafter", func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }, 0},
	{"frexp_whole", func(x, _ float64) float64 { _, e := math.Frexp(x); return float64(e) }, 0},
	{"frexp_part", func(x, _ float64) float64 { part, _ := math.Frexp(x); return part }, 0},
	{"modf_whole", func(x, _ float64) float64 { return math.Trunc(x) }, 0},
	{"scaled", func(x, _ float64) float64 { return math.Ldexp(x, 7) }, 0},
}

// pow32 is Pow, except that −1 to an infinite power is 1, as in IEEE.
func pow32(x, y float64) float64 {
	if x == -1 && math.IsInf(y, 0) {
		return 1
	}
	return math.Pow(x, y)
}

const mathParts = `
float frexp_whole(float x, float) { int e; frexp(x, e); return isfinite(x) ? float(e) : 0; }
float frexp_part(float x, float) { int e; return frexp(x, e); }
float modf_whole(float x, float) { float whole; modf(x, whole); return whole; }
float scaled(float x, float) { return ldexp(x, 7); }
`

// The functions for which CUDA has no library meet the language's accuracy. What the hardware approximates is exact here and adds
// up to 2 units on a GPU, which make test-cuda measures.
func TestCUDAMath(t *testing.T) {
	x := spread(1 << 15)
	y := append(slices.Clone(x[len(x)/3:]), x[:len(x)/3]...)
	var calls []string
	for _, f := range mathFunctions {
		calls = append(calls, f.name+"(x[i])")
	}
	for _, f := range mathPairs {
		calls = append(calls, f.name+"(x[i], y[i])")
	}
	got := runMath(t, calls, x, y)
	for i, f := range mathFunctions {
		checkMath(t, f.name, got[i], f.ulp, x, x, func(x, _ float64) float64 { return f.f(x) })
	}
	for i, f := range mathPairs {
		checkMath(t, f.name, got[len(mathFunctions)+i], f.ulp, x, y, f.f)
	}
}

// runMath evaluates each call for all numbers, with CUDA's functions.
func runMath(t *testing.T, calls []string, x, y []float32) [][]float32 {
	t.Helper()
	const threads = 1024
	text := mathParts + "kernel void k(device const float *x [[buffer(0)]], device const float *y [[buffer(1)]], device float *out [[buffer(2)]], " +
		"uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {\n"
	for i, call := range calls {
		text += "out[" + strconv.Itoa(i) + " * n + i] = " + call + ";\n"
	}
	k := open(t, compile(t, text+"}", clang.Options{Target: cudaMath{}}), "k", nil)
	out := make([]byte, 4*len(x)*len(calls))
	launch := line(threads, floats(x...), floats(y...), out)
	launch.Groups[0] = uint32(len(x) / threads)
	if err := k.Run(t.Context(), launch); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(slices.Chunk(float32s(out), len(x)))
}

// checkMath reports the worst result of a function, if its error exceeds ulp units in the last place of float.
func checkMath(t *testing.T, name string, got []float32, ulp float64, x, y []float32, f func(x, y float64) float64) {
	t.Helper()
	worst, at := 0.0, 0
	for i := range got {
		if d := ulps(got[i], f(float64(x[i]), float64(y[i]))); d > worst {
			worst, at = d, i
		}
	}
	if worst > ulp {
		t.Errorf("%s(%g, %g) = %g, want %g: %.3g units in the last place, want %g", name, x[at], y[at], got[at],
			f(float64(x[at]), float64(y[at])), worst, ulp)
	}
}

func ulps(got float32, want float64) float64 {
	rounded := float32(want)
	switch {
	case math.IsNaN(want) || math.IsNaN(float64(got)):
		if math.IsNaN(want) != math.IsNaN(float64(got)) {
			return math.Inf(1)
		}
		return 0
	case got == 0 && math.Abs(want) < 0x1p-125: // subnormal numbers may be flushed
		return 0
	case got == rounded:
		return 0
	case math.IsInf(float64(got), 0):
		got = float32(math.Copysign(math.MaxFloat32, float64(got)))
	}
	unit := float64(math.Float32frombits(1))
	if a := math.Abs(want); a >= 0x1p-126 {
		unit = math.Ldexp(1, max(math.Ilogb(a), -126)-23)
	}
	return math.Abs(float64(got)-want) / unit
}
