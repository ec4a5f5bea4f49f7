package runpage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// rightColumn has the outcome of the parameters: the findings, the chart, live tuning, and live values. It scrolls if
// large text leaves no room for all.
type rightColumn struct {
	parts  *fyne.Container
	scroll *container.Scroll
	layout rightLayout
}

func newRightColumn(f *findings, c *chartCard, t *tuningLine, s *strip) *rightColumn {
	r := &rightColumn{layout: rightLayout{f, c, t, s}}
	r.parts = container.New(r.layout, f.object, c.object, t.object, s.object)
	r.scroll = container.NewVScroll(r.parts)
	return r
}

// resize lays out the column again: a part of it changed its height.
func (r *rightColumn) resize() {
	r.parts.Refresh()
	r.scroll.Refresh()
}

// rightLayout stacks the visible parts: the first, the findings, as tall as they need; the second, the chart, takes what is
// left.
type rightLayout struct {
	findings *findings
	chart    *chartCard
	tuning   *tuningLine
	strip    *strip
}

const rightGap = 10

// setWidth sets the parts' future width, which determines their heights.
func (l rightLayout) setWidth(width float32) {
	l.findings.layout.width = width
	l.chart.setWidth(width)
	l.tuning.setWidth(width)
	l.strip.setWidth(width)
}

func (l rightLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(0, -rightGap)
	for _, c := range o {
		if c.Visible() {
			minSize := c.MinSize()
			size = fyne.NewSize(max(size.Width, minSize.Width), size.Height+minSize.Height+rightGap)
		}
	}
	return size
}

func (l rightLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.setWidth(size.Width)
	room := max(0, size.Height-l.MinSize(o).Height)
	y := float32(0)
	for i, c := range o {
		if !c.Visible() {
			continue
		}
		height := c.MinSize().Height
		switch i {
		case 0:
			told := l.findings.layout.fit(height + room)
			room = max(0, room-(told-height))
			height = told
		case 1:
			height += room
		}
		c.Resize(fyne.NewSize(size.Width, height))
		c.Move(fyne.NewPos(0, y))
		y += height + rightGap
	}
}
