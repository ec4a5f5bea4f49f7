package report

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/internal/stats"
	"assay/workloads"
)

var update = flag.Bool("update", false, "write the golden files again")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		runstest.Check(t, os.MkdirAll("testdata", 0o755))
		runstest.Check(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	runstest.Check(t, err)
	if got != string(want) {
		t.Errorf("%s differs, run go test -update to accept:\n got\n%s\nwant\n%s", name, got, want)
	}
}

func defaultColumns(columns []Column) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return !c.Default })
}

func markdownRun() *bundle.Run {
	r := comparedRun("run_1", timed("a|b", 1e-3, 0.01, 40, 1), timed("matmul *64*", 42e-6, 0.01, 40, 2), runstest.Failed())
	r.Results[1].Values.Set(workloads.Speedup, stats.Interval{Median: 1.42, Lo: 1.4, Hi: 1.44})
	r.Results[1].Marks = workloads.Marks("knee")
	return r
}

func TestMarkdown(t *testing.T) {
	r := markdownRun()
	base := comparedRun("base", timed("a|b", 1e-3, 0.01, 40, 3), timed("matmul *64*", 84e-6, 0.01, 40, 4), runstest.Failed())
	all := []workloads.Workload{runstest.Workload()}
	columns := defaultColumns(Columns(&r.Meta, all))
	golden(t, "table.md", Markdown(r, columns, []int{0, 1, 2}))
	golden(t, "compared.md", Markdown(r, append(columns, Compare(base, r, all).Columns()...), []int{2, 1, 0}))
	c := Compare(base, r, all)
	c.Floor, c.Differences, c.Unknown = BusyFloor, []string{"Quick: yes (baseline: no)."}, []string{"the power source of both runs"}
	golden(t, "comparison.md", MarkdownComparison(c, r))
	r.Meta.Engine.Simulated = true
	if got := Markdown(r, columns, nil); !strings.Contains(got, "Simulated: times are not from real hardware.") || !strings.HasSuffix(got, "\nNo results.\n") {
		t.Errorf("an empty table of a simulated run: %q", got)
	}
}

// Every line of a table has the same number of columns, whatever the names hold.
func TestMarkdownKeepsItsColumns(t *testing.T) {
	r := markdownRun()
	for i, name := range []string{"||", "\n|\r", `\|`} {
		r.Results[i].Case, r.Results[i].Variant = name, name+"`"
	}
	text := Markdown(r, defaultColumns(Columns(&r.Meta, nil)), []int{0, 1, 2})
	_, table, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	bars := func(s string) int {
		return strings.Count(strings.ReplaceAll(s, `\\`, ""), "|") - strings.Count(strings.ReplaceAll(s, `\\`, ""), `\|`)
	}
	if len(lines) != 5 {
		t.Fatalf("%d lines:\n%s", len(lines), text)
	}
	for _, l := range lines {
		if bars(l) != bars(lines[0]) {
			t.Errorf("%d columns, want %d: %s", bars(l)-1, bars(lines[0])-1, l)
		}
	}
}

// The table in a pull request says what leaked or failed, also if the run has no results.
func TestMarkdownNamesLeaksAndErrors(t *testing.T) {
	r := comparedRun("run_1")
	r.Events = []bundle.Event{
		{Kind: bundle.AlertRaised, Title: "Hot", Text: "90 °C"},
		{Kind: bundle.LeakFound, ID: "leak-1", Title: "Buffers not released", Text: "4 kB at x.go:1"},
		{Kind: bundle.ErrorSeen, Title: "Lost", Text: "the device"},
	}
	want := "- Buffers not released: 4 kB at x.go:1\n- Lost: the device\n\nRun run"
	if got := MarkdownTable(r, nil); !strings.HasPrefix(got, want) {
		t.Errorf("%q, want it to begin with %q", got, want)
	}
}
