package historypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/desk"
	"assay/ui/kit"
)

// undoStrip says what was done last to a run, and offers to undo it. It is hidden while there is nothing.
type undoStrip struct {
	words  *kit.Text
	object *fyne.Container
	shown  *desk.Undo
}

func newUndoStrip(d *desk.Desk) *undoStrip {
	u := &undoStrip{words: kit.NewBody("", 1)}
	back := kit.NewButtonWithIcon("Undo", theme.ContentUndoIcon(), d.UndoLast)
	gone := kit.NewButton("Dismiss", d.ForgetUndo)
	gone.Importance = widget.LowImportance
	u.object = kit.NewPanel(kit.Inset(container.NewBorder(nil, nil, nil, kit.Row(6, back, gone), u.words), 10, 0), 3)
	u.object.Hide()
	return u
}

// update shows what can be undone, and reports whether the strip came or went.
func (u *undoStrip) update(undo *desk.Undo) bool {
	if undo == u.shown {
		return false
	}
	moved := (undo == nil) != (u.shown == nil)
	u.shown = undo
	if undo != nil {
		u.words.Set(undo.Done)
	}
	kit.Show(u.object, undo != nil)
	return moved
}
