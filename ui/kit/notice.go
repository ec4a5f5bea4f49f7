package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Notice is a line that shows the last action, or an error and its remedy, until it is dismissed. It is hidden while
// empty.
type Notice struct {
	Object fyne.CanvasObject
	words  *Text
	icon   *widget.Icon
	undo   *Button
}

// NewNotice returns an empty line; dismissed is called when the user closes it, undo when the user undoes the action.
func NewNotice(dismissed, undo func()) *Notice {
	n := &Notice{words: NewBody("", 2), icon: widget.NewIcon(theme.InfoIcon())}
	closing := NewButtonWithIcon("Dismiss", theme.CancelIcon(), dismissed)
	closing.Importance = widget.LowImportance
	n.undo = NewButtonWithIcon("Undo", theme.ContentUndoIcon(), undo)
	n.undo.Hide()
	icon := container.NewCenter(container.NewGridWrap(fyne.NewSize(18, 18), n.icon))
	line := container.NewBorder(nil, nil, icon, container.NewCenter(Row(6, n.undo, closing)), container.New(twoLines{}, n.words))
	back := NewFill(ColorPanel, 0)
	n.Object = Edged(StackOf(back, Inset(line, 14, 3)), AtTop, NewLine())
	n.Object.Hide()
	return n
}

// Tell shows a sentence, as an error or not, with a button that undoes it or not; an empty one hides the line. It reports
// whether the line appeared or disappeared.
func (n *Notice) Tell(sentence string, wrong, undo bool) (moved bool) {
	shown := n.Object.Visible()
	if sentence == "" {
		n.Object.Hide()
		return shown
	}
	color, icon := theme.ColorNameForeground, theme.NewPrimaryThemedResource(theme.InfoIcon())
	if wrong {
		color = theme.ColorNameError
		n.icon.SetResource(theme.NewErrorThemedResource(theme.ErrorIcon()))
	} else {
		n.icon.SetResource(icon)
	}
	n.words.SetColored(sentence, color)
	if n.undo.Visible() != undo {
		Show(n.undo, undo)
		n.Object.Refresh()
	}
	n.Object.Show()
	return !shown
}

// twoLines reserves two lines for a text, and centers it.
type twoLines struct{}

func (twoLines) MinSize(o []fyne.CanvasObject) fyne.Size {
	t := o[0].(*Text)
	return fyne.NewSize(t.MinSize().Width, 2*t.measure("Mg").Height)
}

func (twoLines) Layout(o []fyne.CanvasObject, size fyne.Size) {
	height := o[0].(*Text).HeightFor(size.Width)
	o[0].Move(fyne.NewPos(0, (size.Height-height)/2))
	o[0].Resize(fyne.NewSize(size.Width, height))
}
