package workloads

import (
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
		{Name: "kind", Type: Choice, Choices: Options("a", "b"), Default: "a"},
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
		{"n", "0", "n must be a whole number from 1 to 100 rows (you entered 0)"},
		{"n", "101", "n must be a whole number from 1 to 100 rows (you entered 101)"},
		{"n", "", "n must be a whole number"},
		{"n", "1.5", `rows (you entered "1.5")`},
		{"n", "1,000", `rows, without commas (you entered "1,000")`},
		{"n", "99999999999999999999", "must be a whole number from 1 to 100 rows"},
		{"x", "2.6", "x must be a number from -1.5 to 2.5 dB (you entered 2.6)"},
		{"x", "NaN", "dB (you entered NaN)"},
		{"x", "+Inf", "dB (you entered +Inf)"},
		{"x", "one", `dB (you entered "one")`},
		{"on", "maybe", `on must be true or false (you entered "maybe")`},
		{"kind", "c", `kind must be one of a, b (you entered "c")`},
		{"kind", "", "must be one of a, b"},
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
				t.Errorf("%s accepts %T(%v): %v", p.Type, v, v, err)
			}
		}
		for _, v := range []any{nil, int64(5), float32(0.5), []string{"a"}} {
			if p.Check(v) == nil {
				t.Errorf("%s accepts %T(%v)", p.Type, v, v)
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
			if !strings.HasPrefix(err.Error(), p.Name+" must be ") || !strings.Contains(err.Error(), p.Range()) {
				t.Fatalf("error %q names neither the parameter nor the range", err)
			}
			return
		}
		if err := p.Check(v); err != nil {
			t.Fatalf("parsed, but rejected: %v", err)
		}
		if again, err := p.Parse(p.Format(v)); err != nil || again != v {
			t.Fatalf("%v does not survive Format: %v, %v", v, again, err)
		}
	})
}

func TestValueWithUnit(t *testing.T) {
	for _, c := range [][3]string{
		{"1", "items", "1 item"},
		{"2", "items", "2 items"},
		{"1", "s", "1 s"},
		{"1", "rows", "1 row"},
		{"1", "", "1"},
		{"10", "layers", "10 layers"},
		{"1", "1/s", "1 1/s"},
		{"1", "MB/s", "1 MB/s"},
		{"", "items", "items"},
	} {
		if got := WithUnit(c[0], c[1]); got != c[2] {
			t.Errorf("%q of %q is %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestWordsOfZero(t *testing.T) {
	p := Param{Name: "max_latency", Type: Float, Unit: "ms", Zero: "no limit"}
	if p.Words(0.0) != "no limit" || p.Words(10.0) != "10 ms" {
		t.Errorf("%q, %q", p.Words(0.0), p.Words(10.0))
	}
	if on := (Param{Name: "library", Type: Bool}); on.Words(true) != "yes" || on.Words(false) != "no" {
		t.Errorf("%q, %q", on.Words(true), on.Words(false))
	}
	if p.Zero = ""; p.Words(0.0) != "0 ms" {
		t.Errorf("%q", p.Words(0.0))
	}
}
