package ui

import (
	"fmt"
	"runtime"

	"assay/ui/desk"
	"assay/ui/kit"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// rail is the list of pages at the left edge.
type rail struct {
	kit.Choices
	badges []*kit.Text
	object fyne.CanvasObject
}

const railWidth = 76

func newRail(pages []desk.Page, changed func(int), hints *kit.Hints) *rail {
	r := &rail{Choices: kit.Choices{Changed: changed}}
	var items []fyne.CanvasObject
	for i, p := range pages {
		icon := widget.NewIcon(p.Icon)
		title := kit.NewCaption(p.Title, 1)
		title.Color, title.Align = theme.ColorNameForeground, fyne.TextAlignCenter
		badge := kit.NewCaption("", 1).Whole()
		badge.Style.Bold, badge.Color = true, theme.ColorNameError
		r.badges = append(r.badges, badge)
		square := container.NewGridWrap(fyne.NewSize(22, 22), icon)
		head := kit.Row(2, layout.NewSpacer(), square, badge, layout.NewSpacer())
		item := r.Add(kit.Inset(kit.Middle(kit.Stack(2, head, title)), 4, 1))
		item.Explain(railHint(p.Title, i, runtime.GOOS == "darwin"), hints)
		items = append(items, item)
	}
	list := container.NewVScroll(kit.Inset(container.New(railLayout{}, items...), 6, 6))
	list.OnScrolled = hints.Scrolled
	r.object = container.New(kit.ScaledWidth{Width: railWidth}, kit.NewFill(kit.ColorSidebar, 0), list)
	return r
}

// railHint is the name of page i with its shortcut, if any.
func railHint(title string, i int, mac bool) string {
	switch {
	case i >= pageKeys:
		return title
	case mac:
		return fmt.Sprintf("%s (Command-%s)", title, pageKey(i))
	}
	return fmt.Sprintf("%s (Ctrl+%s)", title, pageKey(i))
}

// railLayout stacks the items: with space between them if all fit, otherwise closer.
type railLayout struct{}

// railAir is the maximum space above and below an item.
const railAir = 7

// MinSize is part of fyne.Layout.
func (railLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	size := fyne.Size{}
	for _, c := range o {
		item := c.MinSize()
		size = fyne.NewSize(max(size.Width, item.Width), size.Height+item.Height)
	}
	return size
}

// Layout is part of fyne.Layout.
func (l railLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	air := min(2*railAir+2, (size.Height-l.MinSize(o).Height)/float32(len(o)))
	y := float32(0)
	for _, c := range o {
		height := c.MinSize().Height + max(0, air)
		c.Move(fyne.NewPos(0, y))
		c.Resize(fyne.NewSize(size.Width, height-min(2, max(0, air))))
		y += height
	}
}
