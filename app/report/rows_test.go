package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/workloads"
)

func manyResults(n int) []workloads.Result {
	out := make([]workloads.Result, n)
	for i := range out {
		out[i] = runstest.Verified(1+i*7919%n, 1)
		out[i].Case = fmt.Sprintf("Size %d", 1+i*7919%n)
	}
	return out
}

func TestFilterRows(t *testing.T) {
	rows := []workloads.Result{runstest.Verified(64, 12), runstest.Failed(), runstest.Verified(9, 12)}
	rows[2].Workload, rows[2].Marks = "other", workloads.Marks("knee")
	for _, test := range []struct {
		filter Filter
		want   []int
	}{
		{Filter{}, []int{0, 1, 2}},
		{Filter{Text: "SIZE 64"}, []int{0}},
		{Filter{Text: "64 sweep size"}, []int{0}}, // any order
		{Filter{Text: "64 128"}, []int{}},
		{Filter{Text: "wrong result"}, []int{1}},
		{Filter{Text: "busy"}, []int{0, 2}}, // a warning
		{Filter{Status: workloads.OK}, []int{0, 2}},
		{Filter{Workload: "other"}, []int{2}},
		{Filter{Variant: "@f16"}, []int{1}},
		{Filter{Marked: true, Status: workloads.Failed}, []int{}},
		{Filter{Marked: true}, []int{2}},
	} {
		if got := test.filter.Rows(rows); !slices.Equal(got, test.want) {
			t.Errorf("%+v picks %v, want %v", test.filter, got, test.want)
		}
	}
}

func TestSortRows(t *testing.T) {
	rows := []workloads.Result{runstest.Verified(128, 12), runstest.Failed(), runstest.Verified(9, 12), runstest.Verified(64, 12)}
	for i, name := range []string{"case 10", "Case 9", "case 007", "case 10b"} {
		rows[i].Case = name
	}
	columns := Columns(&bundle.Meta{}, nil)
	for _, test := range []struct {
		column     string
		descending bool
		want       []int
	}{
		{"time_s", false, []int{2, 3, 0, 1}},
		{"time_s", true, []int{0, 3, 2, 1}}, // a missing time is last, in both directions
		{"case", false, []int{2, 1, 0, 3}},
		{"case", true, []int{3, 0, 1, 2}},
		{"bytes_saved", true, []int{0, 1, 2, 3}}, // nothing is known
	} {
		c, ok := FindColumn(columns, test.column)
		if !ok {
			t.Fatalf("no column %s", test.column)
		}
		got := []int{0, 1, 2, 3}
		SortRows(rows, got, c, test.descending)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s, descending %v: %v, want %v", test.column, test.descending, got, test.want)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	sorted := []string{"", "1", "2", "10", "a", "a1", "a1b", "a02", "a10", "ab", "b"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := naturalOrder(a, b), i-j; got < 0 != (want < 0) || got > 0 != (want > 0) {
				t.Errorf("%q and %q compare as %d, want the sign of %d", a, b, got, want)
			}
		}
	}
}

func TestColumnsAreThoseOfTheFile(t *testing.T) {
	r, all := exportRun(t)
	file := map[string]bool{}
	for _, c := range bundle.Columns(&r.Meta) {
		file[c.Name] = true
	}
	columns := Columns(&r.Meta, all)
	gathers := func(name string) bool { return name == "notes" || strings.HasSuffix(name, "_spread") } // several columns of the file
	seen := map[string]bool{}
	for i := range columns {
		c := &columns[i]
		if seen[c.Name] || c.Title == "" || !strings.HasSuffix(c.About, ".") && !c.Setting {
			t.Errorf("column %+v", c)
		}
		seen[c.Name] = true
		inSettings := strings.HasPrefix(c.Name, "set_") && file["settings"]
		if !file[c.Name] && !inSettings && !gathers(c.Name) {
			t.Errorf("%s is not a column of results.csv", c.Name)
		}
	}
	for _, m := range r.Meta.Metrics {
		if !seen[string(m.Name)] {
			t.Errorf("no column of metric %s", m.Name)
		}
	}
}

// A column shows the same number as the file.
func TestColumnValuesAreThoseOfTheFile(t *testing.T) {
	r, all := exportRun(t)
	var buf bytes.Buffer
	runstest.Check(t, WriteCSV(&buf, r, all))
	rows, err := csv.NewReader(&buf).ReadAll()
	runstest.Check(t, err)
	shown := Columns(&r.Meta, all)
	compared := 0
	for at, name := range rows[0] {
		c, ok := FindColumn(shown, name)
		if !ok {
			continue
		}
		for i := range r.Results {
			inFile := parsed(rows[i+1][at])
			got := c.Value(&r.Results[i])
			if math.IsInf(got, 0) && math.IsNaN(inFile) {
				continue // an end that too few samples do not bound
			}
			if got != inFile && !(math.IsNaN(got) && math.IsNaN(inFile)) {
				t.Errorf("%s of result %d is %v, in the file %v", name, i, got, inFile)
			}
			if !math.IsNaN(got) {
				compared++
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d numbers were compared", compared)
	}
}

func TestSettingColumns(t *testing.T) {
	r, all := exportRun(t)
	columns := Columns(&r.Meta, all)
	size, ok := FindColumn(columns, "param_size")
	if !ok || size.Title != "Matrix side" || size.Unit != "rows" || !size.Number {
		t.Fatalf("column of an axis: %+v", size)
	}
	if got := size.Text(&r.Results[0]); got != "64" {
		t.Errorf("size is %q", got)
	}
	rate, ok := FindColumn(columns, "set_rate")
	if !ok || rate.Title != "Rate" || rate.Text(&r.Results[0]) != "10" || rate.Value(&r.Results[0]) != 10 {
		t.Errorf("column of a parameter: %+v", rate)
	}
	unknown := Columns(&r.Meta, nil)
	if c, ok := FindColumn(unknown, "param_size"); !ok || c.Title != "size" || c.Value(&r.Results[0]) != 64 {
		t.Errorf("column of a workload that is not known: %+v", c)
	}
}

func BenchmarkSortRows(b *testing.B) {
	results := manyResults(10_000)
	columns := Columns(&bundle.Meta{}, nil)
	for _, name := range []string{"time_s", "case", "notes"} {
		c, _ := FindColumn(columns, name)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				SortRows(results, Filter{}.Rows(results), c, true)
			}
		})
	}
}

func BenchmarkFilterRows(b *testing.B) {
	results := manyResults(10_000)
	for range b.N {
		Filter{Text: "size 99 verified"}.Rows(results)
	}
}
