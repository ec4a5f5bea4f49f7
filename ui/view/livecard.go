package view

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/monitor"
	"assay/ui/kit"
)

// staleAfter is how old a value may be, in seconds, before its age is told.
const staleAfter = 5

// liveView is a card on the screen: heading and state, the newest value in large figures, the chart, and what it tells.
type liveView struct {
	card    liveCard
	record  *Record
	window  Window
	brief   bool // without figure; the text below tells what is not available, and where the rest is read
	plot    cardPlot
	make    func() cardPlot
	stale   bool // the record has what the picture has not
	title   *kit.Text
	state   *kit.Text // in words, such as "nominal"
	figure  *kit.Text // the newest value …
	caption *kit.Text // … of what, and how old it is
	words   *kit.Text
	holder  *fyne.Container // the chart
	body    *fyne.Container
	object  fyne.CanvasObject
}

// cardPlot is the chart on a card: of what comes in, or of a run that is over.
type cardPlot interface {
	object() fyne.CanvasObject
	complete() bool                          // it shows all that has a value
	update() bool                            // takes in what is new, and says whether there was anything
	redraw()                                 // draws it
	show(Window, float64)                    // chooses the window, of what was there up to a time
	hold(bool)                               // freezes the picture, or not
	figure() (words, of string, age float64) // the value that the card tells large, and what it is of
}

func newLiveView(card liveCard, r *Record, brief bool) *liveView {
	v := &liveView{
		card: card, record: r, brief: brief, title: kit.NewHeading(card.title).Whole(), state: kit.NewCaption("", 1),
		figure: kit.NewTitle("").Whole(), caption: kit.NewCaption("", 1), words: kit.NewCaption(card.tells, 2), holder: container.NewStack(),
	}
	v.make = func() cardPlot { return newLiveChart(&v.card, r, v.window, v.leastPlot()) }
	v.state.Align, v.caption.Align = fyne.TextAlignTrailing, fyne.TextAlignLeading
	v.body = container.New(cardLayout{v}, v.title, v.state, v.figure, v.caption, v.holder, v.words)
	v.object = kit.NewPanel(v.body, 10)
	if brief {
		v.figure.Hide()
		v.caption.Hide()
		v.words = kit.NewCaption("", 3)
		v.body.Objects[5] = v.words
		v.object = kit.NewPanel(v.body, 9)
	}
	return v
}

// cardLayout is a heading with a state beside it, a figure with its caption, a chart that takes the room there is, and a
// text that wraps below it.
type cardLayout struct{ view *liveView }

const cardGap = 4

// figureHeight is the room of the large figure.
func (l cardLayout) figureHeight() float32 {
	if l.view.brief {
		return 0
	}
	return l.view.figure.MinSize().Height
}

func (l cardLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	v := l.view
	plot := fyne.Size{}
	if len(v.holder.Objects) > 0 {
		plot = v.holder.MinSize()
	}
	height := v.title.MinSize().Height + l.figureHeight() + cardGap + plot.Height + v.words.MinSize().Height
	return fyne.NewSize(max(plot.Width, v.title.MinSize().Width+40), height)
}

func (l cardLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	v := l.view
	put := func(o fyne.CanvasObject, x, y, width, height float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(width, height))
	}
	head, title := v.title.MinSize().Height, v.title.MinSize().Width
	put(v.title, 0, 0, title, head)
	put(v.state, title+8, 0, max(0, size.Width-title-8), head)
	y, tall := head, l.figureHeight()
	if !v.brief {
		width := min(size.Width, v.figure.MinSize().Width)
		put(v.figure, 0, y, width, tall)
		put(v.caption, width+8, y+tall*0.16, max(0, size.Width-width-8), tall)
	}
	y += tall + cardGap
	words := v.words.HeightFor(size.Width)
	put(v.holder, 0, y, size.Width, max(0, size.Height-y-words))
	put(v.words, 0, size.Height-words, size.Width, words)
}

// known reports whether the card has anything to draw.
func (v *liveView) known() bool {
	for _, m := range v.card.metrics {
		if _, ok := v.record.last(m.metric); ok {
			return true
		}
	}
	return false
}

// leastPlot is the least size of a chart on a card.
func (v *liveView) leastPlot() fyne.Size {
	if v.brief {
		return fyne.NewSize(200, 64)
	}
	return fyne.NewSize(240, 92)
}

// update takes in what is new, and redraws it if it is in sight.
func (v *liveView) update(visible bool) {
	if !v.known() {
		return
	}
	if v.plot == nil || !v.plot.complete() {
		v.plot, v.stale = v.make(), true
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
	v.tell()
}

// show chooses the window, of what was there up to a time.
func (v *liveView) show(w Window, until float64) {
	v.window = w
	if v.plot != nil {
		v.plot.show(w, until)
		v.redraw()
	}
}

// hold freezes the picture, or not.
func (v *liveView) hold(on bool) {
	if v.plot != nil {
		v.plot.hold(on)
	}
}

// tell writes the large figure and the state in words.
func (v *liveView) tell() {
	words, _ := v.card.state(v.record.Latest())
	v.state.SetColored(words, stateColor(words))
	if v.brief {
		return
	}
	figure, of, age := v.plot.figure()
	color := theme.ColorNameForeground
	if age > staleAfter {
		color, of = kit.ColorSecondary, of+", "+Duration(age)+" ago"
	}
	before := v.figure.MinSize().Width
	v.figure.SetColored(figure, color)
	v.caption.Set(of)
	if v.figure.MinSize().Width != before {
		v.body.Layout.Layout(v.body.Objects, v.body.Size())
	}
}

// stateColor is the colour of a state's word; the word itself tells as much.
func stateColor(state string) fyne.ThemeColorName {
	switch state {
	case monitor.Critical:
		return theme.ColorNameError
	case monitor.Serious, monitor.Warning:
		return theme.ColorNameWarning
	}
	return kit.ColorSecondary
}
