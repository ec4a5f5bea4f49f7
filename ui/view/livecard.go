package view

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/internal/severity"
	"assay/internal/si"
	"assay/ui/kit"
)

// staleAfter is the age of a value, in seconds, above which it is shown.
const staleAfter = 5

// liveView is a card on the screen: heading and state, the newest value in large digits, the chart, and its
// description.
type liveView struct {
	card    liveCard
	record  *Record
	window  Window
	plot    cardPlot
	kept    *replayChart // of the previous run, whose plot is reused; nil: none
	make    func() cardPlot
	pointed func() // called when the crosshair moves; nil: the chart handles it
	stale   bool   // the record is newer than the picture
	held    bool   // the picture is frozen
	named   bool   // the chart names the phases
	title   *kit.Text
	caption *kit.Text // what the figure is about or how old it is, and the state in words, such as "nominal"
	of      [2]string // the long and the short caption
	figure  *kit.Text // the newest value
	words   *kit.Text
	holder  *fyne.Container // the chart
	body    *fyne.Container
	object  fyne.CanvasObject
}

// cardPlot is the chart on a card: live, or of a run that is over.
type cardPlot interface {
	object() momentChart
	complete() bool       // reports whether it shows everything that has a value
	update() bool         // adds new samples, and reports whether there were any
	redraw()              // draws it
	show(Window, float64) // chooses the window, ending at a time
	freeze(bool)          // freezes the picture, or not
	figure() figure       // the value shown large
}

// figure is a value as text, its name, its age in seconds, and why there is no newer one; also a state, such as
// "thermal state", as a word.
type figure struct {
	words, of, why string
	age            float64
	idle           bool // the text is not a value
	state, word    string
}

func newLiveView(card liveCard, r *Record) *liveView {
	v := &liveView{
		card: card, record: r, title: kit.NewHeading(card.title).Whole(), caption: kit.NewCaption("", 1),
		figure: kit.NewTitle("").Steady(), words: kit.NewCaption(card.tells, 4), holder: container.NewStack(),
	}
	v.figure.Align = fyne.TextAlignTrailing
	v.make = func() cardPlot { return newLiveChart(&v.card, r, v.window, minPlotSize()) }
	v.body = container.New(cardLayout{v}, v.title, v.caption, v.figure, v.holder, v.words)
	v.object = kit.NewPanel(v.body, 10)
	return v
}

// cardLayout is a heading over a caption with a large figure beside both, a chart that takes the available room, and a text
// that wraps below it. It reserves two lines for the text, so that neighboring charts line up.
type cardLayout struct{ view *liveView }

const cardGap = 3

// head returns the height of the heading with its caption.
func (l cardLayout) head() float32 {
	v := l.view
	return max(v.figure.MinSize().Height, v.title.MinSize().Height+v.caption.MinSize().Height-1)
}

// foot returns the height of the text below, given how much it needs.
func (l cardLayout) foot(needed float32) float32 {
	return max(needed, 2*l.view.caption.MinSize().Height)
}

func (l cardLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	v := l.view
	plot, foot := v.holder.MinSize(), l.foot(v.words.MinSize().Height)
	return fyne.NewSize(max(plot.Width, v.title.MinSize().Width+40), l.head()+cardGap+plot.Height+foot)
}

func (l cardLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	v := l.view
	put := func(o fyne.CanvasObject, x, y, width, height float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(max(0, width), max(0, height)))
	}
	head, title, figure := l.head(), v.title.MinSize(), v.figure.MinSize()
	put(v.figure, size.Width-figure.Width, (head-figure.Height)/2, figure.Width, figure.Height)
	put(v.title, 0, 0, title.Width, title.Height)
	put(v.caption, 0, title.Height-1, size.Width-figure.Width-8, v.caption.MinSize().Height)
	v.fitCaption()
	foot := l.foot(v.words.HeightFor(size.Width))
	put(v.holder, 0, head+cardGap, size.Width, size.Height-head-cardGap-foot)
	put(v.words, 0, size.Height-foot, size.Width, foot)
}

// fitCaption chooses the caption that fits.
func (v *liveView) fitCaption() {
	words := v.of[0]
	room := v.caption.Size().Width
	if fyne.MeasureText(words, theme.Size(theme.SizeNameCaptionText), v.caption.Style).Width > room {
		words = v.of[1]
	}
	v.caption.Set(words)
}

// known reports whether the card has anything to draw.
func (v *liveView) known() bool {
	for _, m := range v.card.metrics {
		if _, ok := v.record.last(m.metric); ok {
			return true
		}
	}
	_, states := v.record.statesOf(&v.card)
	return len(states) > 0
}

// minPlotSize is the minimum size of a chart on a card.
func minPlotSize() fyne.Size { return fyne.NewSize(240, 92) }

// update adds new samples, and redraws the card if visible.
func (v *liveView) update(visible bool) {
	if !v.known() {
		return
	}
	if v.plot == nil || !v.plot.complete() {
		v.build()
	}
	v.stale = v.plot.update() || v.stale
	if v.stale && visible {
		v.redraw()
	}
}

// build makes the chart.
func (v *liveView) build() {
	v.plot, v.stale = v.make(), true
	v.plot.object().OnMoment(v.pointed)
	v.plot.object().NamePhases(v.named)
	v.holder.Objects = []fyne.CanvasObject{kit.OnPanel(v.plot.object())}
	v.holder.Refresh()
}

// redraw draws the card from its record.
func (v *liveView) redraw() {
	v.stale = false
	v.plot.redraw()
	if !v.held {
		v.tell()
	}
}

// replay shows another run's record.
func (v *liveView) replay(r *Record) {
	if old, ok := v.plot.(*replayChart); ok {
		v.kept = old
	}
	v.record, v.plot = r, nil
}

// show chooses the window, ending at a time.
func (v *liveView) show(w Window, until float64) {
	v.window = w
	if v.plot != nil {
		v.plot.show(w, until)
		v.redraw()
	}
}

// freeze freezes or unfreezes the picture and its value.
func (v *liveView) freeze(on bool) {
	if v.plot == nil {
		return
	}
	if on && !v.held && v.stale { // not visible: it must show this moment when it becomes visible
		v.redraw()
	}
	v.held = on
	v.plot.freeze(on)
}

// tell writes the large value, its name, and the state as a word.
func (v *liveView) tell() {
	f := v.plot.figure()
	color, of, below := theme.ColorNameForeground, f.of, v.card.tells
	switch {
	case f.age > staleAfter:
		color, of, below = kit.ColorSecondary, si.Duration(f.age)+" ago", "No value now: "+f.why+"."
	case f.idle:
		color = kit.ColorSecondary
	}
	v.of = [2]string{of, of}
	if f.word != "" {
		v.of[1] = f.state + ": " + f.word
		v.of[0] = strings.TrimPrefix(of+" · "+v.of[1], " · ")
	}
	before := v.figure.MinSize().Width
	v.figure.SetColored(f.words, color)
	v.caption.SetColored(v.caption.Content, stateColor(f.word))
	v.fitCaption()
	if v.figure.MinSize().Width != before || v.words.Content != below {
		v.words.Set(below)
		v.body.Layout.Layout(v.body.Objects, v.body.Size())
	}
}

// stateColor returns the color of a state's word; the word is clear without it.
func stateColor(state string) fyne.ThemeColorName {
	switch _, matters := rank(state); matters {
	case severity.Critical:
		return theme.ColorNameError
	case severity.Warning:
		return theme.ColorNameWarning
	}
	return kit.ColorSecondary
}
