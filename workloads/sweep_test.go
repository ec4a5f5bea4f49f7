package workloads

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// swept is a sweep between the parameters lo and hi.
func swept(steps Steps, list ...int) *Sweep {
	return &Sweep{Axis: "n", From: "lo", To: "hi", Steps: steps, List: list}
}

func TestSweepValues(t *testing.T) {
	for _, tc := range []struct {
		lo, hi  int
		doubled []int
		tenfold []int
		listed  []int // of 5, 50, 500
	}{
		{1, 1, []int{1}, []int{1}, []int{1}},
		{1, 8, []int{1, 2, 4, 8}, []int{1, 8}, []int{1, 5, 8}},
		{64, 300, []int{64, 128, 256, 300}, []int{64, 300}, []int{64, 300}},
		{3, 100, []int{3, 4, 8, 16, 32, 64, 100}, []int{3, 30, 100}, []int{3, 5, 50, 100}},
		{1000, 100_000, nil, []int{1000, 10_000, 100_000}, []int{1000, 100_000}},
		{5, 500, nil, []int{5, 50, 500}, []int{5, 50, 500}},
	} {
		v := Values{"lo": tc.lo, "hi": tc.hi}
		for s, want := range map[*Sweep][]int{swept(Doubling): tc.doubled, swept(Tenfold): tc.tenfold, swept(Listed, 5, 50, 500): tc.listed} {
			if got := s.Values(v); want != nil && !slices.Equal(got, want) {
				t.Errorf("steps %d from %d to %d: %v, want %v", s.Steps, tc.lo, tc.hi, got, want)
			}
		}
	}
	for from, want := range map[int][]int{14: {14, 28, 56, 60}, 65: {65}, 16: {16, 32, 60}} {
		if got := swept(Doubled).Values(Values{"lo": from, "hi": max(from, 60)}); !slices.Equal(got, want) {
			t.Errorf("doubled from %d: %v, want %v", from, got, want)
		}
	}
	idle := swept(Doubled)
	idle.Idle = func(v Values) bool { return v.Int("fixed") > 0 }
	if got := idle.Values(Values{"lo": 2, "hi": 8, "fixed": 1}); !slices.Equal(got, []int{2}) {
		t.Errorf("a sweep that nothing depends on: %v, want its first value", got)
	}
	for lo := 1; lo < 130; lo++ {
		for hi := lo; hi < 300; hi++ {
			s := swept(Doubling).Values(Values{"lo": lo, "hi": hi})
			if s[0] != lo || s[len(s)-1] != hi || !slices.IsSorted(s) || len(slices.Compact(slices.Clone(s))) != len(s) {
				t.Fatalf("doubling from %d to %d: %v", lo, hi, s)
			}
		}
	}
}

// twoSweeps has a choice whose values have a sweep or none.
func twoSweeps() *Workload {
	end := func(name string, value int) Param {
		return Param{Name: name, Title: name, Type: Int, Unit: "rows", Min: 1, Max: 100, Default: value, Role: RoleSweep}
	}
	return &Workload{
		Name: "w", Title: "W",
		Params: []Param{
			{
				Name: "kind", Title: "Kind", Type: Choice, Role: RoleCase, All: "all", Default: "all",
				Choices: []Option{{Value: "all"}, {Value: "a", Axis: "n"}, {Value: "b", Axis: "m"}, {Value: "c"}},
			},
			end("min_n", 1), end("max_n", 4), end("min_m", 10), end("max_m", 100),
			{Name: "batch", Title: "Batch", Type: Int, Unit: "items", Min: 1, Max: 9, Default: 1, Role: RoleCase},
		},
		Axes: []Axis{{Name: "kind", Title: "Kind"}, {Name: "n", Title: "N"}, {Name: "m", Title: "M"}},
		Sweeps: []Sweep{
			{Axis: "n", From: "min_n", To: "max_n", Title: "Side"},
			{Axis: "m", From: "min_m", To: "max_m", Steps: Tenfold, Title: "Length"},
		},
	}
}

// Each choice is measured along its own sweep.
func TestPoints(t *testing.T) {
	w := twoSweeps()
	for kind, want := range map[string]string{
		"all": "a n1, a n2, a n4, b m10, b m100, c",
		"a":   "a n1, a n2, a n4",
		"b":   "b m10, b m100",
		"c":   "c",
	} {
		var got []string
		for _, p := range w.Points(w.Defaults(false).With(Values{"kind": kind})) {
			text := p.String("kind")
			for _, s := range p[1:] {
				text += fmt.Sprintf(" %s%d", s.Name, p.Int(s.Name))
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	if got := w.Curve(w.Defaults(false)); got != "batch 1" {
		t.Errorf("the curve is %q", got)
	}
}

func TestEndsOfASweepAreInOrder(t *testing.T) {
	w := twoSweeps()
	err := w.Check(w.Defaults(false).With(Values{"min_m": 101 - 1, "max_m": 99}))
	var odds *ParamError
	if !errors.As(err, &odds) || !slices.Equal(odds.Params, []string{"min_m", "max_m"}) {
		t.Errorf("error %v", err)
	}
}

// A moved parameter is measured at one value of one sweep; a choice without a sweep names those that have one.
func TestNarrow(t *testing.T) {
	w := twoSweeps()
	narrow, place, err := w.Narrow(w.Defaults(false), "batch", "min_m")
	if err != nil || place != "min_m" || narrow["kind"] != "b" || len(w.Points(narrow)) != 1 {
		t.Errorf("at %q: %v, error %v", place, narrow, err)
	}
	if _, _, err := w.Narrow(w.Defaults(false).With(Values{"kind": "c"}), "max_n", ""); err == nil ||
		!strings.Contains(err.Error(), "c has no side: choose a") {
		t.Errorf("error %v", err)
	}
	w.Series = true
	if _, _, err := w.Narrow(w.Defaults(false), "batch", ""); err == nil {
		t.Error("a series has a point")
	}
}

// Values that come to the same are one case.
func TestWholeValuesOfASweep(t *testing.T) {
	s := Sweep{Axis: "n", From: "min_n", To: "max_n", Steps: Tenfold, Whole: func(_ Values, at Point, n int) int {
		if at.String("kind") == "fours" {
			return max(4, n/4*4)
		}
		return n
	}}
	v := Values{"min_n": 1, "max_n": 101}
	for kind, want := range map[string][]int{"fours": {4, 8, 100}, "ones": {1, 10, 100, 101}} {
		if got := s.wholes(Point{{"kind", kind}}, v); !slices.Equal(got, want) {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
}
