package clang

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cuda"
)

// What tensor programs must not contain. Positions are those of the file, two lines below those of the text.
func TestRefusesOfTensors(t *testing.T) {
	const include = "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\nusing namespace mpp::tensor_ops;\n"
	tests := map[string]struct{ text, want string }{
		"of the host, in a function": {
			"kernel void k(device half *x) { tensor<device half, dextents<int, 2>> t(x, dextents<int, 2>(1, 1)); x[0] = t.get_extent(0); }",
			"a kernel cannot make a tensor_handle, which the host binds: want tensor_inline",
		},
		"inline, as an argument": {
			"kernel void k(tensor<device half, dextents<int, 2>, tensor_inline> t [[buffer(0)]]) {}",
			"test.metal:5:15: error: argument t is a tensor of tensor_inline, but the host binds only those of tensor_handle",
		},
		"a reference to one of the host": {
			"kernel void k(const thread tensor<device half, dextents<int, 2>> &t [[buffer(0)]]) {}",
			"error: tensor t is an argument by value, not a pointer or reference",
		},
		"of nowhere": {
			"kernel void k(tensor<half, dextents<int, 2>> t [[buffer(0)]]) {}",
			"test.metal:5:15: error: the elements of tensor t need an address space: device or constant",
		},
		"of any rank": {
			"template <int N> kernel void k(tensor<device half, dextents<int, 2 * N>> t [[buffer(0)]]) {}\ntypedef decltype(k<9>) instance;\n" +
				"template [[host_name(\"k9\")]] kernel instance k<9>;",
			"error: the number of dimensions of tensor t must be a number from 1 to 16",
		},
		"too many buffers": {
			"kernel void k(tensor<device half, dextents<int, 2>> t" + manyBuffers() + ") {}",
			"error: kernel k uses all 31 buffer indices: none is left for the shapes of its tensors",
		},
		"convolution": {
			"kernel void k(device half *x) {\n  constexpr convolution2d_descriptor d(1); x[0] = 1; }",
			"test.metal:6:13: error: convolution2d_descriptor is not supported: of Metal Performance Primitives, only matmul2d is",
		},
		"more indices than dimensions": {
			"kernel void k(device half *x) {\n  auto t = tensor(x, extents<int, 16, 16>());\n  t[1, 2, 3] = 1; }",
			"an element of a tensor has as many indices as the tensor has dimensions",
		},
		"input of several SIMD groups": {
			"kernel void k(device half *x) {\n  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroups<2>> op;\n" +
				"  auto a = op.get_left_input_cooperative_tensor<half, half, float>(); x[0] = a[0]; }",
			"a cooperative tensor as an input takes execution_simdgroup",
		},
		"input of another operation": {
			"kernel void k(device half *x) {\n  matmul2d<matmul2d_descriptor(16, 16, 16), execution_simdgroup> op;\n" +
				"  matmul2d<matmul2d_descriptor(32, 32, 16), execution_simdgroup> other;\n" +
				"  auto a = op.get_left_input_cooperative_tensor<half, half, float>(); auto b = op.get_right_input_cooperative_tensor<half, half, float>();\n" +
				"  auto c = other.get_destination_cooperative_tensor<decltype(a), decltype(b), float>(); other.run(a, b, c); x[0] = c[0]; }",
			"the cooperative tensor is that of another operation",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			fewWithDetector(t, tt.text)
			t.Parallel()
			_, err := compileText(t, include+tt.text)
			var compile *msl.CompileError
			if !errors.As(err, &compile) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// manyBuffers returns arguments that take all buffers but one.
func manyBuffers() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, ", device int *x%d", i)
	}
	return b.String()
}

// The locations of tensors' elements and shapes: elements in the buffer of their index, the shapes after all others.
func TestTensorsOfTheHost(t *testing.T) {
	l, err := compileText(t, `#include <metal_tensor>
	using metal::tensor;
	using plane = tensor<device const float, dextents<int, 2>, tensor_handle>;
	template <class T, int N> kernel void k(tensor<device T, dextents<int, N>> x, constant float &s [[buffer(1)]], plane y [[buffer(4)]],
		tensor<constant T, extents<int, 3, dynamic_extent>> z, device int *n) { x[0, 0, 0] = y[1, 2] * T(s) + z[1, 0] + T(n[0]); }
	template [[host_name("k_half")]] kernel void k<half, 3>(tensor<device half, dextents<int, 3>> x, constant float &s, plane y,
		tensor<constant half, extents<int, 3, dynamic_extent>> z, device int *n);`)
	if err != nil {
		t.Fatal(err)
	}
	e := l.Entries()[0]
	if e.Name != "k_half" || e.Shapes != (msl.Shapes{Index: 5, Count: 14}) {
		t.Errorf("entry %s with shapes %+v, want k_half with 14 numbers in buffer 5", e.Name, e.Shapes)
	}
	var got []string
	for _, a := range e.Args {
		if a.Tensor != nil {
			got = append(got, fmt.Sprint(a.Name, " ", a.Index, " ", a.Access, " ", *a.Tensor))
		}
	}
	want := []string{
		"x 0 read-write {device half [-1 -1 -1] 0}", "y 4 read {device const float [-1 -1] 6}", "z 2 read {constant half [3 -1] 10}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tensors\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// On NVIDIA GPUs the shapes of tensors come with each launch, in the parameter rather than in a buffer.
func TestShapesComeWithTheLaunch(t *testing.T) {
	path := filepath.Join("..", "testdata", "tensor_host_style.metal")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := testCompiler(t).Compile(t.Context(), msl.Source{Name: path, Text: string(text)}, Options{Cache: sharedCache, Target: cuda.Target{}})
	if err != nil {
		t.Fatal(err)
	}
	loads := func(inlined int) int {
		ptx, _, err := l.PTX(t.Context(), "doubled", nil, inlined)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(ptx), "ld.") - strings.Count(string(ptx), "ld.param")
	}
	if got, in := loads(2), loads(-1); got != 1 || in <= got {
		t.Errorf("%d loads from memory with the shapes in the parameter, %d without; want only that of the element, and more", got, in)
	}
}

// Other programs may use the names.
func TestTensorNamesElsewhere(t *testing.T) {
	_, err := compileText(t, "struct tensor { int a; };\nint convolution2d(int x) { return x; }\nnamespace mpp { struct extents { int n; }; }\n"+
		"kernel void k(device int *x) { tensor t = {convolution2d(1)}; mpp::extents e = {2}; x[0] = t.a + e.n; }")
	if err != nil {
		t.Error(err)
	}
}

// The version of the language can be specified. Metal 4's has lambdas.
func TestLanguageVersion(t *testing.T) {
	s := msl.Source{Name: "test.metal", Text: `#if __METAL_VERSION__ < 400
#error an old version
#endif
kernel void k(device int *x) { auto twice = [&](int a) { return 2 * a; }; x[0] = twice(x[0]); }`}
	for version, want := range map[string]string{"400": "", "320": "test.metal:2:2: error: an old version"} {
		s.Macros = map[string]string{"__METAL_VERSION__": version}
		_, err := testCompiler(t).Compile(t.Context(), s, Options{Cache: sharedCache})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("version %s: error %v, want %q", version, err, want)
		}
	}
}

// Both kinds of operands have code for NVIDIA GPUs.
func TestTensorsForCUDA(t *testing.T) {
	for file, entries := range map[string][]string{
		"nax_style": {"nax_product_int8"}, "tensor_style": {"staged", "chained"},
		"tensor_host_style": {"rows_half"},
	} {
		path := filepath.Join("..", "testdata", file+".metal")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := testCompiler(t).Compile(t.Context(), msl.Source{Name: path, Text: string(text)}, Options{Cache: sharedCache, Target: cuda.Target{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			ptx, _, err := l.PTX(t.Context(), entry, nil, -1)
			if err != nil {
				t.Error(err)
			} else if shuffles := strings.Contains(string(ptx), "shfl.sync"); shuffles != (entry != "staged") {
				t.Errorf("%s: shuffles %v, want them where lanes hold the operands", entry, shuffles)
			}
		}
	}
}
