package clang

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cpu"
)

// manyEntries is a template of a kernel with n instances, each with its own type and number.
func manyEntries(body string, types []string, n int) string {
	var b strings.Builder
	b.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	b.WriteString("template <typename T, int N> kernel void k(device const T *in [[buffer(0)]], device T *out [[buffer(1)]],\n")
	b.WriteString("    uint i [[thread_position_in_grid]]) {\n" + body + "\n}\n")
	for i := range n {
		fmt.Fprintf(&b, "template [[host_name(\"k%d\")]] kernel void k<%s, %d>(device const %[2]s *, device %[2]s *, uint);\n",
			i, types[i%len(types)], i)
	}
	return b.String()
}

func TestPieces(t *testing.T) {
	tests := map[string]struct {
		entries, parallel, pieces, sample int
	}{
		"small":     {2*pieceBlock - 1, 4, 0, 0},
		"one":       {2 * pieceBlock, 1, 2, 3},
		"two":       {10 * pieceBlock, 2, 3, 3},
		"many":      {20 * pieceBlock, 100, maxPieces + 1, 3},
		"few":       {2 * pieceBlock, 8, 3, 3},
		"no number": {2 * pieceBlock, 0, 2, 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := manyEntries("out[i] = in[i];", []string{"float", "half", "int"}, test.entries)
			_, text, _ = strings.Cut(text, "\n")
			tokens, ok, _ := msl.Lex(t.Context(), "# 1 \"t.metal\"\n"+text)
			if !ok {
				t.Fatal("cannot divide the text into tokens")
			}
			u, err := msl.Translate(t.Context(), "t.metal", tokens, cpu.Target{}.Names())
			if err != nil {
				t.Fatal(err)
			}
			pieces := pieces(u, test.parallel)
			if len(pieces) != test.pieces {
				t.Fatalf("%d pieces, want %d", len(pieces), test.pieces)
			}
			if len(pieces) == 0 {
				return
			}
			if len(pieces[0]) != test.sample {
				t.Errorf("sample %v, want %d", pieces[0], test.sample)
			}
			all := slices.Concat(pieces...)
			slices.Sort(all)
			if !isRange(all, test.entries) {
				t.Errorf("the pieces do not hold each entry once: %v", all)
			}
		})
	}
}

func isRange(list []int, n int) bool {
	for i, v := range list {
		if v != i {
			return false
		}
	}
	return len(list) == n
}

// checkedWhole compiles a source as if it were a small one.
func checkedWhole(t *testing.T, text string) (*Library, []int, error) {
	t.Helper()
	b, err := testCompiler(t).build(Options{Cache: sharedCache})
	if err != nil {
		t.Fatal(err)
	}
	s := msl.Source{Name: "many.metal", Text: text}
	l := &Library{build: b, name: s.Name, source: s}
	if err := l.translate(t.Context()); err != nil {
		t.Fatal(err)
	}
	check, err := l.checker(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := l.checkWhole(t.Context(), check)
	return l, fixed, err
}

func TestErrorsInPieces(t *testing.T) {
	const n = 5 * pieceBlock
	types := []string{"float", "half", "bfloat"}
	tests := map[string]struct {
		body, message string
		line          int
	}{
		"last instance":  {"static_assert(N != 319, \"the last\");\nout[i] = in[i];", "the last", 5},
		"some instances": {"out[i] = in[i];\nif (N % 100 == 99) out[i] = in + N;", "incompatible type", 6},
		"all parse":      {"out[i] = nothing;", "nothing", 5},
		"behind a fix":   {"out[i] = N > 1 ? in[i] : T(1);\nstatic_assert(N < 300, \"too large\");", "too large", 6},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := manyEntries(test.body, types, n)
			_, _, wantErr := checkedWhole(t, text)
			var want, got *msl.CompileError
			if !errors.As(wantErr, &want) {
				t.Fatalf("whole: %v", wantErr)
			}
			for range 2 {
				_, err := testCompiler(t).Compile(t.Context(), msl.Source{Name: "many.metal", Text: text}, Options{Cache: sharedCache})
				if !errors.As(err, &got) || !reflect.DeepEqual(got.Diagnostics, want.Diagnostics) {
					t.Fatalf("in pieces:\n%v\nwhole:\n%v", err, want)
				}
			}
			if d := got.Diagnostics[0]; d.Line != test.line || !strings.Contains(d.Message, test.message) {
				t.Errorf("first is %v, want line %d: %s", d, test.line, test.message)
			}
		})
	}
}

func checkText(l *Library) string {
	text := l.unit.EmitChecks(cpu.Target{}, nil)
	return text.String()
}

// Conditional expressions are fixed alike, including those that no sample contains.
func TestFixesInPieces(t *testing.T) {
	const n = 4 * pieceBlock
	tests := map[string]struct {
		body  string
		fixes int
	}{
		"none":      {"out[i] = in[i];", 0},
		"of a type": {"out[i] = N > 1 ? in[i] : T(1);", 1},
		"of a number": {
			"typedef conditional_t<N == 200, bfloat, float> X;\ndevice const X *p = (device const X *)in;\nout[i] = T(float(N > 1 ? p[i] : X(1)));", 1,
		},
		"one in another": {"out[i] = N > 1 ? (N > 2 ? in[i] : T(2)) : T(1);", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := manyEntries(test.body, []string{"float", "bfloat"}, n)
			want, fixed, err := checkedWhole(t, text)
			if err != nil {
				t.Fatal(err)
			}
			cache := sharedCache
			var got *Library
			for range 2 { // the second time from the cache
				got, err = testCompiler(t).Compile(t.Context(), msl.Source{Name: "many.metal", Text: text}, Options{Cache: cache})
				if err != nil {
					t.Fatal(err)
				}
				if checkText(got) != checkText(want) {
					t.Error("the texts differ")
				}
			}
			if len(fixed) != test.fixes {
				t.Errorf("fixed %v, want %d", fixed, test.fixes)
			}
		})
	}
}

func TestPiecesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := manyEntries("out[i] = in[i];", []string{"float"}, 4*pieceBlock)
	_, err := testCompiler(t).Compile(ctx, msl.Source{Name: "many.metal", Text: text}, Options{Cache: sharedCache})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the context ended", err)
	}
}

// Kernels of one type share the check of how their arguments are fetched; each still has its own error.
func TestErrorsOfEachKernel(t *testing.T) {
	const head = "(device float * restrict x [[buffer(0)]], uint i [[thread_position_in_grid]]) {}"
	_, err := compileText(t, "kernel void a"+head+"\nkernel void b"+head)
	var compile *msl.CompileError
	if !errors.As(err, &compile) {
		t.Fatal(err)
	}
	var got []int
	for _, d := range compile.Diagnostics {
		if strings.Contains(d.Message, "one kind for each parameter") {
			got = append(got, d.Line)
		}
	}
	if !slices.Equal(got, []int{3, 4}) {
		t.Errorf("errors in lines %v, want 3 and 4: %v", got, err)
	}
}
