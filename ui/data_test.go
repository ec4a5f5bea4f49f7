package ui

import (
	"math"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/monitor"
	"assay/ui/chart"
	"assay/workloads"
)

func TestPlotsFollowTheView(t *testing.T) {
	w := workloads.Batching()
	results := sweep()
	results[2].Status = workloads.Failed // must not be drawn
	results[3].Mark = "knee"
	list := plots(&w, results)
	if len(list) != 2 || list[0].title != "matmul" || list[1].title != "mlp" {
		t.Fatalf("charts %v, want matmul and mlp", list)
	}
	m := list[0].model
	if len(m.Series) != 1 || m.Series[0].Name != "f32" || !slices.Equal(m.Series[0].X, []float64{64, 128, 512, 1024, 2048}) {
		t.Errorf("series %+v, want f32 at the five sizes that were verified", m.Series)
	}
	if got := m.Series[0].Y[0]; math.Abs(got-21e9) > 1e3 {
		t.Errorf("the first point is %v FLOP/s, want 21e9", got)
	}
	if m.Series[0].Labels[2] != "knee" || m.X.Scale != chart.Log2 || m.Y.Unit != "FLOP/s" {
		t.Errorf("labels %v, axes %+v %+v", m.Series[0].Labels, m.X, m.Y)
	}
}

func TestPlotsSplitQuantities(t *testing.T) {
	w := workloads.Fusion()
	nan := math.NaN()
	result := func(axis string, n int, variant, baseline string, speedup float64) workloads.Result {
		r := sweepResult("matmul", axis, n, 10)
		r.Workload, r.Variant, r.Baseline, r.Speedup = "fusion", variant, baseline, interval(speedup, 0.01)
		r.Settings = []workloads.Setting{{Name: "pattern", Value: "p"}, {Name: axis, Value: n}}
		return r
	}
	list := plots(&w, []workloads.Result{
		result("size", 64, "separate", "", nan), result("size", 64, "fused", "separate", 1.2), result("size", 128, "fused", "separate", 1.1),
		result("elements", 1000, "fused", "separate", 1.9),
	})
	if len(list) != 2 || list[0].title == list[1].title {
		t.Fatalf("%d charts, want one per quantity: a matrix side is no vector length", len(list))
	}
	series := list[0].model.Series
	if len(series) != 2 || len(series[0].X) != 2 {
		t.Fatalf("series %+v, want the two fused points and the reference", series)
	}
	if ref := series[1]; ref.Y[0] != 1 || ref.X[0] != 64 || ref.X[1] != 128 {
		t.Errorf("reference %+v, want a line at 1 over the whole chart", ref)
	}
}

func TestPlotsOfNothing(t *testing.T) {
	for _, w := range workloads.All() {
		if list := plots(&w, nil); len(list) != 0 {
			t.Errorf("%s: %d charts of no results", w.Name, len(list))
		}
		broken := workloads.Result{Workload: w.Name, Status: workloads.OK, Time: interval(math.NaN(), 0), Speedup: interval(math.NaN(), 0)}
		if list := plots(&w, []workloads.Result{broken}); len(list) != 0 {
			t.Errorf("%s: a result without numbers is drawn", w.Name)
		}
	}
}

func TestTableTellsStatusInWords(t *testing.T) {
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	play(d, "failed")
	table := d.run.results.table
	row := len(table.rows) - 1
	var line []string
	for c := range table.columns {
		line = append(line, table.cellText(row, c))
	}
	text := strings.Join(line, "|")
	if !strings.Contains(text, "wrong result") || !strings.Contains(text, "element 17 is 3.5") {
		t.Errorf("the row of a wrong result says %q", text)
	}
	for c, column := range table.columns {
		if column.title == "Time" && table.cellText(row, c) != "" {
			t.Errorf("a wrong result has the time %q", table.cellText(row, c))
		}
		if column.title == "SNR" {
			t.Error("a column without any value is shown")
		}
	}
	table.OnSelected(widget.TableCellID{Row: row})
	if got := d.run.results.detail.content; !strings.Contains(got, "element 17") {
		t.Errorf("below the table: %q", got)
	}
}

func TestLeaksAreTold(t *testing.T) {
	d, _ := newTestDesk(t, alwaysDark, 1280, 800)
	meta := sweepMeta()
	apply(d, app.StartUpdate{Meta: meta})
	meta.Finished = meta.Started
	apply(d, app.EndUpdate{Run: &app.Run{Meta: meta, Events: []app.Event{
		{Kind: "leak", Title: "Buffers left behind", Text: "120 buffers, 60.9 MB"},
	}}})
	d.run.showSegment(1)
	if lines := d.run.results.lines; len(lines) != 1 || !strings.Contains(lines[0], "120 buffers, 60.9 MB") {
		t.Errorf("told %q", lines)
	}
	if !strings.Contains(d.run.head.status.content, "1 leak found") || d.run.list.states[0].content != "problems" {
		t.Errorf("status %q, list %q", d.run.head.status.content, d.run.list.states[0].content)
	}
}

func TestLiveCardsSayWhy(t *testing.T) {
	p := newLivePanel(nil)
	s := monitor.Snapshot{Time: epoch, Readings: []monitor.Reading{
		{Metric: monitor.ProcessRSS, Value: 1e8, Unit: "B", Status: monitor.OK, Source: "/proc/self/statm"},
		{Metric: monitor.Temperature, Status: monitor.Unavailable, Reason: "no sensor"},
	}}
	p.add([]monitor.Snapshot{s})
	if got := p.views[3].source.content; got != "Not available: no sensor" {
		t.Errorf("heat says %q", got)
	}
	if p.views[3].plots.Visible() || !p.views[2].plots.Visible() {
		t.Error("a card without readings shows its chart, or one with a reading does not")
	}
	if got := p.views[2].charts[0].Last(1); got != 1e8 {
		t.Errorf("Assay's memory is drawn as %v, want 1e8", got)
	}
	if got := p.views[2].charts[0].Last(0); !math.IsNaN(got) {
		t.Errorf("the engine's memory is unknown and drawn as %v", got)
	}
	for i := range 5 {
		s = snapshot(i + 1)
		p.add([]monitor.Snapshot{s})
	}
	if !strings.Contains(p.views[0].source.content, "completed dispatches") {
		t.Errorf("throughput says %q", p.views[0].source.content)
	}
}

func TestAbbreviate(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"a × b", "a × c"}, []string{"a × b", "c"}},
		{[]string{"engine", "engine"}, []string{"engine"}},
		{[]string{"/proc/stat", "/proc/meminfo"}, []string{"/proc/stat", "/proc/meminfo"}},
		{nil, nil},
	} {
		if got := abbreviate(c.in); !slices.Equal(got, c.want) {
			t.Errorf("abbreviate(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestDurationInWords(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "less than 1 s", 12.4: "12 s", 89: "89 s", 200: "3 min 20 s", 7500: "2 h 05 min",
	} {
		if got := duration(seconds); got != want {
			t.Errorf("duration(%v) = %q, want %q", seconds, got, want)
		}
	}
}

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct {
		v          float64
		unit, want string
	}{
		{6.0952e-3, "s", "6.10 ms"},
		{4.53e-6, "s", "4.53 µs"},
		{999.6e-9, "s", "1.00 µs"},
		{72, "s", "72.0 s"},
		{5400, "s", "5400 s"},
		{148.2e9, "FLOP/s", "148 GFLOP/s"},
		{2.1e12, "FLOP/s", "2.10 TFLOP/s"},
		{512, "B", "512 B"},
		{4194304, "B", "4.19 MB"},
		{305600, "/s", "306 k/s"},
		{35.44, "dB", "35.4 dB"},
		{-3.2, "dB", "-3.20 dB"},
		{0, "B", "0 B"},
		{math.NaN(), "s", ""},
		{math.Inf(1), "B/s", ""},
		{3e-15, "s", "0.00 ps"},
	} {
		if got := quantity(c.v, c.unit); got != c.want {
			t.Errorf("quantity(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
	for v, want := range map[float64]string{1.2e-6: "1.2·10⁻⁶", 0.99987: "0.9999", 0: "0", 2.5e7: "2.5·10⁷"} {
		if got := plain(v); got != want {
			t.Errorf("plain(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestTextWrapsAndCuts(t *testing.T) {
	_, _ = newTestDesk(t, alwaysLight, 1280, 800) // for its theme
	words := newBody("one two three four five six seven", 2)
	for _, width := range []float32{60, 90, 200, 1000} {
		lines := words.wrap(width)
		if len(lines) > 2 {
			t.Errorf("at %v: %d lines", width, len(lines))
		}
		for _, line := range lines {
			if got := words.measure(line).Width; got > width+1 {
				t.Errorf("at %v: %q is %v wide", width, line, got)
			}
		}
	}
	if got := words.wrap(1000); len(got) != 1 || got[0] != words.content {
		t.Errorf("with room: %q", got)
	}
}
