package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Select is a single-choice menu.
type Select struct {
	widget.Select
	off map[string]string // by option: why it cannot be chosen
}

// NewSelect is a menu of options with none chosen yet.
func NewSelect(options []string, changed func(string)) *Select {
	s := &Select{}
	s.Options, s.OnChanged, s.PlaceHolder = options, changed, "(Select one)"
	s.ExtendBaseWidget(s)
	return s
}

// Tapped is part of fyne.Tappable.
func (s *Select) Tapped(e *fyne.PointEvent) {
	if len(s.off) == 0 || s.Disabled() {
		s.Select.Tapped(e)
		return
	}
	if c := fyne.CurrentApp().Driver().CanvasForObject(s); c != nil {
		c.Focus(s)
		s.list(c)
	}
}

// TypedKey is part of fyne.Focusable.
func (s *Select) TypedKey(e *fyne.KeyEvent) {
	e = pressing(e)
	c := fyne.CurrentApp().Driver().CanvasForObject(s)
	switch e.Name {
	case fyne.KeySpace, fyne.KeyUp, fyne.KeyDown:
		if len(s.off) > 0 && c != nil {
			s.list(c)
			return
		}
	}
	s.Select.TypedKey(e)
}

// list shows the options; those that cannot be chosen are gray, with the reason. Fyne's own menu cannot do that.
func (s *Select) list(c fyne.Canvas) {
	var items []*fyne.MenuItem
	for i, o := range s.Options {
		item := fyne.NewMenuItem(o, func() { s.SetSelectedIndex(i) })
		if why := s.off[o]; why != "" {
			item.Label, item.Disabled = o+": "+why, true
		}
		items = append(items, item)
	}
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), c)
	menu.ShowAtRelativePosition(fyne.NewPos(0, s.Size().Height), s)
	menu.Resize(menu.MinSize().Max(fyne.NewSize(s.Size().Width, 0)))
}

// FocusGained is part of fyne.Focusable.
func (s *Select) FocusGained() { s.Select.FocusGained(); Reveal(s) }
