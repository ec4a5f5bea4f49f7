package chart

import (
	"image/color"
	"slices"
	"time"

	"assay/internal/severity"
)

// Kind says how a series is drawn.
type Kind uint8

// The kinds of series.
const (
	LineKind  Kind = iota // a line through points of ascending X
	PointKind             // separate points
	BarKind               // one bar per point, grouped with the other bar series
)

// Marker is the shape of a point. It distinguishes series without color.
type Marker uint8

// The marker shapes. AutoMarker uses the shape of the series' position.
const (
	AutoMarker Marker = iota
	Circle
	Square
	Triangle
	Diamond
	Ring
	Cross
	markerEnd
	NoMarker // a line distinguished by its dashes
)

// Dash is the stroke pattern of a line.
type Dash uint8

// The stroke patterns. AutoDash is solid for the first three series of a model, then dashed, so that no two series
// share shape and dash.
const (
	AutoDash Dash = iota
	Solid
	Dashed
	Dotted
	Sparse // dots far apart
	dashEnd
)

// autoDashes is how many of them AutoDash takes, from Solid on.
const autoDashes = int(Sparse - Solid)

// Series is one named set of points.
type Series struct {
	Name string
	Kind Kind

	// X and Y are the points. The shorter slice bounds both. Without X the index is used. A line needs ascending X and
	// breaks where X decreases.
	X, Y []float64
	// Lo and Hi, if given, are the ends of each point's interval: a soft band around a line, whiskers on points and
	// bars.
	Lo, Hi []float64
	// Bare, if given, explains why points have no interval: "one sample". Empty for a value that is known exactly.
	Bare []string
	// Labels, if given, are short texts beside the points.
	Labels []string

	// Place, if positive, is the position, from 1, that determines this series' color and marker regardless of the other series;
	// otherwise its index does.
	Place int
	Color color.NRGBA // zero: the palette's color for this position
	// Ink draws the series in the color of text, whatever the theme.
	Ink    bool
	Marker Marker
	Dash   Dash
	// Right measures the series on the right axis, Model.Y2.
	Right bool
	// Fill shades the area below a line.
	Fill bool
	// Step draws a line as steps: each value lasts up to the next X. The risers are solid regardless of Dash.
	Step bool
	// ShowMarkers draws the marker on every point of a line.
	ShowMarkers bool
	// Whiskers draws the intervals of a line as whiskers instead of a band.
	Whiskers bool
	// Hollow draws the markers as outlines, to distinguish points from another source.
	Hollow bool
	// Edge draws the points beyond a fixed range of Y at the edge of the plot.
	Edge bool
	// Note is a plain sentence shown with a value on hover, such as its source.
	Note string
	// Value, if not nil, is the text that the legend shows after the name; a crosshair replaces it with the value at its moment.
	Value []byte

	paired bool // points 2k and 2k+1 are the minimum and maximum of one interval, in order of time
}

// Len is the number of points.
func (s *Series) Len() int {
	if s.X == nil {
		return len(s.Y)
	}
	return min(len(s.X), len(s.Y))
}

// At returns point i as given, missing values included.
func (s *Series) At(i int) (x, y float64) {
	if s.X == nil {
		return float64(i), s.Y[i]
	}
	return s.X[i], s.Y[i]
}

// DeleteX removes the point at x, if there is one.
func (s *Series) DeleteX(x float64) {
	i := slices.Index(s.X, x)
	if i < 0 {
		return
	}
	s.X, s.Y, s.Labels = slices.Delete(s.X, i, i+1), slices.Delete(s.Y, i, i+1), slices.Delete(s.Labels, i, i+1)
	s.Lo, s.Hi, s.Bare = slices.Delete(s.Lo, i, i+1), slices.Delete(s.Hi, i, i+1), slices.Delete(s.Bare, i, i+1)
}

// Spot identifies a point of a chart, in any series.
type Spot struct {
	On   bool
	X, Y float64
}

// Interval returns the interval of point i, and whether it has a finite one.
func (s *Series) Interval(i int) (lo, hi float64, ok bool) {
	if i >= len(s.Lo) || i >= len(s.Hi) {
		return 0, 0, false
	}
	lo, hi = s.Lo[i], s.Hi[i]
	return lo, hi, finite(lo) && finite(hi) && lo <= hi
}

// Scale maps values to positions along an axis.
type Scale uint8

// The scales. Only positive values have a position on a log scale.
const (
	Linear   Scale = iota
	Log2           // ticks at powers of two
	Log10          // ticks at powers of ten
	Category       // point x is in the middle of slot round(x); on Y the first is the highest
	Window         // X only: seconds, labeled by their distance from Max, "now"
)

// Axis describes one axis.
type Axis struct {
	Title string
	Unit  Unit
	Scale Scale
	// Min and Max fix the range. If Min >= Max, the data determine it.
	Min, Max float64
	// FromZero makes an automatic linear range include zero.
	FromZero bool
	// Whole restricts the ticks of a linear range to whole numbers, for counts.
	Whole bool
	// Categories names the slots of a Category axis.
	Categories []string
}

// Mark is a vertical line at X with a short label, such as a knee.
type Mark struct {
	X     float64
	Label string
	// Lo and Hi, if Lo is lower, are the ends of its shaded interval.
	Lo, Hi float64
}

// Band is a shaded horizontal range of Y with a short label.
type Band struct {
	Lo, Hi float64
	Label  string
}

// Rule is a horizontal line at Y with a short label, such as "no difference".
type Rule struct {
	Y     float64
	Label string
}

// Phase is a range of X, shaded and named above the plot. If To is not finite, the phase has not ended.
type Phase struct {
	From, To float64
	Label    string
	Odd      bool // shaded more lightly, to distinguish it from its neighbors
}

// State is a range of X in which a metric was in a named state, such as "nominal". If To is not finite, it still is.
type State struct {
	From, To float64
	Label    string
	Level    float64        // height of its step: 0, the best, … 1, the worst
	Severity severity.Level // chooses the shape and the color
}

// Event is something that happened at X: a mark explained on hover.
type Event struct {
	X        float64
	Label    string
	Severity severity.Level // chooses the shape and the color
}

// Model is everything a chart shows. The zero Model says "No data yet".
type Model struct {
	Series []Series
	X, Y   Axis
	Y2     Axis // for the series that are Right; linear
	Marks  []Mark
	Rules  []Rule
	Bands  []Band
	Phases []Phase
	Events []Event
	Boxes  []Box
	Ramp   Ramp // for the values of the boxes
	Halo   Spot // has a disk behind it: the newest point
	// States are drawn as steps in a lane below the plot, or in the whole plot if there are no series; StateName is
	// their metric.
	States    []State
	StateName string
	// Epoch, if not zero, is the time at which X is 0 on a Window axis: hovering then shows the time of day.
	Epoch time.Time
	// Unavailable, if not empty, is shown instead of the data.
	Unavailable string
	// Paused says that the end of a Window axis is no longer now.
	Paused bool
	// HideLegend hides the legend.
	HideLegend bool
	// HideNames hides the names of the phases; hovering still shows them.
	HideNames bool
}

// Style is the set of colors of a theme.
type Style struct {
	Background color.NRGBA
	Foreground color.NRGBA // values and messages
	Secondary  color.NRGBA // tick labels and captions
	Grid       color.NRGBA
	Dark       bool // chooses the palette
	// Text scales the text; 1 if not positive.
	Text float64
}

// LightStyle is the style for a white window.
func LightStyle() Style {
	return Style{
		Background: color.NRGBA{255, 255, 255, 255},
		Foreground: color.NRGBA{29, 29, 31, 255},
		Secondary:  color.NRGBA{110, 110, 115, 255},
		Grid:       color.NRGBA{0, 0, 0, 22},
	}
}

// DarkStyle is the style for a dark window.
func DarkStyle() Style {
	return Style{
		Background: color.NRGBA{28, 28, 30, 255},
		Foreground: color.NRGBA{245, 245, 247, 255},
		Secondary:  color.NRGBA{152, 152, 157, 255},
		Grid:       color.NRGBA{255, 255, 255, 26},
		Dark:       true,
	}
}

// StyleOf is the style for a background and a foreground, ignoring their alpha. text scales the text.
func StyleOf(background, foreground color.NRGBA, text float64) Style {
	background.A, foreground.A = 255, 255
	grid := foreground
	grid.A = 24
	return Style{
		Background: background, Foreground: foreground, Secondary: mix(background, foreground, 0.66), Grid: grid,
		Dark: luma(background) < luma(foreground), Text: text,
	}
}

func luma(c color.NRGBA) int { return 299*int(c.R) + 587*int(c.G) + 114*int(c.B) }
