package shaders

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestConstantsKey(t *testing.T) {
	for _, c := range []struct {
		c    Constants
		want string
	}{
		{nil, ""}, {Constants{}, ""}, {Constants{"a": 0}, ""}, {Constants{"b": 2, "a": 1, "c": 0}, "a=1,b=2"},
	} {
		if got := c.c.Key(); got != c.want {
			t.Errorf("%v: key %q, want %q", c.c, got, c.want)
		}
	}
}

func TestEncodeParams(t *testing.T) {
	got := EncodeParams(struct {
		N uint32
		S float32
	}{0x01020304, 1})
	want := []byte{4, 3, 2, 1, 0, 0, 0x80, 0x3F} // the machines that Assay runs on are little-endian
	if !bytes.Equal(got, want) {
		t.Errorf("encoded as %x, want %x", got, want)
	}
}

// scaler is an implementation of x := 2·x with a constant and a tunable, in place.
func scaler(t *testing.T) *Impl {
	t.Helper()
	source, err := UserSource("scale.metal", "#include \"common.h\"\nkernel void scale() {}\n")
	if err != nil {
		t.Fatal(err)
	}
	n := func(c Call) int { return int(c.Params.(struct{ N uint32 }).N) }
	op := &Op{
		Name: "scale", Params: struct{ N uint32 }{},
		Args:      []Arg{{Name: "x", Type: Var, Access: InOut, Len: n}},
		Constants: []Constant{{Name: "negate", Index: 0, Max: 1}},
		Reference: func(_ Call, args []View, _, i int) Value { return Value{Want: 2 * args[0].At(i)} },
		Tolerance: func(Call) Tolerance { return Tolerance{} },
	}
	return &Impl{
		Op: op, Name: "own", Types: []Type{F32, BF16}, Source: source, Constants: op.Constants,
		Tunables: []Tunable{
			{Name: "threads", Index: LaunchOnly, Values: []int32{32, 64}, Default: 64},
			{Name: "rows", Index: 3, Values: []int32{1, 2, 4}, Default: 2},
		},
		Launch: func(c Call, _ Limits) Launch {
			threads := uint32(c.Constants["threads"])
			return Launch{Groups: [3]uint32{1, 1, 1}, Threads: [3]uint32{threads, 1, 1}, Shared: []int{int(16 * threads)}}
		},
	}
}

func TestTunables(t *testing.T) {
	plain := scaler(t).Kernel(F32)
	for _, c := range []struct {
		given   Constants
		key     string
		threads uint32
		rows    int32
	}{
		{nil, "", 64, 2},
		{Constants{"threads": 64, "rows": 2, "negate": 0}, "", 64, 2},
		{Constants{"threads": 32, "rows": 4, "negate": 1}, "negate=1,rows=4,threads=32", 32, 4},
	} {
		k := plain.With(c.given)
		l, err := k.Launch(struct{ N uint32 }{1}, Limits{})
		if err != nil || k.CheckConstants() != nil || k.Key() != c.key || l.Threads[0] != c.threads {
			t.Errorf("%v: key %q, %d threads, %v, %v", c.given, k.Key(), l.Threads[0], err, k.CheckConstants())
		}
		values := k.Values() // threads is not a function constant
		if len(values) != 2 || values[1] != (ConstantValue{Name: "rows", Index: 3, Type: intConstant, Value: c.rows}) {
			t.Errorf("%v: values %+v", c.given, values)
		}
		if !maps.Equal(k.Constants(), c.given) {
			t.Errorf("%v: constants %v", c.given, k.Constants())
		}
	}
	for _, c := range []Constants{{"threads": 48}, {"rows": 0}, {"negate": 2}, {"other": 1}} {
		if k := plain.With(c); k.CheckConstants() == nil {
			t.Errorf("%v passes", c)
		}
	}
}

// The attribute is not a function constant; it is part of the key unless it is the default, and a limit of launches.
func TestAttributeIsTunable(t *testing.T) {
	m := scaler(t)
	m.Tunables = append(m.Tunables, AttributeTunable(0))
	m.MaxThreads = func(c Constants) int { return int(c["threads"]) / 2 } // fewer than it is launched with
	off, on := m.Kernel(F32), m.Kernel(F32).With(Constants{BoundThreads: 1})
	if off.MaxThreads() != 0 || on.MaxThreads() != 32 || on.Key() != "attribute=1" || len(on.Values()) != len(off.Values()) {
		t.Errorf("off %d, on %d, key %q, values %+v", off.MaxThreads(), on.MaxThreads(), on.Key(), on.Values())
	}
	if _, err := off.Launch(struct{ N uint32 }{1}, Limits{}); err != nil {
		t.Errorf("without the attribute: %v", err)
	}
	for _, l := range []Limits{{}, {Threads: 1024}} {
		if _, err := on.Launch(struct{ N uint32 }{1}, l); err == nil || !strings.Contains(err.Error(), "allows 32") {
			t.Errorf("a launch of more threads with limits %+v: %v", l, err)
		}
	}
	if k := m.Kernel(F32).With(Constants{BoundThreads: 2}); k.CheckConstants() == nil {
		t.Error("an attribute of 2 passes")
	}
}

// Values have the bytes of their type, and those that a user's source fixes are part of the key.
func TestConstantValues(t *testing.T) {
	m := scaler(t)
	m.Fixed = []ConstantValue{{Name: "half_one", Index: 7, Type: "half", Other: "\x00\x3c"}}
	k := m.Kernel(F32).With(Constants{"negate": 1, "rows": 4})
	var got [][]byte
	for _, v := range k.Values() {
		got = append(got, v.Bytes())
	}
	if want := [][]byte{{1}, {4, 0, 0, 0}, {0, 0x3c}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if want := "negate=1,rows=4,half_one=half:003c"; k.Key() != want || !strings.Contains(k.ID(), want) {
		t.Errorf("key %q, ID %q", k.Key(), k.ID())
	}
	plain := m.Kernel(F32)
	if want := "half_one=half:003c"; plain.Key() != want {
		t.Errorf("key %q", plain.Key())
	}
}

// An argument's type follows from the kernel's type and from the constant that makes it f16, regardless of earlier constants.
func TestConstantMakesArgumentsHalf(t *testing.T) {
	m := scaler(t)
	m.Op.Args = append(m.Op.Args, Arg{Name: "scale", Half: "negate", Len: m.Op.Args[0].Len})
	k := m.Kernel(BF16)
	half := k.With(Constants{"negate": 1})
	for _, c := range []struct {
		k     Kernel
		want  Type
		bytes int
	}{{k, F32, 20}, {half, F16, 10}, {half.With(nil), F32, 20}} {
		if got := c.k.Args[1].Type; got != c.want || c.k.Bytes(1, struct{ N uint32 }{5}) != c.bytes || c.k.Args[0].Type != BF16 {
			t.Errorf("{%s}: arguments of %v and %v, want bf16 and %v", c.k.Key(), c.k.Args[0].Type, got, c.want)
		}
	}
}

func TestLaunchIsChecked(t *testing.T) {
	k := scaler(t).Kernel(F32)
	for _, c := range []struct {
		limits Limits
		word   string // empty: allowed
	}{
		{Limits{}, ""},
		{Limits{Threads: 64, Shared: 1024}, ""},
		{Limits{Threads: 63, Shared: 1024}, "the pipeline allows 63"},
		{Limits{Threads: 64, Shared: 1023}, "1024 B of threadgroup memory, the device has 1023 B"},
	} {
		_, err := k.Launch(struct{ N uint32 }{1}, c.limits)
		if (err == nil) != (c.word == "") || err != nil && !strings.Contains(err.Error(), c.word) {
			t.Errorf("%+v: %v, want %q", c.limits, err, c.word)
		}
	}
}

func TestNeeds(t *testing.T) {
	m := scaler(t)
	m.Needs = SIMDGroupMatrix
	for kind, want := range map[Type]Feature{F32: SIMDGroupMatrix, BF16: SIMDGroupMatrix | BFloat} {
		k := m.Kernel(kind)
		if got := k.Needs(); got != want {
			t.Errorf("%v needs %b, want %b", kind, got, want)
		}
	}
}

// TestInOutIsVerifiedAgainstWhatItHeld: the reference reads the argument's previous content, and without that nothing is reported
// as correct.
func TestInOutIsVerifiedAgainstWhatItHeld(t *testing.T) {
	k := scaler(t).Kernel(F32)
	before, after := View{Type: F32, Data: make([]byte, 8)}, View{Type: F32, Data: make([]byte, 8)}
	for i, x := range []float64{3, -4} {
		before.Set(i, x)
		after.Set(i, 2*x)
	}
	p := struct{ N uint32 }{2}
	after.Before = before.Data
	if res := k.Verify(p, []View{after}, 0, 0); !res.OK() || res.Checked != 2 {
		t.Errorf("right: %+v", res)
	}
	after.Set(1, 7)
	if res := k.Verify(p, []View{after}, 0, 0); !strings.Contains(res.Failure, "x[1] is 7, want -8") {
		t.Errorf("wrong: %+v", res)
	}
	after.Before = nil
	if res := k.Verify(p, []View{after}, 0, 0); !strings.Contains(res.Failure, "what argument x held before is not known") {
		t.Errorf("nothing known: %+v", res)
	}
	if out := k.Outputs(); len(out) != 1 || out[0] != 0 {
		t.Errorf("outputs %v", out)
	}
}

// TestUnwrittenInOutIsFound: a single one of very many elements that still has its previous value is compared, regardless of the
// seed.
func TestUnwrittenInOutIsFound(t *testing.T) {
	const n, left = 1 << 16, 40_001
	k := scaler(t).Kernel(F32)
	before, after := View{Type: F32, Data: make([]byte, 4*n)}, View{Type: F32, Data: make([]byte, 4*n)}
	for i := range n {
		before.Set(i, float64(i%100)) // twice zero is zero: some are correct although they did not change
		after.Set(i, 2*float64(i%100))
	}
	after.Before = before.Data
	p := struct{ N uint32 }{n}
	for seed := range uint64(5) {
		if res := k.Verify(p, []View{after}, n/64, seed); !res.OK() || res.Checked <= n/64 {
			t.Errorf("right: %+v", res)
		}
	}
	after.Set(left, before.At(left))
	for seed := range uint64(5) {
		if res := k.Verify(p, []View{after}, n/64, seed); !strings.Contains(res.Failure, "x[40001] is 1, want 2") {
			t.Errorf("one element was not written: %+v", res)
		}
	}
}

// TestPickedElementsDiffer: both ends are among them, and none is compared twice.
func TestPickedElementsDiffer(t *testing.T) {
	for _, n := range []int{1, 5, 256, 257, 300, 1 << 20} {
		for seed := range uint64(3) {
			idx := pick(n, 256, seed)
			slices.Sort(idx)
			if len(slices.Compact(slices.Clone(idx))) != min(n, 256) || len(idx) != min(n, 256) || idx[0] != 0 || idx[len(idx)-1] != n-1 {
				t.Errorf("of %d elements %d are compared, from %d to %d", n, len(idx), idx[0], idx[len(idx)-1])
			}
		}
	}
}

func TestUserSourceIsInTheID(t *testing.T) {
	m := scaler(t)
	k := m.Kernel(F32)
	if want := "scale/own/f32#" + m.Source.Hash()[:8]; k.ID() != want || k.Name != "scale_own_f32" {
		t.Errorf("%s, ID %s; want %s", k.Name, k.ID(), want)
	}
	m.Entry = "my_scale"
	if k := m.Kernel(F32); k.Name != "my_scale" {
		t.Errorf("entry point %s", k.Name)
	}
}

func TestSourcesIncludeHeaders(t *testing.T) {
	text := "// first\n#include \"tile.h\"\n#include <metal_stdlib>\n#include \"tile.h\"\nlast\n"
	s := Embedded(fstest.MapFS{"x.metal": {Data: []byte(text)}}, "x.metal")
	got := s.Text()
	if strings.Contains(got, `include "`) || strings.Count(got, "struct Sums {") != 1 {
		t.Errorf("the header is not in place of its line, once:\n%s", got)
	}
	if !strings.HasPrefix(got, "#line 1 \"x.metal\"\n// first\n#line 1 \"include/tile.h\"\n") ||
		!strings.HasSuffix(got, "#line 3 \"x.metal\"\n#include <metal_stdlib>\n#line 5 \"x.metal\"\nlast\n") {
		t.Errorf("lines are not the files' own:\n%s", got)
	}
	if s.User() || len(s.Hash()) != 64 {
		t.Errorf("user %v, hash %q", s.User(), s.Hash())
	}
	if _, err := UserSource("mine.metal", "\n#include \"no_such.h\"\n"); err == nil || !strings.Contains(err.Error(), "mine.metal:2") {
		t.Errorf("a missing header: %v", err)
	}
}

// A user's headers come before the shared ones: once if they request that, otherwise each time.
func TestUserSourcesIncludeTheirHeaders(t *testing.T) {
	files := map[string]string{
		"k/once.h": "#pragma once\n#include \"deep/each.h\"\nonce\n", "k/deep/each.h": "#include \"beside.h\"\neach\n", "k/deep/beside.h": "beside\n",
		"k/self.h": "#include \"self.h\"\n", "k/twice.h": strings.Repeat("x", 1<<20) + "\n#include \"twice.h\"\n#include \"twice.h\"\n",
	}
	open := func(included, from string) (File, error) {
		name := path.Join(path.Dir(from), included)
		if text, ok := files[name]; ok {
			return File{name, text}, nil
		}
		return File{}, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	s, err := UserSourceWith("k/k.metal", "#include \"once.h\"\n#include \"once.h\"\n#include \"deep/each.h\"\n#include \"tile.h\"\n#include \"none.h\"\n", open)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]int{"\nonce\n": 1, "\neach\n": 2, "\nbeside\n": 2, "struct Sums {": 1, "#include \"none.h\"\n": 1, "#line 1 \"k/deep/beside.h\"\n": 2} {
		if got := strings.Count(s.Text(), word); got != want {
			t.Errorf("%q is there %d times, want %d:\n%s", word, got, want, s.Text())
		}
	}
	if n := len(s.Files()); n != 5 {
		t.Errorf("%d files, want the source, three headers and tile.h", n)
	}
	for name, want := range map[string]string{"self.h": "nested more than 200 deep", "twice.h": "more than 64 MiB"} {
		if _, err := UserSourceWith("k/k.metal", "#include \""+name+"\"\n", open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestCatalogRefusesTwins(t *testing.T) {
	m := scaler(t)
	if _, err := NewCatalog([]*Impl{m}, []*Impl{m}); err == nil || !strings.Contains(err.Error(), "scale_own_f32") {
		t.Errorf("two kernels of one name: %v", err)
	}
}
