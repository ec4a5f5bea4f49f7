package view

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/kit"
)

// missingView is the card of what is not available, each with the reason.
type missingView struct {
	lines   []missingLine
	title   *kit.Text
	list    *fyne.Container
	scroll  *container.Scroll
	object  fyne.CanvasObject
	changed bool // since it was last laid out
}

// missingLine is one entry: a card or part of it, and why there is none.
type missingLine struct{ title, why string }

func newMissingView() *missingView {
	m := &missingView{title: kit.NewHeading("Not available")}
	m.list = container.New(missingLayout{})
	m.scroll = container.NewVScroll(m.list)
	m.object = kit.NewPanel(container.New(kit.HeadedLayout{Gap: 6}, m.title, container.New(scrolledList{m.list}, m.scroll)), 10)
	return m
}

// tell lists what the cards lack, and reports whether there is anything.
func (m *missingView) tell(views []*liveView) bool {
	var lines []missingLine
	for _, v := range views {
		if words := v.card.lacks(v.record); words != "" {
			lines = append(lines, missingLine{v.card.title, words})
		}
	}
	if !slices.Equal(lines, m.lines) {
		m.lines, m.changed = lines, true
		m.list.Objects = nil
		for _, l := range lines {
			name := kit.NewCaption(l.title, 4)
			name.Style.Bold = true
			m.list.Add(name)
			m.list.Add(kit.NewCaption(l.why, 10))
		}
		m.list.Refresh()
	}
	return len(lines) > 0
}

// heightFor is the height that shows all at a width.
func (m *missingView) heightFor(width float32) float32 {
	return missingLayout{}.arrange(m.list.Objects, width-20, nil) + m.title.MinSize().Height + 6 + 20
}

// scrolledList lays a scrolled list out for the width that there is.
type scrolledList struct{ list *fyne.Container }

func (scrolledList) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 40) }

func (l scrolledList) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.list.Resize(fyne.NewSize(size.Width, missingLayout{}.arrange(l.list.Objects, size.Width, nil)))
	o[0].Resize(size)
	o[0].Refresh()
}

// missingLayout lists pairs of texts: a name, and beside it a reason that wraps; in several columns where it is wide.
type missingLayout struct{}

const (
	missingNameWidth   = 118 // of the names, at 100 %
	missingColumnWidth = 340 // of a column at least, at 100 %
)

func (l missingLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	width := kit.Scaled(missingColumnWidth)
	if len(o) > 0 {
		width = max(width, o[len(o)-1].Position().X+o[len(o)-1].Size().Width)
	}
	return fyne.NewSize(kit.Scaled(missingNameWidth)+60, l.arrange(o, width, nil))
}

func (l missingLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.arrange(o, size.Width, func(c fyne.CanvasObject, at fyne.Position, size fyne.Size) {
		c.Move(at)
		c.Resize(size)
	})
}

// arrange finds the place of each text, row by row, and the height of all.
func (missingLayout) arrange(o []fyne.CanvasObject, width float32, put func(fyne.CanvasObject, fyne.Position, fyne.Size)) float32 {
	missingName := kit.Scaled(missingNameWidth)
	columns := max(1, int(width/kit.Scaled(missingColumnWidth)))
	columns = min(columns, max(1, len(o)/2))
	column := width / float32(columns)
	y, tall := float32(0), float32(0)
	for i := 0; i+1 < len(o); i += 2 {
		k := i / 2 % columns
		if k == 0 && i > 0 {
			y, tall = y+tall+4, 0
		}
		name, why := o[i].(*kit.Text), o[i+1].(*kit.Text)
		rest := column - missingName - 12
		names, words := name.HeightFor(missingName-8), why.HeightFor(rest)
		tall = max(tall, names, words)
		if put != nil {
			x := float32(k) * column
			put(name, fyne.NewPos(x, y), fyne.NewSize(missingName-8, names))
			put(why, fyne.NewPos(x+missingName, y), fyne.NewSize(rest, words))
		}
	}
	return y + tall
}
