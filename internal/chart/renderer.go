package chart

import (
	"fmt"
	"image"
	"math"

	"golang.org/x/image/font/opentype"
)

// Renderer draws models. It caches glyphs, the axes' pixels and its scratch memory between drawings. It is not safe for
// concurrent use.
type Renderer struct {
	font         *opentype.Font
	scale, text  float64 // pixels per logical pixel; factor on the text
	w, h         int
	small, large *typeface // labels; messages

	lay          layout
	base         image.RGBA // background, grid, labels: copied before each drawing
	back, front  raster     // base and the picture being drawn, as canvases
	under        canvas     // what the base layer is drawn on
	key          uint64     // what base was drawn from
	warm         bool
	strokes      []stroker // of the lines, by series
	upper, lower stroker   // the edges of an interval band
	areas        [maxAreas]area
	mixes        []uint32     // per row of the plot and set of areas: the color
	mixKey       uint64       // key for which mixes were computed; 0: none
	shaded       [2][]bool    // per column of the plot: in an even phase, in an odd one
	plainTo      []int32      // per row y of the plot: the end of the rows from y on that have one color; y if row y has several
	ends         []legendEnd  // where the legend's values go
	rowEnd       [maxRows]int // where the texts of each row above the plot end
	titleEnd     int          // where the title of X ends
	valueRoom    int          // the minimum room of a value in the legend
	moreRoom     int          // for the note on omitted legend entries
	fixed        int          // how many of placed belong to base
	buf          []byte
	leaders      []leader             // of the labels already placed
	ruleAt       [maxRules]uint8      // the position of each rule's label
	short        map[shortName]string // names of phases, shortened
	stamps       map[stampKey]*stamp
	seen         func(text string, box image.Rectangle) // called with each text drawn, in tests
	style        Style
	tip          image.Rectangle   // the box of the last hover
	placed       []image.Rectangle // labels already placed
}

// Font sizes in logical pixels.
const (
	smallSize = 10.5
	largeSize = 13
)

// NewRenderer makes a renderer that writes with a TrueType or OpenType font.
func NewRenderer(fontData []byte) (*Renderer, error) {
	f, err := opentype.Parse(fontData)
	if err != nil {
		return nil, fmt.Errorf("chart: font: %w", err)
	}
	r := &Renderer{font: f}
	r.back, r.front = raster{img: &r.base, r: r}, raster{r: r}
	r.under = &r.back
	if err := r.setScale(1, 1); err != nil {
		return nil, err
	}
	return r, nil
}

// setScale makes the typefaces for a number of pixels per logical pixel and a
// factor on the text.
func (r *Renderer) setScale(scale, text float64) error {
	if !(scale >= 0.25) {
		scale = 0.25
	}
	if !(text > 0) {
		text = 1
	}
	scale, text = min(scale, 8), max(0.5, min(text, 4))
	if r.scale == scale && r.text == text {
		return nil
	}
	small, err := newTypeface(r.font, smallSize*scale*text)
	if err != nil {
		return err
	}
	large, err := newTypeface(r.font, largeSize*scale*text)
	if err != nil {
		return err
	}
	small.seen, large.seen = r.seen, r.seen
	r.scale, r.text, r.small, r.large, r.warm = scale, text, small, large, false
	clear(r.short)
	r.valueRoom, r.moreRoom = small.widthString(valueRoom), small.widthString("+99 more")+r.px(20)
	return nil
}

// Draw draws m over the whole of dst. scale is the number of pixels per logical
// pixel (clamped to 0.25 … 8); line widths, text and spacing follow it.
func (r *Renderer) Draw(dst *image.RGBA, m *Model, st Style, scale float64) {
	r.DrawWith(dst, m, st, scale, Hover{})
}

// DrawWith is Draw with a hover: if it points at a moment of all series, the legend shows their values there.
func (r *Renderer) DrawWith(img *image.RGBA, m *Model, st Style, scale float64, h Hover) {
	if img.Rect.Empty() || !r.prepare(img, m, st, scale) {
		return
	}
	dst := r.onto(img)
	r.drawSeries(dst, m)
	if at, ok := r.moment(m, h); ok {
		r.drawValuesAt(dst, m, at)
	} else {
		r.drawValues(dst, m)
	}
	r.DrawHover(img, m, h)
}

// Forget makes the next drawing lay out the chart again, for a model with different data.
func (r *Renderer) Forget() { r.warm = false }

// onto is a picture as a canvas.
func (r *Renderer) onto(img *image.RGBA) canvas {
	r.front.img = img
	return &r.front
}

// bounds is the whole of the picture.
func (r *Renderer) bounds() image.Rectangle { return image.Rect(0, 0, r.w, r.h) }

// prepare draws everything except the data, and reports whether there is data to draw.
func (r *Renderer) prepare(dst *image.RGBA, m *Model, st Style, scale float64) bool {
	if err := r.setScale(scale, st.Text); err != nil {
		return false // NewRenderer has already made a face of this font
	}
	e := extentOf(m)
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	shown := r.hasData(m, &e)
	if k := r.modelKey(m, st, w, h, shown); !r.warm || k != r.key || r.moved(m, &e) {
		r.w, r.h, r.style, r.key, r.warm = w, h, st, k, true
		r.arrange(m, w, h, &e)
		r.drawBase(m, shown)
	}
	copyImage(dst, &r.base)
	return shown
}

// hasData reports whether there is anything to draw.
func (r *Renderer) hasData(m *Model, e *extent) bool {
	return (e.y.ok || e.y2.ok || onlyStates(m)) && m.Unavailable == ""
}

// moved reports whether the data have left the ranges of the layout.
func (r *Renderer) moved(m *Model, e *extent) bool {
	l := &r.lay
	lo, hi := xRange(&m.X, e.x, padsX(m))
	if m.X.Scale == Window && fixedRange(&m.X) {
		// A window slides without changing its labels.
		if math.Abs((hi-lo)-(l.x.hi-l.x.lo)) > 1e-6*(hi-lo) {
			return true
		}
		r.slide(m)
	} else if lo != l.x.lo || hi != l.x.hi {
		return true
	}
	ylo, yhi, _ := yRange(&m.Y, e.y, e.bars, l.parts)
	if ylo != l.y.lo || yhi != l.y.hi || !l.right.on {
		return ylo != l.y.lo || yhi != l.y.hi
	}
	ylo, yhi, _ = rightRange(&m.Y2, e.y2, l.gaps())
	return ylo != l.right.lo || yhi != l.right.hi
}

// slide moves the axis of a window of the same span to the window's current position.
func (r *Renderer) slide(m *Model) {
	l := &r.lay
	l.x = newAxisMap(Window, m.X.Min, m.X.Max, float64(l.plot.Min.X), float64(l.plot.Max.X))
}

// copyImage copies src over dst, which has the same size.
func copyImage(dst, src *image.RGBA) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	if dst.Stride == src.Stride && dst.Stride == 4*w {
		copy(dst.Pix, src.Pix[:4*w*h])
		return
	}
	for y := range h {
		copy(dst.Pix[y*dst.Stride:y*dst.Stride+4*w], src.Pix[y*src.Stride:])
	}
}

// digest is FNV-1a over words and text.
type digest uint64

func (d *digest) word(v uint64) {
	*d = (*d ^ digest(v)) * 1099511628211
	*d ^= *d >> 29
}

func (d *digest) float(v float64) { d.word(math.Float64bits(v)) }

func (d *digest) text(s string) {
	d.word(uint64(len(s)))
	for i := range len(s) {
		*d = (*d ^ digest(s[i])) * 1099511628211
	}
}

func (d *digest) axis(a *Axis) {
	d.text(a.Title)
	d.text(string(a.Unit))
	d.word(uint64(a.Scale) | uint64(bit(a.Whole))<<8)
	if a.Scale != Window {
		d.float(a.Min)
		d.float(a.Max)
	}
	d.word(uint64(len(a.Categories)))
	for _, c := range a.Categories {
		d.text(c)
	}
}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}

// modelKey digests what the base layer shows, excluding the data's values.
func (r *Renderer) modelKey(m *Model, st Style, w, h int, data bool) uint64 {
	d := digest(14695981039346656037)
	d.word(uint64(w)<<32 | uint64(h))
	for _, c := range [...]uint64{opaque(st.Background), opaque(st.Foreground), opaque(st.Secondary), opaque(st.Grid)} {
		d.word(c)
	}
	d.word(uint64(st.Grid.A))
	if data {
		d.word(1)
	}
	d.word(uint64(bit(m.HideLegend)) | uint64(bit(m.Paused))<<1 | uint64(bit(m.HideNames))<<2)
	d.text(m.Unavailable)
	d.axis(&m.X)
	d.axis(&m.Y)
	d.axis(&m.Y2)
	d.word(uint64(min(1, len(m.Phases))) | uint64(min(1, len(m.States)))<<1)
	for i := range m.Series {
		s := &m.Series[i]
		c := colorOf(s, i, st.Dark)
		d.text(s.Name)
		d.word(uint64(s.Kind) | uint64(markerOf(s, i))<<8 | uint64(bit(s.Hollow))<<16 | uint64(bit(s.Right))<<17 | uint64(dashOf(s, i))<<19)
		d.word(opaque(c))
		if s.Value != nil {
			d.word(uint64(max(r.valueRoom, r.small.width(s.Value))))
		}
	}
	if shaded(m) {
		d.text(m.Ramp.Title)
		d.text(string(m.Ramp.Unit))
		d.float(m.Ramp.Lo)
		d.float(m.Ramp.Hi)
	}
	for i := range m.Rules {
		d.float(m.Rules[i].Y)
		d.text(m.Rules[i].Label)
	}
	for i := range m.Marks {
		d.float(m.Marks[i].X)
		d.float(m.Marks[i].Lo)
		d.float(m.Marks[i].Hi)
		d.text(m.Marks[i].Label)
	}
	for i := range m.Bands {
		d.float(m.Bands[i].Lo)
		d.float(m.Bands[i].Hi)
		d.text(m.Bands[i].Label)
	}
	return uint64(d)
}
