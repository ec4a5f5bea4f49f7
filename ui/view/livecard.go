package view

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/chart"
	"assay/ui/kit"
)

// staleAfter is how old a value may be, in seconds, before its age is told.
const staleAfter = 5

// liveView is a card on the screen: heading and state, the newest value in large figures, the chart, and what it tells.
type liveView struct {
	card    liveCard
	record  *Record
	window  Window
	plot    cardPlot
	make    func() cardPlot
	pointed func() // the crosshair of the chart has moved; nil: the chart sees to it
	stale   bool   // the record has what the picture has not
	held    bool   // the picture is frozen
	title   *kit.Text
	caption *kit.Text // what the figure is of, how old, and the state in words, such as "nominal"
	figure  *kit.Text // the newest value
	words   *kit.Text
	holder  *fyne.Container // the chart
	body    *fyne.Container
	object  fyne.CanvasObject
}

// cardPlot is the chart on a card: of what comes in, or of a run that is over.
type cardPlot interface {
	object() momentChart
	complete() bool       // it shows all that has a value
	update() bool         // takes in what is new, and says whether there was anything
	redraw()              // draws it
	show(Window, float64) // chooses the window, of what was there up to a time
	hold(bool)            // freezes the picture, or not
	figure() figure       // the value that the card tells large
}

// figure is a value in words, of what it is, how old in seconds, and why there is no newer one.
type figure struct {
	words, of, why string
	age            float64
}

func newLiveView(card liveCard, r *Record) *liveView {
	v := &liveView{
		card: card, record: r, title: kit.NewHeading(card.title).Whole(), caption: kit.NewCaption("", 1),
		figure: kit.NewTitle("").Steady(), words: kit.NewCaption(card.tells, 4), holder: container.NewStack(),
	}
	v.figure.Align = fyne.TextAlignTrailing
	v.make = func() cardPlot { return newLiveChart(&v.card, r, v.window, leastPlot()) }
	v.body = container.New(cardLayout{v}, v.title, v.caption, v.figure, v.holder, v.words)
	v.object = kit.NewPanel(v.body, 10)
	return v
}

// cardLayout is a heading with a caption and a large figure beside it, a chart that takes the room there is, and a text
// that wraps below it.
type cardLayout struct{ view *liveView }

const cardGap = 4

// head is the height of the first row.
func (l cardLayout) head() float32 { return l.view.figure.MinSize().Height }

func (l cardLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	v := l.view
	plot := v.holder.MinSize()
	return fyne.NewSize(max(plot.Width, v.title.MinSize().Width+40), l.head()+cardGap+plot.Height+v.words.MinSize().Height)
}

func (l cardLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	v := l.view
	put := func(o fyne.CanvasObject, x, y, width, height float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(max(0, width), max(0, height)))
	}
	head, title, figure := l.head(), v.title.MinSize(), v.figure.MinSize().Width
	put(v.figure, size.Width-figure, 0, figure, head)
	figure += 8
	// The words stand on the figure's line.
	low := (head - title.Height) * 0.8
	put(v.title, 0, low, title.Width, title.Height)
	small := v.caption.MinSize().Height
	put(v.caption, title.Width+8, low+(title.Height-small)*0.8, size.Width-title.Width-8-figure, small)
	y, words := head+cardGap, v.words.HeightFor(size.Width)
	put(v.holder, 0, y, size.Width, size.Height-y-words)
	put(v.words, 0, size.Height-words, size.Width, words)
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

// leastPlot is the least size of a chart on a card.
func leastPlot() fyne.Size { return fyne.NewSize(240, 92) }

// update takes in what is new, and redraws it if it is in sight.
func (v *liveView) update(visible bool) {
	if !v.known() {
		return
	}
	if v.plot == nil || !v.plot.complete() {
		v.plot, v.stale = v.make(), true
		v.plot.object().OnMoment(v.pointed)
		v.holder.Objects = []fyne.CanvasObject{kit.OnPanel(v.plot.object())}
		v.holder.Refresh()
	}
	v.stale = v.plot.update() || v.stale
	if v.stale && visible {
		v.redraw()
	}
}

// redraw draws the card as its record stands.
func (v *liveView) redraw() {
	v.stale = false
	v.plot.redraw()
	if !v.held {
		v.tell()
	}
}

// show chooses the window, of what was there up to a time.
func (v *liveView) show(w Window, until float64) {
	v.window = w
	if v.plot != nil {
		v.plot.show(w, until)
		v.redraw()
	}
}

// hold freezes the picture with its figure, or not.
func (v *liveView) hold(on bool) {
	if v.plot == nil {
		return
	}
	if on && !v.held && v.stale { // out of sight: what comes into sight later shows this moment too
		v.redraw()
	}
	v.held = on
	v.plot.hold(on)
}

// tell writes the large figure, of what it is, and the state in words.
func (v *liveView) tell() {
	state, _ := v.card.state(v.record.Latest())
	f := v.plot.figure()
	color, of, below := theme.ColorNameForeground, f.of, v.card.tells
	if f.age > staleAfter {
		color, of, below = kit.ColorSecondary, Duration(f.age)+" ago", "No value now: "+f.why+"."
	}
	if state != "" {
		of = state
	}
	before := v.figure.MinSize().Width
	v.figure.SetColored(f.words, color)
	v.caption.SetColored(of, stateColor(state))
	if v.figure.MinSize().Width != before || v.words.Content != below {
		v.words.Set(below)
		v.body.Layout.Layout(v.body.Objects, v.body.Size())
	}
}

// stateColor is the colour of a state's word; the word itself tells as much.
func stateColor(state string) fyne.ThemeColorName {
	switch _, severity := rank(state); severity {
	case chart.Critical:
		return theme.ColorNameError
	case chart.Warning:
		return theme.ColorNameWarning
	}
	return kit.ColorSecondary
}
