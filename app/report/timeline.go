package report

import (
	"math"

	"assay/monitor"
	"assay/workloads"
)

// Timeline is how a metric went during a run: a chart, or why there is none.
type Timeline struct {
	Title  string
	Chart  *Chart // nil: not available
	Reason string
}

// timelines are the metrics of the catalog that a report shows.
func timelines(r *Run) []Timeline {
	var lines []Timeline
	for _, m := range monitor.Catalog() {
		if m.Timeline {
			lines = append(lines, timeline(r, &m))
		}
	}
	return lines
}

func timeline(r *Run, m *monitor.Metric) Timeline {
	line := Timeline{Title: m.Title, Reason: "the monitor took no reading of it during this run"}
	scale, unit := 1.0, m.Unit
	if unit == "FLOP/s" {
		scale, unit = 1e-9, "GFLOP/s"
	}
	var points []Point
	for i := range r.Snapshots {
		s := &r.Snapshots[i]
		if v, ok := s.Value(m.ID); ok && finite(v) {
			v *= scale
			points = append(points, Point{X: s.Time.Sub(r.Meta.Started).Seconds(), Y: v, Lo: v, Hi: v})
		} else if reading, found := s.Find(m.ID); found && reading.Reason != "" {
			line.Reason = reading.Reason
		}
	}
	if len(points) == 1 {
		line.Reason = "only one reading was taken during this run"
	}
	if len(points) < 2 {
		return line
	}
	line.Chart = &Chart{
		Title: m.Title, Kind: workloads.Lines,
		X:      Axis{Title: "Time since the start", Unit: "s", Scale: workloads.Linear},
		Y:      Axis{Title: m.Title, Unit: unit, Scale: workloads.Linear},
		Series: []Series{{m.Title, thin(points, 400)}},
	}
	return line
}

// thin gathers neighbours until at most n points are left; their band is what they span.
func thin(points []Point, n int) []Point {
	if len(points) <= n {
		return points
	}
	out := make([]Point, 0, n)
	for i := range n {
		part := points[i*len(points)/n : (i+1)*len(points)/n]
		p := Point{Lo: math.Inf(1), Hi: math.Inf(-1)}
		for _, q := range part {
			p.X += q.X / float64(len(part))
			p.Y += q.Y / float64(len(part))
			p.Lo, p.Hi = min(p.Lo, q.Lo), max(p.Hi, q.Hi)
		}
		out = append(out, p)
	}
	return out
}
