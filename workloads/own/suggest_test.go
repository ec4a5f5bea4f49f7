package own

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/msl/clang"
)

const suggestedSource = `#include <metal_stdlib>
using namespace metal;
constant int mode [[function_constant(0)]];
struct Params { uint a; float b; };
kernel void first(device const float *x [[buffer(0)]], device half4 *y [[buffer(1)]], constant float &a [[buffer(2)]],
                  constant uint &n [[buffer(3)]], constant Params &p [[buffer(4)]], threadgroup float *t [[threadgroup(0)]],
                  uint i [[thread_position_in_grid]]) {
    t[0] = a;
    if (i < n && mode == p.a) y[i] = half4(x[i] * t[0]);
}
kernel void second(device atomic_uint *count [[buffer(0)]]) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }
`

// The description suggested for each entry point of a source fits it.
func TestSuggest(t *testing.T) {
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "k.metal")
	if err := os.WriteFile(path, []byte(suggestedSource), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := ReadSource(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Suggest(context.Background(), f, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{first [{x { fill = "random", length = "n" }} {y { fill = "output", length = "n" }} {a { value = 1 }} {n { value = "n" }} ` +
		`{p { fields = [{ type = "uint", value = "n" }] }} {t { bytes = 1024 }}] [{mode 1}]}`
	if got := fmt.Sprint(*s); got != want {
		t.Errorf("suggested is\n%s\nwant\n%s", got, want)
	}
	f.Description = "entry = \"second\"\n"
	if s, err = Suggest(context.Background(), f, t.TempDir()); err != nil || s.Entry != "second" || len(s.Args) != 1 {
		t.Errorf("of the second: %v, %v", s, err)
	}
	f.Source = "kernel void f() { flot x; }"
	if _, err = Suggest(context.Background(), f, t.TempDir()); err == nil || !strings.Contains(err.Error(), "does not compile") || !strings.Contains(err.Error(), "flot") {
		t.Errorf("of a broken source: %v", err)
	}
}
