package own

import (
	"strings"
	"testing"

	"assay/gpu/msl"
)

const tensorSource = `#include <metal_tensor>
using namespace metal;
kernel void k(tensor<device float, extents<int, 4, dynamic_extent>, tensor_handle> x [[buffer(0)]], device float *y [[buffer(1)]],
              uint i [[thread_position_in_grid]]) {
    y[i] = x[i % 4, i / 4];
}
`

const tensorDescription = `
[sizes]
n = 5
[args]
x = { fill = "ramp", extents = [4, "n"], strides = [1, 6] }
y = { fill = "output", length = "4 * n" }
[launch]
grid = "4 * n"
threadgroup = 32
[reference]
starlark = """
def y(i):
    return x[i // 4 * 6 + i % 4]
"""
`

// A tensor has the shape given by the description; a shape that the source or the buffer cannot have is rejected before anything runs.
func TestTensorShapes(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"", "", ""},
		{"[4, \"n\"], strides = [1, 6]", "[4, \"n\"], strides = [1, 6], length = 28", ""},
		{"extents = [4, \"n\"], strides = [1, 6]", `length = 20`, "args.x: x is a tensor with 2 dimensions in the source: want extents, a number for each"},
		{"[4, \"n\"], strides = [1, 6]", `["n"]`, "args.x.extents: has 1 numbers, but the source has 2 dimensions"},
		{"[4,", "[3,", "extents: 3 in dimension 0, but the source says 4"},
		{"[1, 6]", "[2, 8]", "strides: the first is 2"},
		{"[1, 6]", "[1, 6], length = 20", "its extents and strides reach 28 elements, but its length is 20"},
		{"[4, \"n\"], strides = [1, 6]", "[4, 2e9]", "extents: more than 4294967296 elements"},
	} {
		t.Run(c.to, func(t *testing.T) {
			t.Parallel()
			f := Files{Path: "k.kernel.toml", Source: tensorSource, Description: strings.Replace(tensorDescription, c.from, c.to, 1)}
			r := do(t, &Job{Do: Running, Kernel: f})
			switch {
			case c.want == "" && (!r.OK() || !r.Verified() || len(r.Outputs) != 1):
				t.Errorf("%+v, %+v", r.Problems, r.Outputs)
			case c.want != "" && (len(r.Problems) != 1 || r.Problems[0].Line != 5 || !strings.Contains(r.Problems[0].Error(), c.want)):
				t.Errorf("%+v, want line 5: %s", r.Problems, c.want)
			}
		})
	}
}

func TestTensorsAreSuggested(t *testing.T) {
	got := suggestedValue(msl.Arg{Name: "x", Kind: msl.Buffer, Tensor: &msl.Tensor{Element: "device half", Extents: []int64{4, -1}}})
	if want := `{ fill = "random", extents = [4, "n"] }`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
