package chart

import "assay/internal/metric"

// View is the specification of charts of rows: which facets, what stands along
// which axis and on which scale, which rows make a series, and what is drawn of
// them. The window, the report and a picture draw from one.
type View struct {
	Title string // heading; empty: made of the axes
	// Facet names what splits the rows into charts of their own; empty: nothing.
	Facet string
	// Most is the number of charts more than which are not drawn; 0: no limit.
	Most int
	X, Y Enc
	// Xs and Ys are what X and Y can show instead, by choice.
	Xs, Ys []Enc
	// Color names what splits the rows into series: color, marker and legend. Empty:
	// the variant.
	Color string
	// Places are the values of Color in the order of their colors and markers, so that
	// a series keeps its own whichever others there are.
	Places []string
	Layers []Layer
}

// Enc says what is measured along an axis, and on which scale. A row has a place on
// a Category axis by the text of its field, on another by its number.
type Enc struct {
	Of    string // the name of a field: a metric, or what a sweep varies
	Title string // empty: that of the field
	Scale Scale
}

// Field describes a field of rows: a metric, or what a sweep varies.
type Field struct {
	Title  string
	Unit   Unit
	Suffix string // what is counted, where that is not a unit: "rows"
	Better metric.Better
	// Relative says that it compares with a baseline, which has none itself.
	Relative bool
	// Titles are what people read in place of values, such as names that files have.
	Titles map[string]string
}

// Number is a value with its interval: Lo and Hi equal V where it has none.
type Number struct{ V, Lo, Hi float64 }

// Row is one thing that was measured, in SI units.
type Row struct {
	ID      string
	Case    string
	Variant string
	Numbers map[string]Number
	Texts   map[string]string
	Samples map[string][]float64 // of fields that were sampled
	// Bare says why its values have no intervals; empty: they have, or need none.
	Bare string
	// Missing says why the row has no numbers; it is then named in the notes.
	Missing string
	// Doubtful says that its numbers are drawn, but nothing may be concluded from them.
	Doubtful bool
	// Baseline says that it is what others are compared with.
	Baseline bool
}

// Finding is what was concluded of rows: a place along X, or a row. It is drawn as
// it is; nothing is computed again.
type Finding struct {
	Kind string // "knee", "fastest"
	Axis string // the field that At, Lo and Hi are of; empty: the finding points at its rows
	// At is the place, Lo and Hi its interval; equal where it has none.
	At, Lo, Hi float64
	Rows       []string // IDs
	Of         string   // the series that it is of, where others may differ
}

// A Layer is one thing that a view draws.
type Layer interface{ add(b *builder) }

// Lines joins the rows of a series in order of X, with their intervals as whiskers.
type Lines struct{}

// Points draws a marker for each row, named by what tells it from others of its
// series, or by its variant if there are none, and by the findings that point at it.
type Points struct {
	Note string // goes behind the findings: "with enough SNR"
	Case bool   // names rows by their case, where that is no axis
}

// Bars draws the rows as bars, those of one category side by side.
type Bars struct{}

// Front joins the rows that no other beats on both axes; which way is better is a
// matter of the fields. There is none if a row is doubtful.
type Front struct{}

// References are what others published of the categories of X: markers of series of their own beside the rows, never part of
// one.
type References struct{ Of map[string][]Reference }

// Reference is one of them, at Y. Its series names the source.
type Reference struct {
	Source, Label string
	Y             float64
}

// Only is a layer of the charts of some values of the facet.
type Only struct {
	Facets []string
	Of     Layer
}

// Ceilings are limits that no row can exceed: the roofs of a roofline.
type Ceilings struct {
	Of []Ceiling
	// Around is the factor by which they reach beyond the rows on a log scale; 0: not at all.
	Around float64
	// Missing says why there are none, Note what else is to say of them, below the axis.
	Missing, Note string
}

// Ceiling is a limit on Y: Flat, or PerX for each unit of X, up to the lowest flat one.
type Ceiling struct {
	Label      string
	Flat, PerX float64
}

// Histogram counts the samples of X by bins of equal width; Y is not used.
type Histogram struct{ Bins int } // about as many; 30 where not positive

// Heat colors the cells of two Category axes by a field.
type Heat struct{ Of string }

// Spans draws each row as a stretch of X, from one field to another, in the lane
// that Y names.
type Spans struct{ From, To string }

// Stacked draws the rows of one category of X as parts of a bar, in their order, and
// a marker at the value of the series Total, which they make up.
type Stacked struct{ Total string }

// Chart is a view drawn of rows.
type Chart struct {
	Title string
	X, Y  Field
	Facet string // the value of View.Facet
	View  *View
	Model *Model
	// Rows are the IDs of the points of each series of the model; a series of none,
	// such as a front, has none.
	Rows  [][]string
	Boxes []string // the IDs of the model's boxes
	Notes []string // what is not drawn, and why
}

// Find is the series and the point of a row.
func (c *Chart) Find(id string) (series, point int, ok bool) {
	for i := range c.Rows {
		for j, of := range c.Rows[i] {
			if of == id {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}
