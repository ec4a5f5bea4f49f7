package report

import (
	"fmt"

	"assay/app/bundle"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/monitor"
)

// count is the unit of counts.
const count chart.Unit = ""

// watchChart is a chart of a watched program: its lines, and the kind whose verdict it shows.
type watchChart struct {
	title string
	unit  chart.Unit
	kind  string // empty: none is judged
	lines []watchLine
}

type watchLine struct{ metric, name string }

func watchCharts() []watchChart {
	return []watchChart{
		{"Host memory", chart.Bytes, "memory", []watchLine{
			{monitor.WatchedFootprint, "footprint"}, {monitor.WatchedResident, "resident"}, {monitor.WatchedSwap, "swapped"},
		}},
		{"GPU memory", chart.Bytes, "gpu_memory", []watchLine{{monitor.WatchedGPU, "GPU memory"}}},
		{"Handles", count, "handles", []watchLine{{monitor.WatchedHandles, "open handles"}}},
		{"Threads", count, "threads", []watchLine{{monitor.WatchedThreads, "threads"}}},
		{"Processor", "ratio", "", []watchLine{{monitor.WatchedCPU, "of one core"}}},
		{"Processes", count, "", []watchLine{{monitor.WatchedProcesses, "processes"}}},
	}
}

// WatchChartNames are the titles of WatchCharts, in order.
func WatchChartNames() []string {
	var names []string
	for _, c := range watchCharts() {
		names = append(names, c.title)
	}
	return names
}

// Limits of a chart of a watched program.
const (
	watchPoints = 1200
	watchMarks  = 12 // labels side by side; if there are more marks, only some are shown
)

// WatchCharts are the readings of a watched program over time, with its marks, and for each verdict its line and the band
// in which the floors lie. Without readings of a kind the chart says why.
func WatchCharts(r *bundle.Run, verdicts []bundle.WatchVerdict) []chart.Chart {
	var out []chart.Chart
	for _, c := range watchCharts() {
		one := chart.Chart{Title: c.title, Model: &chart.Model{
			X: chart.Axis{Unit: chart.Seconds}, Y: chart.Axis{Unit: c.unit, Whole: c.unit == count},
		}}
		why := ""
		for _, l := range c.lines {
			s, reason := watchSeries(r, l)
			if s.Len() < 2 {
				if why == "" {
					why = reason
				}
				continue
			}
			if l.metric == monitor.WatchedSwap && flatZero(&s) {
				continue // nothing was swapped
			}
			one.Model.Series = append(one.Model.Series, s)
		}
		if len(one.Model.Series) == 0 {
			one.Model.Unavailable = "Not available: " + why
			out = append(out, one)
			continue
		}
		one.Model.Marks = marksOf(r)
		for i := range verdicts {
			v := &verdicts[i]
			if v.Kind != c.kind {
				continue
			}
			if v.Linear() {
				one.Model.Series = append(one.Model.Series, verdictSeries(v))
			}
			if v.Known() {
				one.Notes = []string{v.Title + ": " + plain.Text(v.Text) + "."}
			}
		}
		out = append(out, one)
	}
	return out
}

// watchSeries returns a metric over time; if it has no points, why there are none.
func watchSeries(r *bundle.Run, l watchLine) (s chart.Series, why string) {
	s.Name, why = l.name, "no readings"
	for i := range r.Snapshots {
		snapshot := &r.Snapshots[i]
		reading, found := snapshot.Find(l.metric)
		switch {
		case !found:
		case reading.Status != monitor.OK || !finite(reading.Value):
			why = reading.Reason
		default:
			s.X = append(s.X, snapshot.Time.Add(-reading.Late).Sub(r.Meta.Started).Seconds())
			s.Y = append(s.Y, reading.Value)
			s.Note = reading.Source
		}
	}
	if s.Len() <= watchPoints {
		return s, why
	}
	s.Lo, s.Hi = s.Y, s.Y
	thinned := thin(s, watchPoints)
	thinned.Name, thinned.Note = s.Name, s.Note
	return thinned, why
}

func flatZero(s *chart.Series) bool {
	for _, y := range s.Y {
		if y != 0 {
			return false
		}
	}
	return true
}

// verdictSeries is the line of a verdict with its band.
func verdictSeries(v *bundle.WatchVerdict) chart.Series {
	l := v.Line
	s := chart.Series{Name: "trend", Ink: true, Marker: chart.NoMarker, Dash: chart.Dashed}
	const points = 17
	for i := range points {
		part := float64(i) / (points - 1)
		y := l.Begin + part*(l.End-l.Begin)
		s.X, s.Y = append(s.X, l.From+part*(l.To-l.From)), append(s.Y, y)
		s.Lo, s.Hi = append(s.Lo, y-l.Scatter), append(s.Hi, y+l.Scatter)
	}
	return s
}

// marksOf are the marks of a run, some of them if there are many.
func marksOf(r *bundle.Run) []chart.Mark {
	var all []chart.Mark
	for i := range r.Events {
		if e := &r.Events[i]; e.Kind == bundle.Marked {
			all = append(all, chart.Mark{X: e.Time.Sub(r.Meta.Started).Seconds(), Label: plain.Text(e.Text)})
		}
	}
	if len(all) <= watchMarks {
		return all
	}
	some := make([]chart.Mark, watchMarks)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(watchMarks-1)]
	}
	return some
}

// watchSection is what a report shows about a watched program.
func watchSection(r *bundle.Run, draw *chart.Renderer) (section, error) {
	w := r.Meta.Watch
	s := section{
		Title: plain.Text(w.Name), About: plain.Capitalized(WatchSummary(&r.Meta)), Empty: "The watch ended before there was a verdict.",
		Settings: watchSettings(r),
	}
	for _, c := range WatchCharts(r, w.Verdicts) {
		if c.Model.Unavailable != "" {
			s.Settings = append(s.Settings, fact{c.Title, c.Model.Unavailable})
			continue
		}
		f, err := figureOf(&c, draw)
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, f)
	}
	for i := range w.Verdicts {
		v := &w.Verdicts[i]
		class, answer := "ok", "no leak"
		switch {
		case v.Leak:
			class, answer = "failed", "leak"
		case !v.Known():
			answer = "no verdict"
		}
		s.Rows = append(s.Rows, tableRow{Class: class, Span: 3, Cells: []tableCell{
			{"name", v.Title}, {"name", answer}, {"name", plain.Capitalized(plain.Text(v.Text))},
		}})
	}
	if len(s.Rows) > 0 {
		s.Header = []tableCell{{"left", "What"}, {"left", "Verdict"}, {"left", "Why"}}
	}
	return s, nil
}

func watchSettings(r *bundle.Run) []fact {
	w := r.Meta.Watch
	out := []fact{
		{"Interval", fmt.Sprintf("%g s", w.Interval)},
		{"Warm-up left out", fmt.Sprintf("%g s", w.WarmUp)},
		{"Tolerance", fmt.Sprintf("%g kB/min", w.Tolerance/1e3)},
	}
	if w.Mark != "" {
		out = append(out, fact{"Marks", plain.Text(w.Mark)})
	}
	return out
}

// watchVerdict is the answer for the top of the page.
func watchVerdict(r *bundle.Run) verdict {
	w := r.Meta.Watch
	switch {
	case len(r.Leaks()) > 0 || w.Leaks():
		return verdict{"bad", "! " + WatchConclusion(&r.Meta)}
	case r.Meta.State == bundle.Running && w.Ended == "":
		return verdict{"warn", "! Not finished: still running or killed"}
	case r.Meta.State == bundle.Running:
		return verdict{"warn", "! " + plain.Capitalized(plain.Text(w.Ended)) + ". " + WatchConclusion(&r.Meta)}
	case w.Judged():
		return verdict{"good", "✓ " + WatchConclusion(&r.Meta)}
	}
	return verdict{"warn", "! " + WatchConclusion(&r.Meta)}
}

func watchMethod() []string {
	return []string{
		"The program and its children are read together. The footprint is the memory that ending them would free.",
		"A trend is a line through floors: the minimum from each moment on, so that what is released again does not count. Its interval is 95 %, and the band contains the floors.",
		"A leak grows steadily up to the end, faster than the tolerance. Growth in fewer than five steps, growth that slows down like that of a filling cache, and memory that comes back are not leaks.",
	}
}
