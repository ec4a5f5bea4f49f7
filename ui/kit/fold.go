package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Fold is the heading of a group that folds: with a click, with Space or Return, or with the left and right arrows.
type Fold struct {
	Option
	Open   bool
	OnMove func(by int) // to a neighbor, with the up and down arrows
	title  *Text
	icon   *widget.Icon
	turn   func(open bool)
}

// NewFold is the heading of an open group; turn is called when the user folds or opens it.
func NewFold(title string, turn func(open bool)) *Fold {
	f := &Fold{Open: true, OnMove: func(int) {}, title: NewCaption(title, 1), icon: widget.NewIcon(nil), turn: turn}
	f.title.Style.Bold = true
	f.content = Inset(Edged(f.title, AtLeft, f.icon), 4, 4)
	f.radius, f.onChoose = 6, func() { f.turn(!f.Open) }
	f.ExtendBaseWidget(f)
	f.draw()
	return f
}

// Set shows the group as open or folded, without calling the handler.
func (f *Fold) Set(open bool) {
	if f.Open != open {
		f.Open = open
		f.draw()
	}
}

func (f *Fold) draw() {
	icon := theme.MenuExpandIcon()
	if f.Open {
		icon = theme.MenuDropDownIcon()
	}
	f.icon.SetResource(theme.NewColoredResource(icon, ColorSecondary))
}

// TypedKey is part of fyne.Focusable.
func (f *Fold) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyUp:
		f.OnMove(-1)
	case fyne.KeyDown:
		f.OnMove(+1)
	case fyne.KeyLeft, fyne.KeyRight:
		if open := e.Name == fyne.KeyRight; open != f.Open {
			f.turn(open)
		}
	default:
		f.Option.TypedKey(e)
	}
}

// FocusGained is part of fyne.Focusable.
func (f *Fold) FocusGained() { f.Option.FocusGained(); Reveal(f) }
