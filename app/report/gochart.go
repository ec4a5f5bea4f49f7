package report

import (
	"bytes"
	"fmt"
	"html"

	gochart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"assay/internal/chart"
)

// go-chart draws the small pictures of a report, each with one line on plain axes. Ticks and labels come from the
// model. Colors are CSS classes, defined in the page's style sheet for light and dark.

const smallWidth, smallHeight = 460, 210 // in CSS pixels

// smallPicture draws a model of lines on linear axes as an SVG, and returns the caption of Y.
func smallPicture(m *chart.Model) (svg []byte, caption string, err error) {
	font, err := gochart.GetDefaultFont() // go-chart's own lazy load is a data race
	if err != nil {
		return nil, "", err
	}
	x, y := m.Ticks(5, 4)
	text := gochart.Style{ClassName: "axis", FontSize: 8.5, Font: font, FontColor: drawing.ColorBlack}
	hidden := gochart.Style{Hidden: true}
	picture := gochart.Chart{
		Width: smallWidth, Height: smallHeight, Font: font,
		Background: gochart.Style{ClassName: "none", Padding: gochart.Box{Top: 26, Left: 8, Right: 24, Bottom: 8}},
		Canvas:     gochart.Style{ClassName: "none"},
		XAxis: gochart.XAxis{
			Style: text, TickStyle: text, Ticks: goTicks(&x), GridMajorStyle: hidden, GridMinorStyle: hidden,
			Range: &gochart.ContinuousRange{Min: x.Min, Max: x.Max},
		},
		YAxis: gochart.YAxis{
			Style: text, TickStyle: text, Ticks: goTicks(&y), GridMajorStyle: gochart.Style{ClassName: "grid", StrokeWidth: 1},
			GridMinorStyle: hidden, Range: &gochart.ContinuousRange{Min: y.Min, Max: y.Max}, AxisType: gochart.YAxisSecondary,
		},
		YAxisSecondary: gochart.YAxis{Style: hidden},
	}
	for i := range m.Series {
		if m.Series[i].Len() == 0 { // go-chart does not check that
			return nil, "", fmt.Errorf("small picture: series %q has no points", m.Series[i].Name)
		}
		picture.Series = append(picture.Series, &bandedLine{&m.Series[i], i})
	}
	var buf bytes.Buffer
	if err := picture.Render(gochart.SVG, &buf); err != nil {
		return nil, "", fmt.Errorf("small picture: %w", err)
	}
	return buf.Bytes(), y.Caption, nil
}

// goTicks are the ticks of an axis; go-chart uses the first and the last as its range.
func goTicks(t *chart.Ticks) []gochart.Tick {
	ticks := []gochart.Tick{{Value: t.Min}}
	for i, at := range t.At {
		tick := gochart.Tick{Value: at, Label: html.EscapeString(t.Labels[i])} // go-chart does not escape labels
		switch {
		case at <= t.Min:
			ticks[0] = tick
		case at <= t.Max:
			ticks = append(ticks, tick)
		}
	}
	if ticks[len(ticks)-1].Value < t.Max {
		ticks = append(ticks, gochart.Tick{Value: t.Max})
	}
	return ticks
}

// bandedLine is a go-chart series with a model's line and its interval band, in one of the colors.
type bandedLine struct {
	s     *chart.Series
	color int
}

// Len is the number of points.
func (l *bandedLine) Len() int { return l.s.Len() }

// GetValues is point i.
func (l *bandedLine) GetValues(i int) (x, y float64) { return l.s.At(i) }

// GetBoundedValues is the interval of point i.
func (l *bandedLine) GetBoundedValues(i int) (x, lo, hi float64) {
	x, y := l.s.At(i)
	if lo, hi, ok := l.s.Interval(i); ok {
		return x, lo, hi
	}
	return x, y, y
}

// GetName is part of gochart.Series.
func (l *bandedLine) GetName() string { return l.s.Name }

// GetYAxis is part of gochart.Series.
func (l *bandedLine) GetYAxis() gochart.YAxisType { return gochart.YAxisPrimary }

// GetStyle is part of gochart.Series.
func (l *bandedLine) GetStyle() gochart.Style { return gochart.Style{} }

// Validate is part of gochart.Series.
func (l *bandedLine) Validate() error { return nil }

// Render draws the band, and the line over it.
func (l *bandedLine) Render(r gochart.Renderer, box gochart.Box, xr, yr gochart.Range, _ gochart.Style) {
	look := func(role string) gochart.Style {
		return gochart.Style{ClassName: fmt.Sprintf("%s c%d", role, l.color), StrokeWidth: 1, StrokeColor: drawing.ColorBlack}
	}
	gochart.Draw.BoundedSeries(r, box, xr, yr, look("band"), l)
	gochart.Draw.LineSeries(r, box, xr, yr, look("line"), l)
	r.ResetStyle()
}
