package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// rail is the list of pages at the left edge.
type rail struct {
	choices
	badges []*text
	object fyne.CanvasObject
}

const railWidth = 76

func newRail(pages []page, changed func(int)) *rail {
	r := &rail{choices: choices{changed: changed}}
	var items []fyne.CanvasObject
	for _, p := range pages {
		icon := widget.NewIcon(p.icon)
		title := newCaption(p.title, 1)
		title.color, title.align = theme.ColorNameForeground, fyne.TextAlignCenter
		badge := newCaption("", 1).whole()
		badge.style.Bold, badge.color = true, theme.ColorNameError
		r.badges = append(r.badges, badge)
		square := container.NewGridWrap(fyne.NewSize(22, 22), icon)
		head := row(2, layout.NewSpacer(), square, badge, layout.NewSpacer())
		items = append(items, r.add(inset(column(2, head, title), 4, 7)))
	}
	list := inset(column(4, items...), 6, 8)
	r.object = container.New(fixedSize{width: railWidth}, newFill(colorSidebar, 0), list)
	return r
}
