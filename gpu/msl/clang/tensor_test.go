package clang

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cuda"
)

// What is refused of tensors. Positions are those of the file, two lines below those of the text.
func TestRefusesOfTensors(t *testing.T) {
	const include = "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\nusing namespace mpp::tensor_ops;\n"
	tests := map[string]struct{ text, want string }{
		"of the host": {
			"kernel void k(tensor<device half, dextents<int, 2>> t [[buffer(0)]]) {}",
			"test.metal:5:15: error: tensors that the host binds are not supported: argument t",
		},
		"of the host, in a function": {
			"kernel void k(device half *x) { tensor<device half, dextents<int, 2>> t(x, dextents<int, 2>(1, 1)); x[0] = t.get_extent(0); }",
			"tensors that the host binds (tensor_handle) are not supported",
		},
		"convolution": {
			"kernel void k(device half *x) {\n  constexpr convolution2d_descriptor d(1); x[0] = 1; }",
			"test.metal:6:13: error: convolution2d_descriptor is not supported: of Metal Performance Primitives, only matmul2d is",
		},
		"several indices": {
			"kernel void k(device half *x) {\n  auto t = tensor(x, extents<int, 16, 16>());\n  t[1, 2] = 1; }",
			"test.metal:7:4: error: no viable overloaded operator[] for type 'tensor<",
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
			t.Parallel()
			_, err := compileText(t, include+tt.text)
			var compile *msl.CompileError
			if !errors.As(err, &compile) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error\n%v\nwant\n%s", err, tt.want)
			}
		})
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

// The version of the language can be given. That of Metal 4 has lambdas.
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
	for file, entries := range map[string][]string{"nax_style": {"nax_product_int8"}, "tensor_style": {"staged", "chained"}} {
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
