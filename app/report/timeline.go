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
	key    []string     // what the colors mean; empty: there is one
	model  *chart.Model // nil: not available
	reason string
}

// timelines are the metrics of the catalog that a report shows.
func timelines(r *bundle.Run) []timeline {
	var lines []timeline
	for _, m := range monitor.Catalog() {
		switch {
		case m.ID == monitor.HostCPU:
			lines = append(lines, cpuTimeline(r, &m))
		case m.Timeline:
			if line := timelineOf(r, &m); line.model != nil || !m.Optional {
				lines = append(lines, line)
			}
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
		X: chart.Axis{Unit: chart.Seconds}, Y: axisOf(m), Series: []chart.Series{thin(s, maxPoints)},
	}
	return line
}

// maxPoints is how many points a line of a small picture has at most.
const maxPoints = 400

// axisOf returns the axis of a metric. Shares are drawn from 0 to 100 %: a part of that range would magnify trifles.
func axisOf(m *monitor.Metric) chart.Axis {
	axis := chart.Axis{Unit: chart.Unit(m.Unit)}
	if m.Unit == "ratio" {
		axis.Max = 1
	}
	return axis
}

// cpuTimeline stacks the shares of all cores that Assay and other programs used; the rest was idle.
func cpuTimeline(r *bundle.Run, m *monitor.Metric) timeline {
	var own, all chart.Series
	for i := range r.Snapshots {
		s := &r.Snapshots[i]
		host, inHost := s.Value(monitor.HostCPU)
		process, inOwn := s.Value(monitor.ProcessCPU)
		if r.Meta.Host.Threads == 0 || !inHost || !inOwn || !finite(host) || !finite(process) {
			continue
		}
		at := s.Time.Sub(r.Meta.Started).Seconds()
		share := min(host, process/float64(r.Meta.Host.Threads))
		own.X, own.Y, own.Lo, own.Hi = append(own.X, at), append(own.Y, share), append(own.Lo, 0), append(own.Hi, share)
		all.X, all.Y, all.Lo, all.Hi = append(all.X, at), append(all.Y, host), append(all.Lo, share), append(all.Hi, host)
	}
	if len(own.X) < 2 {
		return timelineOf(r, m)
	}
	return timeline{
		title: "CPU of all cores", key: []string{"Assay", "other programs"},
		model: &chart.Model{
			X: chart.Axis{Unit: chart.Seconds}, Y: axisOf(m), Series: []chart.Series{thin(own, maxPoints), thin(all, maxPoints)},
		},
	}
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
