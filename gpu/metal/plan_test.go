package metal

import (
	"reflect"
	"testing"

	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
)

func named(names ...string) []step {
	var steps []step
	for _, n := range names {
		kind := serialSegment
		if n == "mps" {
			kind = librarySegment
		}
		steps = append(steps, step{name: n, kind: kind})
	}
	return steps
}

func TestSegments(t *testing.T) {
	steps := named("add", "add", "gelu", "mps", "mps", "add")
	cases := []struct {
		name             string
		concurrent, each bool
		want             []segment
	}{
		{"serial", false, false, []segment{
			{0, 3, serialSegment, "add ×2, gelu"},
			{3, 2, librarySegment, "mps ×2"},
			{5, 1, serialSegment, "add"},
		}},
		{"concurrent", true, false, []segment{
			{0, 3, concurrentSegment, "add ×2, gelu"},
			{3, 2, librarySegment, "mps ×2"},
			{5, 1, concurrentSegment, "add"},
		}},
		{"each its own", false, true, []segment{
			{0, 1, serialSegment, "add"},
			{1, 1, serialSegment, "add"},
			{2, 1, serialSegment, "gelu"},
			{3, 1, librarySegment, "mps"},
			{4, 1, librarySegment, "mps"},
			{5, 1, serialSegment, "add"},
		}},
	}
	for _, c := range cases {
		if got := segments(steps, c.concurrent, c.each); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := segments(nil, false, false); len(got) != 0 {
		t.Errorf("no steps: %+v", got)
	}
}

func TestSummary(t *testing.T) {
	for want, steps := range map[string][]step{
		"nothing":                  nil,
		"a":                        named("a"),
		"a ×2, b":                  named("a", "b", "a"),
		"a, b, c, d":               named("a", "b", "c", "d"),
		"a, b, c, d, and 2 others": named("a", "b", "c", "d", "e", "f"),
	} {
		if got := summary(steps); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBarriers(t *testing.T) {
	x, y, z := new(int), new(int), new(int)
	read := func(b any) use { return use{Buffer: b} }
	write := func(b any) use { return use{Buffer: b, Write: true} }
	cases := []struct {
		name string
		uses [][]use
		want []bool
	}{
		{"readers side by side", [][]use{{read(x), write(y)}, {read(x), write(z)}}, []bool{false, false}},
		{"read after write", [][]use{{write(x)}, {read(x), write(y)}}, []bool{false, true}},
		{"write after read", [][]use{{read(x), write(y)}, {write(x)}}, []bool{false, true}},
		{"write after write", [][]use{{write(x)}, {write(x)}}, []bool{false, true}},
		{
			"one barrier serves all before it",
			[][]use{{write(x)}, {write(y)}, {read(x)}, {read(y)}},
			[]bool{false, false, true, false},
		},
		{
			"a chain",
			[][]use{{read(x), write(y)}, {read(y), write(x)}, {read(x), write(y)}},
			[]bool{false, true, true},
		},
	}
	for _, c := range cases {
		var steps []step
		for _, u := range c.uses {
			steps = append(steps, step{name: "k", uses: u})
		}
		if got := barriers(steps, segments(steps, true, false)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for i, b := range barriers(steps, segments(steps, false, false)) {
			if b {
				t.Errorf("%s: a barrier before step %d of a serial encoder", c.name, i)
			}
		}
	}
}

// An encoder waits for the one before it without a barrier.
func TestBarriersEndWithTheEncoder(t *testing.T) {
	x := new(int)
	steps := []step{
		{name: "k", uses: []use{{Buffer: x, Write: true}}},
		{name: "mps", kind: librarySegment, uses: []use{{Buffer: x}}},
		{name: "k", uses: []use{{Buffer: x, Write: true}}},
	}
	if got := barriers(steps, segments(steps, true, false)); got[0] || got[1] || got[2] {
		t.Errorf("barriers %v in encoders of one step each", got)
	}
}

func TestNothing(t *testing.T) {
	for _, c := range []struct {
		groups, threads [3]uint32
		want            bool
	}{
		{[3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, false},
		{[3]uint32{0, 1, 1}, [3]uint32{32, 1, 1}, true},
		{[3]uint32{1, 1, 0}, [3]uint32{32, 1, 1}, true},
		{[3]uint32{1, 1, 1}, [3]uint32{32, 0, 1}, true},
	} {
		if got := nothing(shaders.Launch{Groups: c.groups, Threads: c.threads}); got != c.want {
			t.Errorf("%v groups of %v threads: %v, want %v", c.groups, c.threads, got, c.want)
		}
	}
}

func TestLibrarySpec(t *testing.T) {
	k := catalog.MustFind("matmul_mps_f16")
	k = k.With(shaders.Constants{gemm.TransposeB: 1})
	got := specOf(&k).sized(&k, gemm.MatmulParams{M: 2, N: 3, K: 4, Batch: 1})
	f16 := uint32(shaders.F16)
	want := librarySpec{op: "matmul", dims: []uint32{2, 3, 4, 1}, types: []uint32{f16, f16, f16}, constants: []int32{1, 0}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	keys := map[string]bool{}
	for _, name := range []string{"matmul_mps_f32", "matmul_mps_f16"} {
		k := catalog.MustFind(name)
		for _, transposed := range []int32{0, 1} {
			k := k.With(shaders.Constants{gemm.TransposeB: transposed})
			for _, p := range []gemm.MatmulParams{{M: 2, N: 3, K: 4, Batch: 1}, {M: 4, N: 3, K: 2, Batch: 1}, {M: 23, N: 4, K: 1, Batch: 1}} {
				keys[specOf(&k).sized(&k, p).key()] = true
			}
		}
	}
	if len(keys) != 12 {
		t.Errorf("%d keys for 12 handles: %v", len(keys), keys)
	}
}

func TestWrites(t *testing.T) {
	k := catalog.MustFind("matmul_mps_f32")
	for p, want := range map[gemm.MatmulParams]bool{
		{M: 1, N: 1, K: 1, Batch: 1}: true, {M: 1, N: 1, Batch: 1}: true, {N: 1, K: 1, Batch: 1}: false, {M: 1, K: 1, Batch: 1}: false,
	} {
		if got := writes(&k, p); got != want {
			t.Errorf("%+v: %v", p, got)
		}
	}
}

func TestWindow(t *testing.T) {
	for _, c := range []struct{ off, n, from, bytes int }{
		{0, 4, 0, 4}, {0, 1, 0, 4}, {33, 27, 32, 28}, {3, 2, 0, 8}, {8, 8, 8, 8}, {7, 1, 4, 4},
	} {
		from, bytes := window(c.off, c.n)
		if from != c.from || bytes != c.bytes {
			t.Errorf("%d B at %d: %d B at %d, want %d B at %d", c.n, c.off, bytes, from, c.bytes, c.from)
		}
	}
}

func TestTraceCommand(t *testing.T) {
	want := "xcrun xctrace record --template 'Metal System Trace' --attach 4711 --time-limit 10s --output run.trace"
	if got := traceCommand(4711, 10, "run.trace"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for text, want := range map[string]string{"": "''", "a b.trace": "'a b.trace'", "it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := shellQuote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
