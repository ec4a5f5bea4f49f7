package clang

import (
	"errors"
	"slices"
	"testing"

	"assay/gpu/msl"
)

// Every linker's message yields the name, and the line that refers to it.
func TestNeeds(t *testing.T) {
	for said, want := range map[string][]need{
		"ld.lld: error: undefined symbol: helper(float, int)\n>>> referenced by <stdin>:4 (./<stdin>:4)\n>>>   x.o:(msl_entry)\n\n" +
			"ld.lld: error: undefined symbol: b\n>>> referenced by x.o:(msl_entry)\n": {{"helper(float, int)", 4}, {"b", 0}},
		"/usr/bin/ld: x.o: in function `msl_entry':\n././<stdin>:4: undefined reference to `helper(float, int)'\n" +
			"/usr/bin/ld: x.o:(.text+0x12): undefined reference to `b'\n": {{"helper(float, int)", 4}, {"b", 0}},
		"Undefined symbols for architecture arm64:\n  \"helper(float, int)\", referenced from:\n      _msl_entry in x.o\n": {{"helper(float, int)", 0}},
		"ld: cannot find -lm\n": nil,
	} {
		if got := needs(said); !slices.Equal(got, want) {
			t.Errorf("%q: %+v, want %+v", said, got, want)
		}
	}
}

// A function that is declared but not defined is an error in the source, at the line that calls it.
func TestUndefined(t *testing.T) {
	text := "#include <metal_stdlib>\nusing namespace metal;\nfloat helper(float x, int k);\nextern constant float table[4];\n" +
		"inline float mid(float x) {\n  return helper(x, 2) + 1; }\n" +
		"kernel void k(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n  x[i] = mid(x[i]);\n  x[i] += table[i];\n}\n"
	l, err := testCompiler(t).Compile(t.Context(), msl.Source{Name: "k.metal", Text: text}, Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.Object(t.Context(), "k", nil)
	var refused *msl.CompileError
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	want := map[string]int{"helper(float, int) is declared but not defined": 6, "table is declared but not defined": 9}
	for _, d := range refused.Diagnostics {
		if want[d.Message] != d.Line || d.File != "k.metal" {
			t.Errorf("%+v, want %v", d, want)
		}
		delete(want, d.Message)
	}
	if len(want) > 0 {
		t.Errorf("%+v lacks %v", refused.Diagnostics, want)
	}
}
