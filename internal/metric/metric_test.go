package metric

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/stats"
)

func list() List {
	return List{
		{Name: "time_s", Title: "Time", Unit: "s", About: "Median time.", Shape: Interval, Better: Less},
		{Name: "bytes", Title: "Traffic", Unit: "B", About: "Memory traffic.", Shape: Scalar},
		{Name: "bytes_per_s", Title: "Bandwidth", Unit: "B/s", About: "Traffic a second.", Shape: Interval, Of: "bytes", Per: "time_s"},
		{Name: "speedup", Title: "Speedup", Unit: "×", About: "Ratio of times.", Shape: Interval},
	}
}

func TestColumns(t *testing.T) {
	var got []string
	for _, m := range list() {
		got = append(got, m.Columns()...)
	}
	want := "time_s time_lo_s time_hi_s bytes bytes_per_s speedup speedup_lo speedup_hi"
	if strings.Join(got, " ") != want {
		t.Errorf("columns %v, want %s", got, want)
	}
}

func TestCheck(t *testing.T) {
	if err := list().Check(); err != nil {
		t.Fatal(err)
	}
	good := Metric{Name: "x", Title: "X", About: "X.", Shape: Scalar}
	for want, spoil := range map[string]func(*Metric){
		"invalid shape":                  func(m *Metric) { m.Shape = "" },
		"invalid name: want lower_snake": func(m *Metric) { m.Name = "Xy" },
		"no title":                       func(m *Metric) { m.About = "" },
		"invalid name for a rate":        func(m *Metric) { m.Unit = "FLOP/s" },
		"invalid name for a time":        func(m *Metric) { m.Unit = "s" },
		`from "y", which is not in`:      func(m *Metric) { m.Of, m.Per = "y", "x" },
		"needs both":                     func(m *Metric) { m.Of = "x" },
		`duplicate column "time_lo_s"`:   func(m *Metric) { m.Name, m.Unit = "time_lo_s", "s" },
	} {
		m := good
		spoil(&m)
		if err := append(list(), m).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestDerive(t *testing.T) {
	var v Values
	v.SetNumber("bytes", 100)
	list().Derive(&v)
	if got := v.Get("bytes_per_s"); !math.IsNaN(got.Median) {
		t.Errorf("without a time: %v", got)
	}
	v.Set("time_s", stats.Interval{Median: 2, Lo: 1, Hi: 4})
	list().Derive(&v)
	if got := v.Get("bytes_per_s"); got != (stats.Interval{Median: 50, Lo: 25, Hi: 100}) {
		t.Errorf("got %v", got)
	}
	v.Set("time_s", stats.Interval{Median: 2, Lo: math.Inf(-1), Hi: math.Inf(1)})
	list().Derive(&v)
	if got := v.Get("bytes_per_s"); got.Median != 50 || got.Bounded() {
		t.Errorf("of too few samples: %v", got)
	}
}

// A copy of a result shares its values until one of the two changes.
func TestSetLeavesCopies(t *testing.T) {
	var v Values
	v.SetNumber("a", 1)
	v.SetNumber("b", 2)
	was := v
	v.SetNumber("a", 3)
	v.SetNumber("b", math.NaN())
	v.SetText("c", "text")
	if was.Number("a") != 1 || was.Number("b") != 2 || len(was) != 2 {
		t.Errorf("the copy changed: %v", was)
	}
	if v.Number("a") != 3 || !math.IsNaN(v.Number("b")) || v.Text("c") != "text" || v.Text("a") != "" {
		t.Errorf("got %v", v)
	}
	v.SetText("c", "")
	if slices.ContainsFunc(v, func(x Value) bool { return x.Name == "c" }) {
		t.Error("an empty text is known")
	}
}

func TestWith(t *testing.T) {
	got := list().With(Metric{Name: "bytes", Title: "Other"}, Metric{Name: "loss", Title: "Loss"})
	if m, _ := got.Find("bytes"); m.Title != "Traffic" || len(got) != len(list())+1 {
		t.Errorf("got %v", got)
	}
}
