package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/kit"
)

// frameLayout gives all objects the window's size. Its minimum size is fixed, whatever a page needs: otherwise the window would
// grow with the text, and Fyne would lay it out beyond its edges until the system resizes it. On a smaller screen the minimum is
// the screen's size; then pages scroll.
type frameLayout struct {
	status *statusBar
	screen fyne.Size
}

const (
	minWidth  = 860
	minHeight = 560
)

// MinSize is part of fyne.Layout.
func (l *frameLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(minWidth, minHeight).Min(l.screen)
}

// Layout is part of fyne.Layout.
func (l *frameLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.status.setWidth(size.Width) // which determines its height
	for _, c := range o {
		c.Move(fyne.Position{})
		if c.Size() == size {
			relay(c)
		}
		c.Resize(size)
	}
}

// relay lays out a container again at the same size: its content may need another layout.
func relay(o fyne.CanvasObject) {
	if c, ok := o.(*fyne.Container); ok && c.Layout != nil {
		c.Layout.Layout(c.Objects, c.Size())
	}
}

// addPage adds a hidden page to the window; it scrolls as a whole if it does not fit.
func (d *window) addPage(page fyne.CanvasObject) {
	room := container.NewScroll(page)
	room.OnScrolled = d.Hints.Scrolled
	room.Hide()
	d.rooms = append(d.rooms, room)
	d.front.Add(room)
}

// frame puts the parts of the window together.
func (d *window) frame() fyne.CanvasObject {
	told := kit.Edged(d.front, kit.AtBottom, d.notice.Object)
	rail := kit.Edged(d.rail.object, kit.AtRight, kit.NewLine())
	d.body = kit.Edged(kit.Edged(told, kit.AtLeft, rail), kit.AtBottom, d.status.object)
	d.layout = &frameLayout{d.status, fyne.NewSize(minWidth, minHeight)}
	return container.New(d.layout, d.body, d.Hints.Object)
}
