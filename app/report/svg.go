package report

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math"
	"slices"

	"github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"

	"assay/internal/si"
	"assay/workloads"
)

// size of a chart in an SVG's own units, which are CSS pixels on a wide page.
type size struct{ width, height int }

func wholeWidth() size { return size{960, 360} }
func halfWidth() size  { return size{460, 210} }

// seriesColors is how many classes c0 … the style sheet has; a dash pattern and a legend tell more apart.
const seriesColors = 8

var errTooFew = errors.New("too few points to draw")

// RenderSVG draws a chart with go-chart. Colours are classes, which the page's style sheet fills in for light and dark.
// It takes milliseconds: call it off the UI goroutine.
func RenderSVG(c *Chart) ([]byte, error) { return renderSVG(c, wholeWidth()) }

func renderSVG(c *Chart, of size) ([]byte, error) {
	p := plot{Chart: c}
	xr, yr, ok := p.ranges()
	p.grid = p.ticks(c.Y, yr)
	if !ok {
		return nil, errTooFew
	}
	font, err := chart.GetDefaultFont() // go-chart's own lazy load is a data race
	if err != nil {
		return nil, err
	}
	text := chart.Style{ClassName: "axis", FontSize: 8.5, Font: font, FontColor: drawing.ColorBlack}
	hidden := chart.Style{Hidden: true} // plot draws the grid
	picture := chart.Chart{
		Width: of.width, Height: of.height, Font: font,
		Background: chart.Style{ClassName: "none", Padding: chart.Box{Top: 26, Left: 8, Right: 24, Bottom: 8}},
		Canvas:     chart.Style{ClassName: "none"},
		XAxis: chart.XAxis{
			Style: text, TickStyle: text, Ticks: p.ticks(c.X, xr), GridMajorStyle: hidden, GridMinorStyle: hidden,
			Range: &chart.ContinuousRange{Min: xr[0], Max: xr[1]},
		},
		YAxis: chart.YAxis{
			Style: text, TickStyle: text, Ticks: p.grid, GridMajorStyle: hidden, GridMinorStyle: hidden,
			Range: &chart.ContinuousRange{Min: yr[0], Max: yr[1]}, AxisType: chart.YAxisSecondary,
		},
		YAxisSecondary: chart.YAxis{Style: hidden},
		Series:         []chart.Series{&p},
	}
	var buf bytes.Buffer
	if err := picture.Render(chart.SVG, &buf); err != nil {
		return nil, fmt.Errorf("chart %q: %w", c.Title, err)
	}
	return buf.Bytes(), nil
}

// plot draws a Chart's series onto a go-chart canvas. Its coordinates are those of the transformed axes.
type plot struct {
	*Chart
	grid []chart.Tick // of the Y axis
}

// transform turns a value into the axis's own measure.
func transform(v float64, s workloads.Scale) float64 {
	switch s {
	case workloads.Log2:
		return math.Log2(v)
	case workloads.Log10:
		return math.Log10(v)
	}
	return v
}

// ranges are the ends of the axes, with room around the points; ok is false if there is nothing to span.
func (p *plot) ranges() (x, y [2]float64, ok bool) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	grow := func(r *[2]float64, v float64) { r[0], r[1] = min(r[0], v), max(r[1], v) }
	n := 0
	for _, s := range p.Series {
		for _, pt := range s.Points {
			n++
			grow(&x, transform(pt.X, p.X.Scale))
			for _, v := range []float64{pt.Y, pt.Lo, pt.Hi} {
				grow(&y, transform(v, p.Y.Scale))
			}
		}
	}
	if p.Reference != 0 {
		grow(&y, transform(p.Reference, p.Y.Scale))
	}
	if p.X.Scale == workloads.Category {
		x = [2]float64{-0.5, float64(len(p.X.Categories)) - 0.5}
	}
	if n == 0 || n < 2 && p.Kind != workloads.Bars || !finite(x[0]+x[1]+y[0]+y[1]) {
		return x, y, false
	}
	if p.Kind == workloads.Bars || p.Y.Scale == workloads.Linear && y[0] >= 0 && y[0] < y[1]/2 {
		y[0] = min(y[0], 0)
	}
	if p.Kind == workloads.Scatter {
		x = widen(x, 0.06)
	}
	return widen(x, 0), widen(y, 0.06), true
}

// widen adds a part of the span at both ends, and gives a point some span. An end at 0 stays.
func widen(r [2]float64, part float64) [2]float64 {
	span := r[1] - r[0]
	if span == 0 {
		span, part = max(math.Abs(r[0]), 1), 0.5
	}
	if r[0] != 0 {
		r[0] -= part * span
	}
	r[1] += part * span
	return r
}

// ticks are the axis's marks within r; the first and last are the ends of the axis, without a label if they are odd.
func (p *plot) ticks(a Axis, r [2]float64) []chart.Tick {
	out := []chart.Tick{{Value: r[0]}}
	for _, t := range p.niceTicks(a, r) {
		t.Label = html.EscapeString(t.Label) // go-chart writes labels as they are
		switch {
		case t.Value == r[0]:
			out[0] = t
		case t.Value > r[0] && t.Value <= r[1]:
			out = append(out, t)
		}
	}
	if out[len(out)-1].Value < r[1] {
		out = append(out, chart.Tick{Value: r[1]})
	}
	return out
}

func (p *plot) niceTicks(a Axis, r [2]float64) []chart.Tick {
	var out []chart.Tick
	switch a.Scale {
	case workloads.Category:
		for i, name := range a.Categories {
			out = append(out, chart.Tick{Value: float64(i), Label: clip(name)})
		}
	case workloads.Log2:
		for _, v := range p.measuredX() {
			out = append(out, chart.Tick{Value: math.Log2(v), Label: tickText(v, a.Unit)})
		}
	case workloads.Log10:
		return decadeTicks(a, r)
	default:
		step := niceStep((r[1] - r[0]) / 5)
		for i := math.Ceil(r[0] / step); i*step <= r[1]; i++ {
			out = append(out, chart.Tick{Value: i * step, Label: tickText(i*step+0, a.Unit)})
		}
	}
	return out
}

// measuredX are the values on the X axis, thinned to what has room: a sweep is labelled by the sizes that it measured.
func (p *plot) measuredX() []float64 {
	var xs []float64
	for _, s := range p.Series {
		for _, pt := range s.Points {
			xs = append(xs, pt.X)
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	const room = 14
	var out []float64
	for i := 0; i < len(xs); i += (len(xs) + room - 1) / room {
		out = append(out, xs[i])
	}
	return out
}

// decadeTicks are 1, 10, 100 …, with more between them where there are few.
func decadeTicks(a Axis, r [2]float64) []chart.Tick {
	var out []chart.Tick
	steps := []float64{1}
	switch span := r[1] - r[0]; {
	case span < 0.4:
		steps = []float64{1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}
	case span < 1.2:
		steps = []float64{1, 1.5, 2, 3, 4, 5, 7}
	case span < 3:
		steps = []float64{1, 2, 5}
	}
	for d := math.Floor(r[0]); d <= r[1]; d++ {
		for _, s := range steps {
			v := s * math.Pow(10, d)
			out = append(out, chart.Tick{Value: math.Log10(v), Label: tickText(v, a.Unit)})
		}
	}
	return out
}

// niceStep is 1, 2 or 5 times a power of ten, at least v.
func niceStep(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v {
			return m * p
		}
	}
	return 10 * p
}

// tickText is short: the unit stands in the axis's title, but seconds and bytes are scaled.
func tickText(v float64, unit string) string {
	switch {
	case unit == "s" && math.Abs(v) >= 1:
		return trimDigits(v)
	case unit == "s" && v != 0:
		return si.Time(v)
	case unit == "B":
		factor, prefix := si.Prefix(v)
		return trimDigits(v/factor) + " " + prefix + "B"
	case unit == "×":
		return trimDigits(v) + "×"
	case unit == "ratio":
		return trimDigits(100*v) + " %"
	case math.Abs(v) >= 1e4:
		factor, prefix := si.Prefix(v)
		return trimDigits(v/factor) + prefix
	}
	return trimDigits(v)
}

func trimDigits(v float64) string {
	if v < 0 {
		return "−" + trimDigits(-v)
	}
	return fmt.Sprintf("%.4g", v+0)
}
