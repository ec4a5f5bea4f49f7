package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/workloads"
)

// on returns a run on a device.
func on(device, id string, results ...workloads.Result) *bundle.Run {
	r := comparedRun(id, results...)
	r.Meta.Engine.Device = device
	return r
}

// Rows of another device have a ratio with its interval, but no verdict, and the comparison says why.
func TestOtherDevicesHaveRatiosWithoutVerdict(t *testing.T) {
	base := on("M1", "base", timed("a", 1e-3, 0.01, 40, 1), timed("b", 1e-3, 0.01, 40, 2))
	run := on("M2", "run", timed("a", 0.5e-3, 0.01, 40, 3), timed("b", 0.25e-3, 0.01, 40, 4))
	c := against(base, run)
	r := &c.Rows[0]
	if r.Verdict != NotComparable || !r.Apart || !r.Ratio.Bounded() || r.Ratio.Lo < 1.9 || r.Text() != "no verdict: device M2, baseline M1" {
		t.Errorf("%+v, %q", r, r.Text())
	}
	if m := c.Geomean(r.Workload); m.Rows != 2 || m.Ratio.Median < 2.7 || m.Ratio.Median > 2.9 || m.Verdict != NotComparable || !strings.Contains(m.Words("1"), ", no verdict, ") {
		t.Errorf("geometric mean %+v", m)
	}
	want := "No verdict, different devices: device M2, baseline M1. The ratios of 2 rows, with their intervals, compare the two as they are; a slower device is not a regression."
	if got := c.Headline(); got != want || c.Apart() != 2 {
		t.Errorf("%q, %d", got, c.Apart())
	}
	run.Results[0].Status = workloads.Failed // this is the more important reason
	if c := against(base, run); c.Rows[0].Apart || c.Apart() != 1 {
		t.Errorf("a wrong result: %+v", c.Rows[0])
	}
}

// Runs of several machines are side by side, each compared with the first.
func TestManyRuns(t *testing.T) {
	one, two := timed("a", 1e-3, 0.01, 40, 1), timed("b", 2e-3, 0.01, 40, 2)
	fail := timed("a", 1e-3, 0.01, 40, 5)
	fail.Status = workloads.Failed
	m := CompareMany([]*bundle.Run{
		on("M1", "base", one, two),
		on("M1", "again", timed("a", 2e-3, 0.01, 40, 3), timed("c", 1e-3, 0.01, 40, 4)),
		on("M2", "other", timed("b", 1e-3, 0.01, 40, 6), timed("c", 3e-3, 0.01, 40, 7)),
		on("M1", "broken", fail),
	}, []workloads.Workload{runstest.Workload()})
	if len(m.Rows) != 3 || len(m.Pairs) != 3 {
		t.Fatalf("%d rows, %d comparisons", len(m.Rows), len(m.Pairs))
	}
	lines := m.Groups()[0].Lines
	for _, c := range []struct {
		line, column int
		want         string
	}{
		{0, 0, "a"}, {0, 4, "2.00× slower"}, {0, 5, ""}, {0, 7, "wrong result"}, {0, 8, "not comparable"}, {1, 3, ""}, {1, 6, "2.00× faster, no verdict"}, {2, 2, ""}, {2, 4, ""},
	} {
		if got := lines[c.line][c.column]; got != c.want {
			t.Errorf("line %d, column %d: %q, want %q", c.line, c.column, got, c.want)
		}
	}
	if lines[2][3] == "" || lines[2][5] == "" || len(lines[2]) != len(m.Head()) {
		t.Errorf("a row that the first lacks: %q of %q", lines[2], m.Head())
	}
	var page bytes.Buffer
	if err := WriteManyHTML(&page, m); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{page.String(), MarkdownMany(m)} {
		for _, want := range []string{"other on M2", "2.00× slower", "2.00× faster, no verdict", "1 result verified in the baseline but not in this run", "No verdict: device M2"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
	}
}
