package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/plain"
)

// Charts draws rows according to the view: one chart per value of the facet. Rows without any field of X belong to another view.
func (v *View) Charts(field func(name string) Field, rows []Row, found []Finding) []Chart {
	var list []*builder
	for i := range rows {
		row := &rows[i]
		if !row.has(v.X.Of) && !v.stretches(row) {
			continue
		}
		facet := row.Texts[v.Facet]
		at := slices.IndexFunc(list, func(b *builder) bool { return b.c.Facet == facet })
		if at < 0 {
			at = len(list)
			list = append(list, newBuilder(v, field, facet))
		}
		list[at].rows = append(list[at].rows, row)
	}
	if v.Most > 0 && len(list) > v.Most {
		return nil
	}
	var charts []Chart
	for _, b := range list {
		if b.build(found); len(b.c.Rows)+len(b.c.Boxes) > 0 || b.m.Unavailable != "" {
			charts = append(charts, *b.c)
		}
	}
	return charts
}

// has reports whether a row has a value of a field.
func (r *Row) has(field string) bool {
	_, number := r.Numbers[field]
	_, word := r.Texts[field]
	return number || word || len(r.Samples[field]) > 0 || r.Missing != "" && field == ""
}

// stretches reports whether fields other than X determine a row's position on X: it has one of them, or a lane.
func (v *View) stretches(row *Row) bool {
	return slices.ContainsFunc(v.Layers, func(l Layer) bool {
		k, ok := l.(Spans)
		return ok && (row.has(k.From) || row.has(k.To) || row.has(v.Y.Of))
	})
}

// builder makes one chart of a view.
type builder struct {
	v      *View
	c      *Chart
	m      *Model
	x, y   Field
	field  func(name string) Field
	rows   []*Row
	found  []Finding
	folded []string // kinds of findings that are stated once, not at each row
	places []string // the series in the order of their colors and markers: the view's first, then any others
	// The numbers of the slots of a Category axis of X, if any.
	slots []float64
}

func newBuilder(v *View, field func(name string) Field, facet string) *builder {
	b := &builder{v: v, field: field, x: field(v.X.Of), y: field(v.Y.Of), places: slices.Clone(v.Places)}
	b.m = &Model{X: axisOf(&v.X, &b.x), Y: axisOf(&v.Y, &b.y)}
	b.m.X.Title = withSuffix(&v.X, &b.x)
	b.c = &Chart{View: v, Model: b.m, Facet: facet, Title: v.title(&b.x, &b.y, titled(v.Facet, facet, field)), X: b.x, Y: b.y}
	return b
}

// titled returns a value of a field for people: "2 layers".
func titled(name, value string, field func(name string) Field) string {
	if name == "" {
		return value
	}
	f := field(name)
	if title := f.Titles[value]; title != "" || f.Suffix == "" {
		return cmp.Or(title, value)
	}
	if value == "1" {
		return value + " " + strings.TrimSuffix(f.Suffix, "s")
	}
	return value + " " + f.Suffix
}

// axisOf is the axis of an encoding.
func axisOf(e *Enc, f *Field) Axis {
	return Axis{Title: cmp.Or(e.Title, f.Title, e.Of), Unit: f.Unit, Scale: e.Scale}
}

// withSuffix returns the title of an axis with its suffix, unless the title already contains it: "Matrix side (rows)", "Rows".
func withSuffix(e *Enc, f *Field) string {
	title := cmp.Or(e.Title, f.Title, e.Of)
	if f.Suffix != "" && !strings.EqualFold(title, f.Suffix) {
		title += " (" + f.Suffix + ")"
	}
	return title
}

// title returns the heading of a chart, derived from the axes if the view has none.
func (v *View) title(x, y *Field, facet string) string {
	title := v.Title
	if title == "" {
		title = cmp.Or(y.Title, v.Y.Of) + " by " + lowerFirst(cmp.Or(v.X.Title, x.Title, v.X.Of))
	}
	switch {
	case facet == "":
		return title
	case v.Title != "":
		return title + ": " + facet
	}
	if len(facet) <= 3 { // an abbreviation
		return strings.ToUpper(facet) + ": " + lowerFirst(title)
	}
	return plain.Capitalized(facet) + ": " + lowerFirst(title)
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// build adds the layers and the findings.
func (b *builder) build(found []Finding) {
	b.found = found
	b.foldKinds()
	for _, row := range b.rows {
		if row.Missing != "" {
			b.note("%s, %s (%s)", row.Case, row.Variant, row.Missing)
		}
	}
	for _, l := range b.v.Layers {
		l.add(b)
	}
	b.addMarks()
}

// manyRows is the minimum number of rows for which a kind of finding that points at every one of them is stated only once.
const manyRows = 4

// foldKinds moves kinds that point at every drawn row from the rows to the title of Y: a label at each would hide the curve.
func (b *builder) foldKinds() {
	drawn := slices.DeleteFunc(slices.Clone(b.rows), func(row *Row) bool { return row.Missing != "" })
	if len(drawn) < manyRows {
		return
	}
	for _, kind := range b.kinds(drawn[0]) {
		if !slices.ContainsFunc(drawn, func(row *Row) bool { return !slices.Contains(b.kinds(row), kind) }) {
			b.folded = append(b.folded, kind)
			b.m.Y.Title += " (all " + kind + ")"
		}
	}
}

func (b *builder) note(format string, args ...any) {
	b.c.Notes = append(b.c.Notes, "Not drawn: "+fmt.Sprintf(format, args...))
}

// series is the series of a row, created if missing.
func (b *builder) series(row *Row, like Series) int {
	name := b.seriesName(row)
	at := slices.IndexFunc(b.m.Series, func(s Series) bool { return s.Name == name })
	if at < 0 {
		at = len(b.m.Series)
		like.Name, like.Place = name, b.seriesPlace(name)
		b.m.Series, b.c.Rows = append(b.m.Series, like), append(b.c.Rows, nil)
	}
	return at
}

// seriesPlace returns the Place of a series. A view's Places are reserved for its own series; without Places, the order of the series
// decides.
func (b *builder) seriesPlace(name string) int {
	if len(b.v.Places) == 0 {
		return 0
	}
	return b.listed(name)
}

// listed returns the place of a series, from 1, adding it if it is missing.
func (b *builder) listed(name string) int {
	at := slices.Index(b.places, name)
	if at < 0 {
		at = len(b.places)
		b.places = append(b.places, name)
	}
	return 1 + at
}

func (b *builder) seriesName(row *Row) string { return cmp.Or(row.Texts[b.v.Color], row.Variant) }

// points adds each row that has a place on both axes to its series.
func (b *builder) points(like Series, label func(row *Row) string) {
	for _, row := range b.rows {
		if row.Missing != "" {
			continue
		}
		y, ok := row.Numbers[b.v.Y.Of]
		if !ok && row.Baseline && b.y.Relative {
			continue // the baseline of the others
		}
		x, there := b.place(row)
		if !ok || !there || !finite(y.V) || !b.m.Y.holds(y.V) {
			b.note("%s, %s (no finite value on both axes)", row.Case, row.Variant)
			continue
		}
		bare := ""
		if !finite(y.Lo) || !finite(y.Hi) || !b.m.Y.holds(y.Lo) {
			y.Lo, y.Hi, bare = math.NaN(), math.NaN(), cmp.Or(row.Bare, "no interval")
		}
		at := b.series(row, like)
		s := &b.m.Series[at]
		s.X, s.Y, s.Labels = append(s.X, x), append(s.Y, y.V), append(s.Labels, label(row))
		s.Lo, s.Hi, s.Bare = append(s.Lo, y.Lo), append(s.Hi, y.Hi), append(s.Bare, bare)
		b.c.Rows[at] = append(b.c.Rows[at], row.ID)
	}
}

// place is the position of a row on X.
func (b *builder) place(row *Row) (float64, bool) {
	if b.v.X.Scale == Category {
		return b.slot(&b.m.X, row, b.v.X.Of), true
	}
	x, ok := row.Numbers[b.v.X.Of]
	return x.V, ok && finite(x.V) && b.m.X.holds(x.V)
}

// slot is the place of a row's text on a Category axis.
func (b *builder) slot(a *Axis, row *Row, field string) float64 {
	name := cmp.Or(row.Texts[field], row.Case)
	at := slices.Index(a.Categories, name)
	if at < 0 {
		at = len(a.Categories)
		a.Categories = append(a.Categories, name)
		if a == &b.m.X {
			b.slots = append(b.slots, row.Numbers[field].V)
		}
	}
	return float64(at)
}

// holds reports whether a scale has a place for a value.
func (a *Axis) holds(v float64) bool { return v > 0 || a.Scale != Log2 && a.Scale != Log10 }

func (Lines) add(b *builder) {
	b.points(Series{Kind: LineKind, ShowMarkers: true, Whiskers: true}, func(row *Row) string {
		return strings.Join(b.kinds(row), ", ")
	})
	for i := range b.m.Series {
		if b.m.Series[i].Kind == LineKind && b.c.Rows[i] != nil {
			b.m.Series[i].SortX(b.c.Rows[i])
		}
	}
}

func (k Points) add(b *builder) {
	of := map[string]int{} // rows of each series
	for _, row := range b.rows {
		of[b.seriesName(row)]++
	}
	b.points(Series{Kind: PointKind, ShowMarkers: true, Whiskers: true}, func(row *Row) string {
		name := row.Variant
		if series := b.seriesName(row); of[series] > 1 {
			name = cmp.Or(strings.TrimSpace(strings.TrimPrefix(name, series)), name)
		}
		if k.Case && row.Case != "" {
			name = row.Case
		}
		if kinds := b.kinds(row); len(kinds) > 0 {
			name += " (" + strings.TrimSpace(strings.Join(kinds, ", ")+" "+k.Note) + ")"
		}
		return name
	})
}

func (Bars) add(b *builder) {
	b.m.Y.FromZero = true
	b.points(Series{Kind: BarKind}, func(*Row) string { return "" })
}

// kinds are the findings that point at a row and have no place on X.
func (b *builder) kinds(row *Row) (list []string) {
	for i := range b.found {
		f := &b.found[i]
		if f.Axis == "" && slices.Contains(f.Rows, row.ID) && !slices.Contains(list, f.Kind) && !slices.Contains(b.folded, f.Kind) {
			list = append(list, f.Kind)
		}
	}
	return list
}

func (k Rule) add(b *builder) { b.m.Rules = append(b.m.Rules, k) }

func (k Band) add(b *builder) { b.m.Bands = append(b.m.Bands, k) }

// addMarks draws the findings with a place on X; if there are several of one kind, each names its series.
func (b *builder) addMarks() {
	var names [][]string
	for i := range b.found {
		f := &b.found[i]
		if f.Axis == "" || f.Axis != b.v.X.Of || !finite(f.At) || !b.shows(f) {
			continue
		}
		mark := Mark{X: b.markPlace(f.At), Label: f.Kind}
		if f.Lo < f.Hi && b.v.X.Scale != Category {
			mark.Lo, mark.Hi = f.Lo, f.Hi
		}
		at := slices.IndexFunc(b.m.Marks, func(k Mark) bool { return k.X == mark.X && k.Label == mark.Label })
		if at < 0 {
			at = len(b.m.Marks)
			b.m.Marks, names = append(b.m.Marks, mark), append(names, nil)
		}
		if f.Of != "" && !slices.Contains(names[at], f.Of) {
			names[at] = append(names[at], f.Of)
		}
	}
	for i := range b.m.Marks {
		if len(b.m.Marks) > 1 && len(names[i]) > 0 {
			b.m.Marks[i].Label += " " + strings.Join(names[i], ", ")
		}
	}
}

// shows reports whether a finding belongs to a row of this chart.
func (b *builder) shows(f *Finding) bool {
	return slices.ContainsFunc(b.c.Rows, func(ids []string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(f.Rows, id) })
	})
}

// markPlace is the position of a value on X; on a Category axis between the slots of the values around it.
func (b *builder) markPlace(v float64) float64 {
	if b.v.X.Scale != Category {
		return v
	}
	for i, at := range b.slots {
		if at >= v {
			return max(0, float64(i)-0.5)
		}
	}
	return float64(len(b.slots)) - 0.5
}

// SortX sorts the points of a series by X, and a parallel list with them.
func (s *Series) SortX(with []string) {
	order := make([]int, s.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.X[a], s.X[b]) })
	s.X, s.Y, s.Lo, s.Hi = reordered(s.X, order), reordered(s.Y, order), reordered(s.Lo, order), reordered(s.Hi, order)
	s.Labels, s.Bare = reordered(s.Labels, order), reordered(s.Bare, order)
	copy(with, reordered(with, order))
}

// reordered is a list in another order; a shorter list is unchanged.
func reordered[T any](list []T, order []int) []T {
	if len(list) < len(order) {
		return list
	}
	out := make([]T, len(order))
	for i, k := range order {
		out[i] = list[k]
	}
	return out
}
