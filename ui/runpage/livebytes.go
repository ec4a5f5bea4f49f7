package runpage

import (
	"assay/internal/chart"
	"assay/monitor"
	"assay/ui/desk"
)

// liveBytes returns the chart of live bytes during a run, for a workload without results; nil if unknown.
func liveBytes(d *desk.Desk, o *desk.Outcome) *chart.Model {
	s := chart.Series{Name: "Live bytes", Kind: chart.LineKind, Fill: true}
	if curve, ok := d.Session.Leaks.Curve(); ok && o.Meta.ID != "" && curve.RunID == o.Meta.ID {
		for _, p := range curve.Points {
			s.X, s.Y = append(s.X, p.Seconds), append(s.Y, float64(p.Live))
		}
	} else if o.Run != nil {
		s.X, s.Y = monitored(o)
	}
	if len(s.X) == 0 {
		return nil
	}
	s.ShowMarkers = len(s.X) == 1
	return &chart.Model{
		X: chart.Axis{Title: "Time since the run started", Unit: chart.Seconds}, HideLegend: true,
		Y: chart.Axis{Title: "Live bytes", Unit: chart.Bytes, FromZero: true}, Series: []chart.Series{s},
	}
}

// monitored returns the monitor's readings of a saved run: seconds since it began, and live bytes.
func monitored(o *desk.Outcome) (x, y []float64) {
	for i := range o.Run.Snapshots {
		s := &o.Run.Snapshots[i]
		at := s.Time.Sub(o.Meta.Started).Seconds()
		if r, ok := s.Find(monitor.EngineLive); ok && r.Status == monitor.OK && at >= 0 {
			x, y = append(x, at), append(y, r.Value)
		}
	}
	return x, y
}
