package chart

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"assay/internal/metric"
)

// aside adds a series without rows.
func (b *builder) aside(s Series) {
	b.m.Series, b.c.Rows = append(b.m.Series, s), append(b.c.Rows, nil)
}

// guide is the color of anything derived from the data: visible in both themes.
func guide() color.NRGBA { return color.NRGBA{R: 128, G: 128, B: 134, A: 255} }

func (Front) add(b *builder) {
	type point struct{ x, y float64 }
	sign := func(f *Field) float64 {
		if f.Better == metric.Less {
			return -1
		}
		return 1
	}
	sx, sy := sign(&b.x), sign(&b.y)
	if b.x.Better == metric.Neither || b.y.Better == metric.Neither {
		return // no row is better than another
	}
	if slices.ContainsFunc(b.rows, func(r *Row) bool { return r.Doubtful }) {
		return
	}
	var all, front []point
	for i := range b.m.Series {
		for j := range b.c.Rows[i] {
			x, y := b.m.Series[i].At(j)
			all = append(all, point{x, y})
		}
	}
	slices.SortFunc(all, func(p, q point) int { return cmp.Or(cmp.Compare(sx*q.x, sx*p.x), cmp.Compare(sy*q.y, sy*p.y)) })
	best := math.Inf(-1)
	for _, p := range all {
		if sy*p.y > best {
			front, best = append(front, p), sy*p.y
		}
	}
	if len(front) < 2 {
		return
	}
	slices.SortFunc(front, func(p, q point) int { return cmp.Compare(p.x, q.x) })
	s := Series{Name: "best trade-offs", Color: guide(), Marker: NoMarker, Dash: Dashed}
	for _, p := range front {
		s.X, s.Y = append(s.X, p.x), append(s.Y, p.y)
	}
	b.aside(s)
}

func (k Ceilings) add(b *builder) {
	if len(k.Of) == 0 {
		b.c.Notes = append(b.c.Notes, "Ceilings not available: "+cmp.Or(k.Missing, "none is known"))
		return
	}
	if k.Note != "" {
		b.m.X.Title += " · " + k.Note
	}
	lo, hi, ok := b.spanX()
	if k.Around > 1 && lo > 0 && lo <= hi {
		lo, hi, ok = lo/k.Around, hi*k.Around, true
	}
	if !ok {
		return
	}
	roof := math.Inf(1)
	for _, c := range k.Of {
		if c.PerX == 0 {
			roof = min(roof, c.Flat)
		}
	}
	slope := 0.0
	for _, c := range k.Of {
		slope = max(slope, c.PerX)
	}
	slopes := 0
	for _, c := range k.Of {
		s := c.line(lo, hi, roof, slope, b.m.X.Scale)
		if c.PerX > 0 {
			s.Dash = slopeDashes()[min(slopes, len(slopeDashes())-1)]
			slopes++
		}
		if s.Len() > 1 {
			b.aside(s)
		}
	}
}

// slopeDashes distinguish slopes, in this order.
func slopeDashes() []Dash { return []Dash{Dotted, Sparse, Dashed} }

// spanX returns the range of X that the rows span.
func (b *builder) spanX() (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range b.m.Series {
		for j := range b.c.Rows[i] {
			x, _ := b.m.Series[i].At(j)
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	return lo, hi, lo < hi
}

// line returns a ceiling from lo to hi: a slope up to the roof, or a roof starting where the steepest slope meets it. It has enough
// points to be correct on every scale.
func (c *Ceiling) line(lo, hi, roof, slope float64, scale Scale) Series {
	const points = 48
	if c.PerX > 0 {
		hi = min(hi, roof/c.PerX)
	} else if slope > 0 {
		lo = max(lo, c.Flat/slope)
	}
	s := Series{Name: c.Label, Color: guide(), Marker: NoMarker, Dash: Dashed}
	for i := range points + 1 {
		f := float64(i) / points
		x := lo + (hi-lo)*f
		if (scale == Log2 || scale == Log10) && lo > 0 {
			x = lo * math.Pow(hi/lo, f)
		}
		if lo < hi {
			s.X, s.Y = append(s.X, x), append(s.Y, c.at(x))
		}
	}
	return s
}

// at returns the ceiling at x.
func (c *Ceiling) at(x float64) float64 {
	if c.PerX > 0 {
		return c.PerX * x
	}
	return c.Flat
}

func (k Histogram) add(b *builder) {
	lo, hi, n := math.Inf(1), math.Inf(-1), 0
	for _, row := range b.rows {
		for _, v := range row.Samples[b.v.X.Of] {
			if finite(v) {
				lo, hi, n = min(lo, v), max(hi, v), n+1
			}
		}
	}
	b.m.Y = Axis{Title: "Samples", Whole: true, FromZero: true}
	if n == 0 {
		b.m.Unavailable = fmt.Sprintf("these results have no samples of %s", lowerFirst(cmp.Or(b.x.Title, b.v.X.Of)))
		return
	}
	lo, hi = widen(lo, hi)
	bins := k.Bins
	if bins <= 0 {
		bins = 30
	}
	for _, row := range b.rows {
		samples := row.Samples[b.v.X.Of]
		if len(samples) == 0 {
			continue
		}
		at := b.series(row, Series{
			Kind: LineKind, Step: true, Fill: len(b.m.Series) == 0, Marker: NoMarker, Dash: Solid + Dash(len(b.m.Series)%autoDashes),
		})
		if b.m.Series[at].X == nil {
			b.m.Series[at].X, b.m.Series[at].Y = emptyBins(lo, hi, bins)
		}
		count(&b.m.Series[at], samples, lo, hi, bins)
		b.c.Rows[at] = append(b.c.Rows[at], row.ID)
	}
}

// emptyBins returns the edges of bins as a step line that begins and ends at 0.
func emptyBins(lo, hi float64, n int) (xs, ys []float64) {
	xs, ys = []float64{lo}, []float64{0}
	for i := range n + 1 {
		xs, ys = append(xs, lo+(hi-lo)*float64(i)/float64(n)), append(ys, 0)
	}
	return xs, ys
}

// count adds samples to the bins of a step line.
func count(s *Series, samples []float64, lo, hi float64, n int) {
	for _, v := range samples {
		if finite(v) {
			s.Y[1+min(n-1, int((v-lo)/(hi-lo)*float64(n)))]++
		}
	}
}

func (k Heat) add(b *builder) {
	f := b.field(k.Of)
	b.m.X.Scale, b.m.Y.Scale = Category, Category
	b.m.Y.Title = withSuffix(&b.v.Y, &b.y)
	b.m.X.Unit, b.m.Y.Unit = None, None
	ramp := Ramp{Title: cmp.Or(f.Title, k.Of), Unit: f.Unit, Lo: math.Inf(1), Hi: math.Inf(-1)}
	var ids []string
	for _, row := range b.rows {
		if row.Missing != "" {
			continue
		}
		x, y := b.slot(&b.m.X, row, b.v.X.Of), b.slot(&b.m.Y, row, b.v.Y.Of)
		v := math.NaN()
		if n, ok := row.Numbers[k.Of]; ok && finite(n.V) {
			v = n.V
			ramp.Lo, ramp.Hi = min(ramp.Lo, v), max(ramp.Hi, v)
		}
		b.m.Boxes = append(b.m.Boxes, Box{X0: x - 0.5, X1: x + 0.5, Y0: y - 0.5, Y1: y + 0.5, Shaded: true, Value: v, Note: row.Case + ", " + row.Variant})
		ids = append(ids, row.ID)
	}
	if !(ramp.Lo <= ramp.Hi) {
		b.m.Boxes, b.m.Unavailable = nil, "no result has a value of "+lowerFirst(ramp.Title)
		return
	}
	b.m.Ramp, b.c.Boxes = ramp, ids
}

func (k Spans) add(b *builder) {
	b.m.Y.Scale, b.m.Y.Unit = Category, None
	var ids []string
	for _, row := range b.rows {
		from, ok := row.Numbers[k.From]
		to, ended := row.Numbers[k.To]
		if row.Missing != "" {
			continue // the notes name it
		}
		if !ok || !ended || !(from.V <= to.V) || !finite(to.V-from.V) {
			b.note("%s, %s (no beginning and end)", row.Case, row.Variant)
			continue
		}
		name := b.seriesName(row)
		y := b.slot(&b.m.Y, row, b.v.Y.Of)
		b.m.Boxes = append(b.m.Boxes, Box{
			X0: from.V, X1: to.V, Y0: y - 0.36, Y1: y + 0.36, Place: b.listed(name), Value: to.V - from.V, Label: name, Note: row.Case,
		})
		ids = append(ids, row.ID)
	}
	if len(ids) == 0 {
		b.m.Unavailable = "no result says when it began and ended"
		return
	}
	b.m.Ramp, b.c.Boxes = Ramp{Title: "Duration", Unit: b.m.X.Unit}, ids
	for i, name := range b.places { // the legend names them
		if slices.ContainsFunc(b.m.Boxes, func(x Box) bool { return x.Label == name }) {
			b.aside(Series{Name: name, Kind: BarKind, Place: 1 + i})
		}
	}
}

func (k References) add(b *builder) {
	first := len(b.m.Series)
	for at, name := range b.m.X.Categories {
		for _, r := range k.Of[name] {
			i := first + slices.IndexFunc(b.m.Series[first:], func(s Series) bool { return s.Name == r.Source })
			if i < first {
				i = len(b.m.Series)
				b.aside(Series{Kind: PointKind, Name: r.Source, Ink: true})
			}
			s := &b.m.Series[i]
			s.X, s.Y, s.Labels = append(s.X, float64(at)), append(s.Y, r.Y), append(s.Labels, r.Label)
		}
	}
}

func (k Only) add(b *builder) {
	if slices.Contains(k.Facets, b.c.Facet) {
		k.Of.add(b)
	}
}

func (k Stacked) add(b *builder) {
	b.m.X.Scale, b.m.X.Unit, b.m.Y.FromZero = Category, None, true
	b.places = slices.DeleteFunc(b.places, func(name string) bool { return name == k.Total })
	heights := map[float64]float64{}
	total := Series{Kind: PointKind, Name: k.Total, Ink: true}
	var totals, ids []string
	for _, row := range b.rows {
		v, ok := row.Numbers[b.v.Y.Of]
		if row.Missing != "" || !ok || !finite(v.V) || v.V < 0 {
			continue // the notes name it
		}
		x, name := b.slot(&b.m.X, row, b.v.X.Of), b.seriesName(row)
		if name == k.Total {
			total.X, total.Y = append(total.X, x), append(total.Y, v.V)
			totals = append(totals, row.ID)
			continue
		}
		from := heights[x]
		heights[x] = from + v.V
		b.m.Boxes = append(b.m.Boxes, Box{
			X0: x - 0.32, X1: x + 0.32, Y0: from, Y1: heights[x], Place: b.listed(name), Value: v.V, Label: name, Note: row.Case,
		})
		ids = append(ids, row.ID)
	}
	b.m.Ramp, b.c.Boxes = Ramp{Title: b.m.Y.Title, Unit: b.m.Y.Unit}, ids
	for i, name := range b.places { // the legend names them
		b.aside(Series{Name: name, Kind: BarKind, Place: 1 + i})
	}
	if total.Len() > 0 {
		b.m.Series, b.c.Rows = append(b.m.Series, total), append(b.c.Rows, totals)
	}
}
