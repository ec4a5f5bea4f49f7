package view

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/kit"
)

// missingView is the card of metrics that are not available, grouped by reason.
type missingView struct {
	lines   []missingLine
	title   *kit.Text
	list    *fyne.Container
	scroll  *container.Scroll
	object  fyne.CanvasObject
	changed bool // since it was last laid out
}

// missingLine is one entry: a reason, and the metrics without a value for it.
type missingLine struct{ why, what string }

func newMissingView() *missingView {
	m := &missingView{title: kit.NewHeading("Not available")}
	m.list = container.New(missingLayout{})
	m.scroll = container.NewVScroll(m.list)
	m.object = kit.NewPanel(container.New(kit.HeadedLayout{Gap: 6}, m.title, container.New(scrolledList{m.list}, m.scroll)), 10)
	return m
}

// tell lists the missing metrics of the cards, and reports whether there are any.
func (m *missingView) tell(views []*liveView) bool {
	lines := missingLines(views)
	if !slices.Equal(lines, m.lines) {
		m.lines, m.changed = lines, true
		m.list.Objects = nil
		for _, l := range lines {
			why := kit.NewCaption(l.why, 4)
			why.Style.Bold = true
			m.list.Add(why)
			m.list.Add(kit.NewCaption(l.what, 10))
		}
		m.list.Refresh()
	}
	return len(lines) > 0
}

// missingLines returns the missing metrics of the cards, by reason: "Power, GPU, CPU (tasks waiting)".
func missingLines(views []*liveView) []missingLine {
	var lines []missingLine
	for _, v := range views {
		gaps := v.card.missing(v.record)
		for len(gaps) > 0 {
			why := gaps[0].why
			var names []string
			for _, g := range gaps {
				if g.why == why {
					names = append(names, g.name)
				}
			}
			what := v.card.title
			if !v.bare() {
				what += " (" + strings.Join(names, ", ") + ")"
			}
			lines = addMissing(lines, why, what)
			gaps = slices.DeleteFunc(gaps, func(g gap) bool { return g.why == why })
		}
	}
	return lines
}

// bare reports whether the whole card has no value, for one reason.
func (v *liveView) bare() bool {
	gaps := v.card.missing(v.record)
	for _, g := range gaps {
		if g.why != gaps[0].why {
			return false
		}
	}
	return !v.known()
}

// addMissing adds a missing metric to the entry of the reason.
func addMissing(lines []missingLine, why, what string) []missingLine {
	for i := range lines {
		if lines[i].why == why {
			lines[i].what += ", " + what
			return lines
		}
	}
	return append(lines, missingLine{why, what})
}

// heightFor returns the height that shows everything at a width.
func (m *missingView) heightFor(width float32) float32 {
	const below = 3 // for the descenders of the last line
	return missingLayout{}.arrange(m.list.Objects, width-20, nil) + m.title.MinSize().Height + 6 + 20 + below
}

// scrolledList lays out a scrolled list for the available width.
type scrolledList struct{ list *fyne.Container }

func (scrolledList) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 40) }

func (l scrolledList) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.list.Resize(fyne.NewSize(size.Width, missingLayout{}.arrange(l.list.Objects, size.Width, nil)))
	o[0].Resize(size)
	o[0].Refresh()
}

// missingLayout lists pairs of texts, one below the other; the pairs in several columns if it is wide.
type missingLayout struct{}

// missingColumnWidth is the minimum width of a column, at 100 %.
const missingColumnWidth = 340

func (l missingLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	width := kit.Scaled(missingColumnWidth)
	if len(o) > 0 {
		width = max(width, o[len(o)-1].Position().X+o[len(o)-1].Size().Width)
	}
	return fyne.NewSize(kit.Scaled(180), l.arrange(o, width, nil))
}

func (l missingLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.arrange(o, size.Width, func(c fyne.CanvasObject, at fyne.Position, size fyne.Size) {
		c.Move(at)
		c.Resize(size)
	})
}

// arrange finds the position of each text, row by row, and the total height.
func (missingLayout) arrange(o []fyne.CanvasObject, width float32, put func(fyne.CanvasObject, fyne.Position, fyne.Size)) float32 {
	columns := min(max(1, int(width/kit.Scaled(missingColumnWidth))), max(1, len(o)/2))
	column := width / float32(columns)
	y, tall := float32(0), float32(0)
	for i := 0; i+1 < len(o); i += 2 {
		k := i / 2 % columns
		if k == 0 && i > 0 {
			y, tall = y+tall+5, 0
		}
		why, what := o[i].(*kit.Text), o[i+1].(*kit.Text)
		room := column - 10
		head, body := why.HeightFor(room), what.HeightFor(room)
		tall = max(tall, head+body)
		if put != nil {
			x := float32(k) * column
			put(why, fyne.NewPos(x, y), fyne.NewSize(room, head))
			put(what, fyne.NewPos(x, y+head), fyne.NewSize(room, body))
		}
	}
	return y + tall
}
