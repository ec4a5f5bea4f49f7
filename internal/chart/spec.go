package chart

import "assay/internal/metric"

// View specifies charts of rows: the facets, the field and scale of each axis, which rows make a series, and how they are drawn. The
// window, the report and pictures all draw from it.
type View struct {
	Title string // heading; empty: derived from the axes
	// Facet names the field that splits the rows into separate charts; empty: none.
	Facet string
	// Most is the maximum number of charts drawn; 0: no limit.
	Most int
	X, Y Enc
	// Xs and Ys are alternatives for X and Y that the user can choose.
	Xs, Ys []Enc
	// Color names the field that splits the rows into series: color, marker and legend. Empty: the variant.
	Color string
	// Places are the values of Color in the order of their colors and markers, so that a series keeps its look whichever others are
	// present.
	Places []string
	Layers []Layer
}

// Enc specifies the field and the scale of an axis. A row's position on a Category axis is given by the text of its field, on other
// axes by its number.
type Enc struct {
	Of    string // name of a field: a metric, or what a sweep varies
	Title string // empty: the field's
	Scale Scale
}

// Field describes a field of rows: a metric, or what a sweep varies.
type Field struct {
	Title  string
	Unit   Unit
	Suffix string // what is counted, if that is not a unit: "rows"
	Better metric.Better
	// Relative means that it compares with a baseline, which has no such value itself.
	Relative bool
	// Titles are shown in place of values, such as names used in files.
	Titles map[string]string
}

// Number is a value with its interval: Lo and Hi equal V if it has none.
type Number struct{ V, Lo, Hi float64 }

// Row is one thing that was measured, in SI units.
type Row struct {
	ID      string
	Case    string
	Variant string
	Numbers map[string]Number
	Texts   map[string]string
	Samples map[string][]float64 // of sampled fields
	// Bare explains why its values have no intervals; empty: they have them, or need none.
	Bare string
	// Missing explains why the row has no numbers; the notes then name it.
	Missing string
	// Doubtful means that its numbers are drawn, but nothing may be concluded from them.
	Doubtful bool
	// Baseline means that others are compared with it.
	Baseline bool
}

// Finding is a conclusion about rows: a position along X, or a row. It is drawn as given; nothing is computed again.
type Finding struct {
	Kind string // "knee", "fastest"
	Axis string // the field of At, Lo and Hi; empty: the finding points at its rows
	// At is the position, Lo and Hi its interval; they are equal if it has none.
	At, Lo, Hi float64
	Rows       []string // IDs
	Of         string   // the series it concerns, if others may differ
}

// A Layer is one thing that a view draws.
type Layer interface{ add(b *builder) }

// Lines joins the rows of a series in order of X, with their intervals as whiskers.
type Lines struct{}

// Points draws a marker for each row, labeled by what distinguishes it from others of its series, or by its variant if there are none,
// and by the findings that point at it.
type Points struct {
	Note string // follows the findings: "with enough SNR"
	Case bool   // labels rows by their case, if that is not an axis
}

// Bars draws the rows as bars, those of one category side by side.
type Bars struct{}

// Front joins the rows that no other row beats on both axes; the fields determine which direction is better. There is none if a row is
// doubtful.
type Front struct{}

// References are published values for the categories of X: markers of separate series next to the rows, never part of one.
type References struct{ Of map[string][]Reference }

// Reference is a published value at Y. Its series names the source.
type Reference struct {
	Source, Label string
	Y             float64
}

// Only draws a layer only in the charts of some values of the facet.
type Only struct {
	Facets []string
	Of     Layer
}

// Ceilings are limits that no row can exceed: the roofs of a roofline.
type Ceilings struct {
	Of []Ceiling
	// Around is the factor by which they extend beyond the rows on a log scale; 0: not at all.
	Around float64
	// Missing explains why there are none; Note is any other remark about them, below the axis.
	Missing, Note string
}

// Ceiling is a limit on Y: Flat, or PerX for each unit of X, up to the lowest flat one.
type Ceiling struct {
	Label      string
	Flat, PerX float64
}

// Histogram counts the samples of X by bins of equal width; Y is not used.
type Histogram struct{ Bins int } // approximate number; 30 if not positive

// Heat colors the cells of two Category axes by a field.
type Heat struct{ Of string }

// Spans draws each row as a range of X, from one field to another, in the lane named by Y.
type Spans struct{ From, To string }

// Stacked draws the rows of one category of X as parts of a bar, in order, and a marker at the value of the series Total, which is
// their sum.
type Stacked struct{ Total string }

// Chart is a view drawn from rows.
type Chart struct {
	Title string
	X, Y  Field
	Facet string // the value of View.Facet
	View  *View
	Model *Model
	// Rows are the IDs of the points of each series of the model; a series without rows, such as a front, has no IDs.
	Rows  [][]string
	Boxes []string // the IDs of the model's boxes
	Notes []string // what is not drawn, and why
}

// Find returns the series and the point of a row.
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
