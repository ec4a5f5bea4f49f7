package kernelspage

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/internal/chart"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
)

// newSweepPlot returns the chart of a sweep, still empty.
func newSweepPlot(d *desk.Desk) *uichart.Plot {
	p := uichart.NewPlot(nil)
	p.OnFocus = func() { kit.Reveal(p) }
	p.SetMinSize(fyne.NewSize(240, 190))
	d.Pace(p)
	return p
}

// swept returns the size that differs between points; empty: none does, or several do.
func swept(points []app.OwnPoint) string {
	name := ""
	for _, p := range points[min(1, len(points)):] {
		for size, v := range p.Sizes {
			if v == points[0].Sizes[size] || size == name {
				continue
			}
			if name != "" {
				return ""
			}
			name = size
		}
	}
	return name
}

// sweepModel returns the chart of the times over a size, with the rate on the right if it is known; nil: there is no sweep.
func sweepModel(points []app.OwnPoint) *chart.Model {
	name := swept(points)
	if name == "" {
		return nil
	}
	points = slices.SortedStableFunc(slices.Values(points), func(a, b app.OwnPoint) int { return cmp.Compare(a.Sizes[name], b.Sizes[name]) })
	times := chart.Series{Name: "Time", ShowMarkers: true, Whiskers: true}
	rates := chart.Series{Name: "Rate", ShowMarkers: true, Right: true}
	unit, rate := chart.Unit("B/s"), func(p *app.OwnPoint) float64 { return p.Bytes }
	if points[0].Bytes == 0 {
		unit, rate = "FLOP/s", func(p *app.OwnPoint) float64 { return p.Rate }
	}
	for i := range points {
		p := &points[i]
		times.X, times.Y = append(times.X, p.Sizes[name]), append(times.Y, p.Time.Median)
		span := p.Time.Interval()
		times.Lo, times.Hi = append(times.Lo, span.Lo), append(times.Hi, span.Hi)
		rates.X, rates.Y = append(rates.X, p.Sizes[name]), append(rates.Y, rate(p))
	}
	m := &chart.Model{
		Series: []chart.Series{times},
		X:      chart.Axis{Title: name, Scale: scaleOf(times.X, chart.Log2)},
		Y:      chart.Axis{Title: "Time of one launch", Unit: chart.Seconds, Scale: scaleOf(times.Y, chart.Log10)},
	}
	m.Y.FromZero = m.Y.Scale == chart.Linear
	if slices.Max(rates.Y) > 0 {
		m.Series, m.Y2 = append(m.Series, rates), chart.Axis{Title: "Rate", Unit: unit, FromZero: true}
	}
	return m
}

// scaleOf returns the scale of an axis: logarithmic if values are far apart.
func scaleOf(values []float64, far chart.Scale) chart.Scale {
	const apart = 20
	if low := slices.Min(values); low > 0 && slices.Max(values) > apart*low {
		return far
	}
	return chart.Linear
}
