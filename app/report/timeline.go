package report

import (
	"math"

	"assay/app/bundle"
	"assay/internal/chart"
	"assay/monitor"
)

// timeline is a metric over the time of a run: a chart, or why there is none.
type timeline struct {
	title  string
	model  *chart.Model // nil: not available
	reason string
}

// timelines are the metrics of the catalog that a report shows.
func timelines(r *bundle.Run) []timeline {
	var lines []timeline
	for _, m := range monitor.Catalog() {
		if m.Timeline {
			lines = append(lines, timelineOf(r, &m))
		}
	}
	return lines
}

func timelineOf(r *bundle.Run, m *monitor.Metric) timeline {
	line := timeline{title: m.Title, reason: "no readings during this run"}
	var s chart.Series
	for i := range r.Snapshots {
		snapshot := &r.Snapshots[i]
		if v, ok := snapshot.Value(m.ID); ok && finite(v) {
			s.X, s.Y = append(s.X, snapshot.Time.Sub(r.Meta.Started).Seconds()), append(s.Y, v)
		} else if reading, found := snapshot.Find(m.ID); found && reading.Reason != "" {
			line.reason = reading.Reason
		}
	}
	if len(s.X) == 1 {
		line.reason = "only one reading during this run"
	}
	if len(s.X) < 2 {
		return line
	}
	s.Lo, s.Hi = s.Y, s.Y
	line.model = &chart.Model{
		X: chart.Axis{Unit: chart.Seconds}, Y: chart.Axis{Unit: chart.Unit(m.Unit)}, Series: []chart.Series{thin(s, 400)},
	}
	return line
}

// thin merges neighbors until at most n points are left; their interval is the merged range.
func thin(s chart.Series, n int) chart.Series {
	if s.Len() <= n {
		return s
	}
	var out chart.Series
	for i := range n {
		from, to := i*s.Len()/n, (i+1)*s.Len()/n
		x, y, lo, hi := 0.0, 0.0, math.Inf(1), math.Inf(-1)
		for k := from; k < to; k++ {
			x += s.X[k] / float64(to-from)
			y += s.Y[k] / float64(to-from)
			lo, hi = min(lo, s.Lo[k]), max(hi, s.Hi[k])
		}
		out.X, out.Y, out.Lo, out.Hi = append(out.X, x), append(out.Y, y), append(out.Lo, lo), append(out.Hi, hi)
	}
	return out
}
