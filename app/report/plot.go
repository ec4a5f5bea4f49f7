package report

import (
	"fmt"
	"html"
	"slices"
	"unicode/utf8"

	"github.com/wcharczuk/go-chart/v2"

	"assay/workloads"
)

// The methods that make a plot a chart.Series.

// GetName is part of chart.Series.
func (p *plot) GetName() string { return p.Title }

// GetYAxis is part of chart.Series.
func (p *plot) GetYAxis() chart.YAxisType { return chart.YAxisPrimary }

// GetStyle is part of chart.Series.
func (p *plot) GetStyle() chart.Style { return chart.Style{} }

// Validate is part of chart.Series.
func (p *plot) Validate() error { return nil }

// Render draws the reference line, then per series the marks, then intervals, lines and points.
func (p *plot) Render(r chart.Renderer, box chart.Box, xr, yr chart.Range, _ chart.Style) {
	d := pen{r: r, p: p, box: box, xr: xr, yr: yr}
	for _, t := range p.grid {
		if t.Label != "" {
			y := box.Bottom - yr.Translate(t.Value)
			d.path("grid", [2]int{box.Left, y}, [2]int{box.Right, y})
		}
	}
	if p.Reference != 0 {
		y := d.y(p.Reference)
		d.path("ref", [2]int{box.Left, y}, [2]int{box.Right, y})
	}
	if p.Kind == workloads.Scatter {
		d.takePoints()
	}
	for i := range p.Series {
		d.marks(i)
	}
	for i := range p.Series {
		switch p.Kind {
		case workloads.Lines:
			d.line(i)
		case workloads.Bars:
			d.bars(i)
		default:
			d.points(i)
		}
	}
	r.ResetStyle()
}

// pen draws in the coordinates of a chart.
type pen struct {
	r      chart.Renderer
	p      *plot
	box    chart.Box
	xr, yr chart.Range
	taken  []taken
}

func (d *pen) x(v float64) int { return d.box.Left + d.xr.Translate(transform(v, d.p.X.Scale)) }
func (d *pen) y(v float64) int { return d.box.Bottom - d.yr.Translate(transform(v, d.p.Y.Scale)) }

// class names the role of what is drawn next, and the series that it belongs to.
func class(role string, series int) string { return fmt.Sprintf("%s c%d", role, series%seriesColors) }

func (d *pen) path(class string, points ...[2]int) {
	d.r.ResetStyle()
	d.r.SetClassName(class)
	for i, p := range points {
		if i == 0 {
			d.r.MoveTo(p[0], p[1])
		} else {
			d.r.LineTo(p[0], p[1])
		}
	}
	d.r.Stroke()
}

func (d *pen) circle(class string, radius float64, x, y int) {
	d.r.ResetStyle()
	d.r.SetClassName(class)
	d.r.Circle(radius, x, y)
}

func (d *pen) text(class, body string, x, y int) {
	d.r.ResetStyle()
	d.r.SetClassName(class)
	d.r.Text(html.EscapeString(body), x, y)
}

// line is the interval as a band, the medians as a curve, and a dot per point where there are few.
func (d *pen) line(i int) {
	pts := d.p.Series[i].Points
	var curve, lower, upper [][2]int
	for _, p := range pts {
		x := d.x(p.X)
		curve = append(curve, [2]int{x, d.y(p.Y)})
		lower = append(lower, [2]int{x, d.y(p.Lo)})
		upper = append([][2]int{{x, d.y(p.Hi)}}, upper...)
	}
	if !slices.Equal(lower, reversed(upper)) {
		d.path(class("band", i), append(lower, upper...)...)
	}
	d.path(class("line", i), curve...)
	if len(pts) <= 40 {
		for _, c := range curve {
			d.circle(class("dot", i), 3, c[0], c[1])
		}
	}
}

func reversed(points [][2]int) [][2]int {
	out := slices.Clone(points)
	slices.Reverse(out)
	return out
}

// points are dots with an interval each, and a label where it has room.
func (d *pen) points(i int) {
	for _, p := range d.p.Series[i].Points {
		x := d.x(p.X)
		d.whisker(i, x, p)
		d.circle(class("dot", i), 5, x, d.y(p.Y))
		y, width := d.y(p.Y)+4, 6*utf8.RuneCountInString(p.Label)
		if at, ok := d.room(x+9, x+9+width, y, y-13, y+14, y-26, y+27); ok {
			d.text("label", p.Label, x+9, at)
		}
	}
}

func (d *pen) whisker(i, x int, p Point) {
	if p.Lo != p.Hi {
		d.path(class("whisker", i), [2]int{x, d.y(p.Lo)}, [2]int{x, d.y(p.Hi)})
	}
}

// bars stand side by side within a category.
func (d *pen) bars(i int) {
	slot := float64(d.box.Width()) / float64(max(1, len(d.p.X.Categories)))
	width := min(48, 0.8*slot/float64(len(d.p.Series)))
	floor := d.box.Bottom
	for _, p := range d.p.Series[i].Points {
		mid := float64(d.x(p.X)) + width*(float64(i)-float64(len(d.p.Series)-1)/2)
		left, right, top := int(mid-width/2+1), int(mid+width/2-1), d.y(p.Y)
		d.path(class("bar", i), [2]int{left, floor}, [2]int{left, top}, [2]int{right, top}, [2]int{right, floor})
		d.whisker(i, int(mid), p)
	}
}

// marks ring the results that a finding points at and name the finding.
func (d *pen) marks(i int) {
	for _, p := range d.p.Series[i].Points {
		if p.Mark == "" {
			continue
		}
		x, y := d.x(p.X), d.y(p.Y)
		d.circle(class("mark", i), 8, x, y)
		role := "marktext"
		switch {
		case x > d.box.Right-60:
			role = "marktext end"
		case x < d.box.Left+60:
			role = "marktext start"
		}
		if at, ok := d.room(x-35, x+35, y-14, y+24, y-28, y+38); ok {
			d.text(role, p.Mark, x, at)
		}
	}
}

// room is the first of the heights where a label is within the chart and covers nothing that stands there, and takes it.
func (d *pen) room(left, right int, heights ...int) (int, bool) {
	for _, y := range heights {
		free := y > d.box.Top-14 && y < d.box.Bottom-2
		for _, t := range d.taken {
			free = free && (t.right < left || t.left > right || max(t.y-y, y-t.y) > 12)
		}
		if free {
			d.taken = append(d.taken, taken{left, right, y})
			return y, true
		}
	}
	return 0, false
}

// taken is where a label or a point stands; y is a label's base line.
type taken struct{ left, right, y int }

// takePoints keeps labels off the points.
func (d *pen) takePoints() {
	for _, s := range d.p.Series {
		for _, p := range s.Points {
			d.taken = append(d.taken, taken{d.x(p.X) - 6, d.x(p.X) + 6, d.y(p.Y) + 4})
		}
	}
}
