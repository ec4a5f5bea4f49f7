package workloads

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// specimens has one parameter of each type.
func specimens() []Param {
	return []Param{
		{Name: "n", Type: Int, Unit: "rows", Min: 1, Max: 100, Default: 5},
		{Name: "x", Type: Float, Unit: "dB", Min: -1.5, Max: 2.5, Default: 0.5},
		{Name: "on", Type: Bool, Default: true},
		{Name: "kind", Type: Choice, Choices: []string{"a", "b"}, Default: "a"},
		{Name: "file", Type: File, Default: ""},
		{Name: "text", Type: Text, Default: ""},
	}
}

func specimen(t testing.TB, name string) *Param {
	t.Helper()
	w := Workload{Name: "w", Params: specimens()}
	p, err := w.Param(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParamParse(t *testing.T) {
	for _, tc := range []struct {
		param, in string
		want      any
	}{
		{"n", "1", 1},
		{"n", " 100 ", 100},
		{"x", "-1.5", -1.5},
		{"x", "2.5e0", 2.5},
		{"on", "true", true},
		{"on", "0", false},
		{"kind", "b", "b"},
		{"file", "/a b/c", "/a b/c"},
		{"file", "", ""},
		{"text", " kept ", " kept "},
	} {
		p := specimen(t, tc.param)
		got, err := p.Parse(tc.in)
		if err != nil || got != tc.want {
			t.Errorf("%s = %q: %v, %v; want %v", tc.param, tc.in, got, err, tc.want)
		}
		if again, err := p.Parse(p.Format(got)); err != nil || again != got {
			t.Errorf("%s = %v does not survive Format: %v, %v", tc.param, got, again, err)
		}
	}
}

func TestParamParseRefuses(t *testing.T) {
	for _, tc := range []struct{ param, in, want string }{
		{"n", "0", "n is 0, want a whole number from 1 to 100 rows"},
		{"n", "101", "n is 101, want a whole number from 1 to 100 rows"},
		{"n", "", `n is "", want a whole number`},
		{"n", "1.5", `n is "1.5", want a whole number`},
		{"n", "99999999999999999999", "want a whole number from 1 to 100 rows"},
		{"x", "2.6", "x is 2.6, want a number from -1.5 to 2.5 dB"},
		{"x", "NaN", "x is NaN, want a number"},
		{"x", "+Inf", "x is +Inf, want a number"},
		{"x", "one", `x is "one", want a number`},
		{"on", "maybe", `on is "maybe", want true or false`},
		{"kind", "c", "kind is c, want one of a, b"},
		{"kind", "", "want one of a, b"},
	} {
		if v, err := specimen(t, tc.param).Parse(tc.in); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s = %q: %v, %v; want an error with %q", tc.param, tc.in, v, err, tc.want)
		}
	}
}

func TestParamCheckRefusesOtherTypes(t *testing.T) {
	values := map[Type]any{Int: 5, Float: 0.5, Bool: true, Choice: "a", File: "f", Text: "t"}
	texts := []Type{Choice, File, Text}
	for _, p := range specimens() {
		for typ, v := range values {
			fits := p.Type == typ || slices.Contains(texts, p.Type) && slices.Contains(texts, typ) && (p.Type != Choice || v == "a")
			if err := p.Check(v); (err == nil) != fits {
				t.Errorf("%s takes %T(%v): %v", p.Type, v, v, err)
			}
		}
		for _, v := range []any{nil, int64(5), float32(0.5), []string{"a"}} {
			if p.Check(v) == nil {
				t.Errorf("%s takes %T(%v)", p.Type, v, v)
			}
		}
	}
}

func FuzzParam(f *testing.F) {
	for _, s := range []string{"", "1", "100", "-1", "1e3", "0x10", "NaN", "Inf", "true", "a", "a\x00b", "٣", "1_000", "5 "} {
		for i := range specimens() {
			f.Add(i, s)
		}
	}
	f.Fuzz(func(t *testing.T, which int, s string) {
		all := specimens()
		p := &all[uint(which)%uint(len(all))]
		v, err := p.Parse(s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), p.Name+" is ") || !strings.Contains(err.Error(), p.Range()) {
				t.Fatalf("error %q names neither the parameter nor the range", err)
			}
			return
		}
		if err := p.Check(v); err != nil {
			t.Fatalf("parsed, yet refused: %v", err)
		}
		if again, err := p.Parse(p.Format(v)); err != nil || again != v {
			t.Fatalf("%v does not survive Format: %v, %v", v, again, err)
		}
	})
}

func TestDefaultsAreValid(t *testing.T) {
	for _, w := range All() {
		for _, quick := range []bool{false, true} {
			if err := w.Check(w.Defaults(quick)); err != nil {
				t.Errorf("quick %v: %v", quick, err)
			}
		}
		for name := range w.Quick {
			if _, err := w.Param(name); err != nil {
				t.Error(err)
			}
		}
	}
}

// Forms, flags and CSV columns come from the descriptions, which must be whole.
func TestWorkloadsAreDescribed(t *testing.T) {
	sentence := func(s string) bool {
		return len(s) > 10 && strings.HasSuffix(s, ".") && strings.ToUpper(s[:1]) == s[:1]
	}
	name := func(s string) bool {
		return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && s[0] >= 'a'
	}
	for _, w := range All() {
		if !name(w.Name) || w.Title == "" || w.Group == "" || !sentence(w.About) || w.Run == nil {
			t.Errorf("workload %q is not described", w.Name)
		}
		seen := map[string]bool{}
		for _, p := range w.Params {
			if !name(p.Name) || seen[p.Name] || p.Title == "" || !sentence(p.About) {
				t.Errorf("%s: parameter %q is not described or occurs twice", w.Name, p.Name)
			}
			seen[p.Name] = true
			if (p.Type == Int || p.Type == Float) && (p.Min >= p.Max || p.Unit == "") {
				t.Errorf("%s: %s has the range %g…%g and the unit %q", w.Name, p.Name, p.Min, p.Max, p.Unit)
			}
		}
		for _, a := range w.Axes {
			if !name(a.Name) || a.Title == "" {
				t.Errorf("%s: axis %q is not described", w.Name, a.Name)
			}
		}
	}
}

func TestCheckNamesTheFault(t *testing.T) {
	for _, tc := range []struct {
		workload string
		set      Values
		want     string
	}{
		{"batching", Values{"min_size": 512, "max_size": 256}, "min_size is 512, above max_size, which is 256"},
		{"batching", Values{"knee": math.NaN()}, "knee is NaN, want a number from 0.5 to 0.99"},
		{"batching", Values{"sise": 3}, `has no parameter "sise"; it has sweep, dtype`},
		{"fusion", Values{"min_size": 2048}, "min_size is 2048, above max_size"},
		{"fusion", Values{"min_elements": 1 << 26, "max_elements": 5}, "above max_elements"},
		{"fusion", Values{"pattern": "x"}, "pattern is x, want one of all, matmul+bias"},
		{"quantization", Values{"weights": "file"}, "weights is file, but no file is given"},
		{"quantization", Values{"min_block": 48}, "min_block: block of 48, want a power of two from 32 to 256"},
		{"quantization", Values{"min_block": 256, "max_block": 64}, "min_block is 256, above max_block, which is 64"},
		{"quantization", Values{"max_block": 512}, "max_block is 512, want a whole number from 32 to 256"},
		{"leak", Values{"rate": -1.0}, "rate is -1, want a number from 0 to 1000 MB/s"},
	} {
		w, err := Find(All(), tc.workload)
		if err != nil {
			t.Fatal(err)
		}
		v := w.Defaults(false)
		for name, x := range tc.set {
			v[name] = x
		}
		err = w.Check(v)
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), tc.workload) {
			t.Errorf("%s %v: %v, want %q", tc.workload, tc.set, err, tc.want)
		}
	}
	w := Batching()
	v := w.Defaults(false)
	delete(v, "width")
	if err := w.Check(v); err == nil || !strings.Contains(err.Error(), "no value for width") {
		t.Errorf("a missing value: %v", err)
	}
	if _, err := Find(All(), "fusoin"); err == nil || !strings.Contains(err.Error(), "there are batching, fusion, quantization, leak") {
		t.Errorf("a missing workload: %v", err)
	}
	if got := Suite(All()); !slices.Equal(got, []string{"batching", "fusion", "quantization"}) {
		t.Errorf("the suite is %v", got)
	}
}

func TestSweeps(t *testing.T) {
	for _, tc := range []struct {
		lo, hi  int
		doubled []int
		tenfold []int
	}{
		{1, 1, []int{1}, []int{1}},
		{1, 8, []int{1, 2, 4, 8}, []int{1, 8}},
		{64, 300, []int{64, 128, 256, 300}, []int{64, 300}},
		{3, 100, []int{3, 4, 8, 16, 32, 64, 100}, []int{3, 30, 100}},
		{1000, 100_000, nil, []int{1000, 10_000, 100_000}},
	} {
		if got := powers(tc.lo, tc.hi); tc.doubled != nil && !slices.Equal(got, tc.doubled) {
			t.Errorf("powers(%d, %d) = %v, want %v", tc.lo, tc.hi, got, tc.doubled)
		}
		if got := decades(tc.lo, tc.hi); !slices.Equal(got, tc.tenfold) {
			t.Errorf("decades(%d, %d) = %v, want %v", tc.lo, tc.hi, got, tc.tenfold)
		}
	}
	for lo := 1; lo < 130; lo++ {
		for hi := lo; hi < 300; hi++ {
			s := powers(lo, hi)
			if s[0] != lo || s[len(s)-1] != hi || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != len(s) {
				t.Fatalf("powers(%d, %d) = %v", lo, hi, s)
			}
		}
	}
}
