// Package memorypage is the page of the engine's memory: the buffer pool, the buffers in use, and the leak lab.
package memorypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
)

// memoryPage is a head with the pool in numbers, and one of four parts: the pool, its live buffers, its log, the leak lab.
type memoryPage struct {
	desk     *desk.Desk
	status   *kit.Text
	figures  *figures
	segments *kit.Segments
	classes  *classesView
	live     *liveView
	log      *logView
	settings *poolSettings
	bands    *reuseBands
	actions  *poolActions
	lab      *leakLab
	cards    *stack
	lacking  *nothing // why there is no pool
	none     *fyne.Container
	pool     *fyne.Container
	object   *fyne.Container
	top      *fyne.Container
}

// The segments.
const (
	segmentPool = iota
	segmentLive
	segmentLog
	segmentLeaks
)

// New builds the page.
func New(d *desk.Desk) desk.View { return newMemoryPage(d).view() }

func (p *memoryPage) view() desk.View {
	return desk.View{Object: p.object, Update: p.update, Live: true}
}

func newMemoryPage(d *desk.Desk) *memoryPage {
	p := &memoryPage{desk: d, status: kit.NewCaption("", 2), figures: newFigures(d.Hints)}
	refit := func() { p.cards.refit() }
	p.classes, p.live = newClassesView(d, p.poll), newLiveView(d, p.poll)
	p.settings, p.actions, p.lab = newPoolSettings(d, p.poll, refit), newPoolActions(d, p.poll, refit), newLeakLab(d)
	p.log = newLogView(d, p.settings.log.row())
	p.bands = newReuseBands(d, p.poll, refit)
	p.cards = newStack(append(append(p.actions.rows(), p.settings.rows()...), p.bands.row())...)
	run := kit.NewButton("Go to Run", func() { d.Show(desk.PageRun) })
	run.Importance = widget.HighImportance
	p.lacking = newNothing(gray(kit.MemoryIcon()), "No pool yet", run)
	p.none = kit.NewPanel(p.lacking.object, 14)
	p.pool = container.New(&controlColumnLayout{}, container.NewStack(p.classes.object, p.none), p.cards.object)
	p.segments = kit.NewSegments(p.choose, segmentNames()...)
	top := &topLayout{figures: p.figures.layout}
	p.top = container.New(top, kit.NewTitle("Memory"), p.status, p.segments.Object, p.figures.object)
	parts := container.NewStack(p.pool, p.live.object, p.log.object, p.lab.object)
	p.object = kit.Inset(container.New(partsLayout{top}, p.top, parts), 18, 14)
	p.show(segmentPool)
	p.recall()
	return p
}

// topLayout is the title with a sentence below and the segments beside them, and below those the figures if they are shown.
type topLayout struct {
	width   float32
	figures *figuresLayout
}

const (
	topGap     = 12
	titleGap   = 2
	segmentGap = 18
)

// words returns the width of the title and the height of the text.
func (l *topLayout) words(o []fyne.CanvasObject) (width, height float32) {
	width = max(100, l.width-o[2].MinSize().Width-segmentGap)
	return width, o[0].MinSize().Height + titleGap + kit.HeightFor(o[1], width)
}

func (l *topLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	_, height := l.words(o)
	size := fyne.NewSize(o[2].MinSize().Width+100, height)
	l.figures.setWidth(l.width - 2*figuresPad)
	if minSize := o[3].MinSize(); o[3].Visible() {
		size.Width, size.Height = max(size.Width, minSize.Width), size.Height+topGap+minSize.Height
	}
	return size
}

func (l *topLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	width, height := l.words(o)
	title, segments := o[0].MinSize().Height, o[2].MinSize()
	o[0].Move(fyne.Position{})
	o[0].Resize(fyne.NewSize(width, title))
	o[1].Move(fyne.NewPos(0, title+titleGap))
	o[1].Resize(fyne.NewSize(width, height-title-titleGap))
	o[2].Move(fyne.NewPos(size.Width-segments.Width, max(0, title+titleGap+14-segments.Height)/2))
	o[2].Resize(segments)
	o[3].Move(fyne.NewPos(0, height+topGap))
	o[3].Resize(fyne.NewSize(size.Width, max(0, size.Height-height-topGap)))
}

// partsLayout puts the visible part below the top, whose height follows from the width.
type partsLayout struct{ top *topLayout }

func (l partsLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return kit.HeadedLayout{Gap: topGap}.MinSize(o)
}

func (l partsLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.top.width = size.Width
	kit.HeadedLayout{Gap: topGap}.Layout(o, size)
}

// segmentNames are the names of the parts; segmentChoice is the setting that remembers the chosen one.
func segmentNames() []string { return []string{"Pool", "Live Buffers", "Log", "Leak Lab"} }

const segmentChoice = "memory.segment"

// choose shows one of the parts, and remembers it.
func (p *memoryPage) choose(i int) {
	p.desk.Settings.SetChoice(segmentChoice, segmentNames()[i])
	p.show(i)
}

// recall shows the part that was last chosen, at first or after the settings were cleared.
func (p *memoryPage) recall() {
	if at := p.desk.Settings.Choice(segmentChoice, segmentNames()...); at != p.segments.At {
		p.show(at)
	}
}

// show shows one of the parts.
func (p *memoryPage) show(i int) {
	p.commit()
	p.segments.Show(i)
	kit.Show(p.pool, i == segmentPool)
	kit.Show(p.live.object, i == segmentLive)
	kit.Show(p.log.object, i == segmentLog)
	kit.Show(p.lab.object, i == segmentLeaks)
	p.poll()
	p.object.Refresh()
}

// commit takes the text of a field that is being edited, which would otherwise take effect later, in the middle of something else.
func (p *memoryPage) commit() {
	if c := p.desk.Window.Canvas(); c != nil {
		if _, editing := c.Focused().(*entry); editing {
			c.Unfocus()
		}
	}
}

// update redraws what changed.
func (p *memoryPage) update(c desk.Change) {
	if c.Has(desk.ChangedLook) {
		p.recall()
		p.bands.show()
	}
	if c.Has(desk.ChangedTick | desk.ChangedRun | desk.ChangedProgress | desk.ChangedLook | desk.ChangedEngines) {
		p.poll()
	}
}

// poll asks the session for the data and shows it.
func (p *memoryPage) poll() {
	if !p.object.Visible() {
		return
	}
	if p.segments.At == segmentLeaks {
		p.lab.update()
	}
	if p.segments.At == segmentLog {
		p.log.show()
	}
	s, err := p.desk.Session.Pool.State(p.live.order)
	figures := err == nil && p.segments.At != segmentLeaks
	if p.figures.object.Visible() != figures {
		kit.Show(p.figures.object, figures)
		defer p.object.Refresh()
	}
	if err != nil {
		p.showNone(err)
		return
	}
	p.tell(&s)
	if p.segments.At == segmentLeaks {
		p.say(labAbout, kit.ColorSecondary)
	}
	if p.segments.Rename(segmentLive, liveTab(&s)) {
		p.top.Refresh()
	}
	if p.figures.show(&s, p.desk.Settings.ReuseBands()) {
		defer p.object.Refresh()
	}
	p.actions.show(&s)
	p.settings.show(&s)
	p.none.Hide()
	p.classes.object.Show()
	switch p.segments.At {
	case segmentPool:
		p.classes.show(&s)
	case segmentLive:
		p.live.show(&s)
	}
}

// showNone says why there is no pool.
func (p *memoryPage) showNone(err error) {
	words := "The engine’s buffer pool, live buffers, and leaks."
	if p.segments.At == segmentLeaks {
		words = labAbout
	}
	p.say(words, kit.ColorSecondary)
	p.lacking.set(noPool(err))
	p.none.Show()
	p.classes.object.Hide()
	if p.segments.Rename(segmentLive, "Live Buffers") {
		p.top.Refresh()
	}
	p.actions.show(nil)
	p.settings.showNone()
	p.live.show(&app.PoolState{})
}

// tell says whose pool it is, and what its counters count.
func (p *memoryPage) tell(s *app.PoolState) {
	words := "Pool of " + engineTitle(p.desk, s.Engine) + " · " + s.Device + "."
	if s.Simulated {
		words += " Simulated: not real hardware."
	}
	switch {
	case s.Running:
		words += " Counters cover the current run, which records changes."
	case s.RunID != "":
		words += " Counters are from the last run, " + s.RunID + "."
	default:
		words += " Not used by a run yet."
	}
	color := kit.ColorSecondary
	if s.Simulated {
		color = theme.ColorNameWarning
	}
	p.say(words, color)
}

// engineTitle returns an engine's title.
func engineTitle(d *desk.Desk, name string) string {
	for _, e := range d.Model.Engines {
		if e.Name == name {
			return e.Title
		}
	}
	return name
}

// labAbout is the first line of the leak lab.
const labAbout = "Watches Assay’s own buffers and memory, not other programs."

// say shows the sentence below the title, which may need another line.
func (p *memoryPage) say(words string, color fyne.ThemeColorName) {
	if words != p.status.Content {
		p.status.SetColored(words, color)
		p.object.Refresh()
	}
}
