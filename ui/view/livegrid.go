package view

import (
	"math"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/monitor"
)

// LiveGrid is all live charts as cards in a grid, which has as many columns as fit and scrolls if needed. A last card lists
// metrics without a value, with the reason.
type LiveGrid struct {
	Object  fyne.CanvasObject
	record  *Record
	views   []*liveView
	missing *missingView
	cross   *crosshair
	window  Window
	until   float64 // end of the time shown; +Inf: everything
	part    string  // part of the readings shown; empty: all
	grid    *gridLayout
	cards   *fyne.Container
	scroll  *container.Scroll
}

// NewLiveGrid shows a growing record. Update adds new samples.
func NewLiveGrid(r *Record) *LiveGrid {
	return newGrid(r, func(c liveCard) *liveView { return newLiveView(c, r) })
}

// NewReplay shows the record of a run that is over, over the time since it began.
func NewReplay(r *Record) *LiveGrid {
	g := newGrid(r, func(c liveCard) *liveView {
		v := newLiveView(c, r)
		v.make = func() cardPlot { return newReplayChart(&v.card, v.record, v.kept, minPlotSize()) }
		return v
	})
	g.grid.least = minReplay
	g.Update()
	return g
}

// Replay shows the record of another run that is over, reusing the charts: new ones would use megabytes each time until Fyne
// releases the old ones.
func (g *LiveGrid) Replay(r *Record) {
	g.record = r
	for _, v := range g.views {
		v.replay(r)
	}
	g.cards.Objects = nil // other cards may have something to draw now
	g.scroll.ScrollToTop()
	g.Update()
}

func newGrid(r *Record, view func(liveCard) *liveView) *LiveGrid {
	g := &LiveGrid{record: r, missing: newMissingView(), until: math.Inf(1)}
	g.cross = &crosshair{grid: g}
	for _, c := range liveCards() {
		v := view(c)
		v.pointed = func() { g.cross.moved(v) }
		g.views = append(g.views, v)
	}
	g.grid = &gridLayout{missing: g.missing, least: minCardWidth}
	g.cards = container.New(g.grid)
	g.scroll = container.NewVScroll(g.cards)
	g.scroll.OnScrolled = func(fyne.Position) { g.catchUp() }
	g.Object = container.New(&gridRoom{g}, g.scroll)
	g.Update()
	return g
}

// Update adds the record's new samples, and redraws the visible cards, all in one frame.
func (g *LiveGrid) Update() {
	if g.Paused() {
		return
	}
	for _, v := range g.views {
		v.update(g.inSight(v))
	}
	g.cross.due = false
	g.cross.spread()
	if g.arrange() {
		g.catchUp()
	}
}

// SetBands replaces the shaded ranges of a metric.
func (g *LiveGrid) SetBands(metric string, good []monitor.Range) {
	for _, v := range g.views {
		if !slices.ContainsFunc(v.card.metrics, func(m liveMetric) bool { return m.metric == metric }) {
			continue
		}
		if bands := bandsOf(good); !slices.Equal(bands, v.card.bands) {
			v.card.bands = bands
			if v.plot != nil {
				v.build()
				v.freeze(g.Paused())
				v.redraw()
			}
		}
	}
}

// Only shows the cards of a part of the readings; empty: all.
func (g *LiveGrid) Only(part string) {
	if g.part != part {
		g.part = part
		g.cards.Objects = nil
		g.scroll.ScrollToTop()
		g.Update()
	}
}

// inPart returns the cards of the part that is shown.
func (g *LiveGrid) inPart() []*liveView {
	return slices.DeleteFunc(slices.Clone(g.views), func(v *liveView) bool { return g.part != "" && v.card.part != g.part })
}

// Show chooses the time span of the charts. Paused charts stay at the moment of the pause.
func (g *LiveGrid) Show(w Window) {
	g.window = w
	for _, v := range g.views {
		v.show(w, g.until)
		v.freeze(g.Paused())
	}
	g.cross.spread()
}

// PaceBy delays the crosshair to the next redraw of the window, requested by post, while busy reports a run. Otherwise
// it follows the pointer at once.
func (g *LiveGrid) PaceBy(busy func() bool, post func(func())) {
	g.cross.busy, g.cross.post = busy, post
}

// Window returns the time span of the charts.
func (g *LiveGrid) Window() Window { return g.window }

// Pause freezes the charts while the record grows, or resumes and catches up.
func (g *LiveGrid) Pause(on bool) {
	newest, ok := g.record.newest()
	if on == g.Paused() || on && !ok {
		return
	}
	g.until = math.Inf(1)
	if on {
		g.until = newest
	}
	for _, v := range g.views {
		v.freeze(on)
	}
	g.Update()
}

// Paused reports whether the charts are frozen.
func (g *LiveGrid) Paused() bool { return !math.IsInf(g.until, 1) }

// PausedAt is the moment at which the charts were frozen; ok is false if they are not.
func (g *LiveGrid) PausedAt() (at time.Time, ok bool) {
	if !g.Paused() {
		return at, false
	}
	return g.record.epoch.Add(time.Duration(g.until * float64(time.Second))), true
}

// Empty reports whether nothing has a value.
func (g *LiveGrid) Empty() bool {
	for _, v := range g.views {
		if v.known() {
			return false
		}
	}
	return true
}

// arrange shows the cards that have something to draw, and what is missing, and reports whether that changed.
func (g *LiveGrid) arrange() bool {
	var cards []fyne.CanvasObject
	for _, v := range g.inPart() {
		if v.plot != nil {
			cards = append(cards, v.object)
		}
	}
	g.grid.charts = len(cards)
	_, read := g.record.newest()
	if told := g.missing.tell(g.inPart()); told && read { // before the first reading, metrics are pending rather than missing
		cards = append(cards, g.missing.object)
	}
	if len(cards) == len(g.cards.Objects) && !g.missing.changed {
		return false
	}
	g.missing.changed = false
	g.cards.Objects = cards
	g.Object.Refresh()
	return true
}

// inSight reports whether a card is scrolled into view.
func (g *LiveGrid) inSight(v *liveView) bool {
	top := v.object.Position().Y
	return top+v.object.Size().Height > g.scroll.Offset.Y && top < g.scroll.Offset.Y+g.scroll.Size().Height
}

// catchUp redraws cards that became visible and changed since they were drawn.
func (g *LiveGrid) catchUp() {
	for _, v := range g.views {
		if v.plot != nil && v.stale && g.inSight(v) {
			v.redraw()
		}
	}
}

// name sets whether the charts name the phases.
func (g *LiveGrid) name() {
	for _, v := range g.views {
		if v.named = g.grid.named(); v.plot != nil {
			v.plot.object().NamePhases(v.named)
		}
	}
}

// gridRoom tells the grid the visible size.
type gridRoom struct{ grid *LiveGrid }

func (l *gridRoom) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(minCardWidth, 200) }

func (l *gridRoom) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.grid.grid.plan(l.grid.cards.Objects, size)
	l.grid.name()
	o[0].Resize(size.AddWidthHeight(barRoom, 0)) // into the margin of the page
	l.grid.cards.Refresh()                       // at the same size, it would not lay its cards out again
	o[0].Refresh()
	l.grid.catchUp()
}
