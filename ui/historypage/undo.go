package historypage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/desk"
	"assay/ui/kit"
)

// undoStrip shows the last action on a run, and offers to undo it. It is hidden if there is none.
type undoStrip struct {
	words  *kit.Text
	back   *kit.Button
	object *fyne.Container
}

func newUndoStrip(d *desk.Desk) *undoStrip {
	u := &undoStrip{words: kit.NewBody("", 1)}
	u.back = kit.NewButtonWithIcon("Undo", theme.ContentUndoIcon(), d.UndoLast)
	gone := kit.NewButton("Dismiss", d.ForgetUndo)
	gone.Importance = widget.LowImportance
	u.object = kit.NewPanel(kit.Inset(container.NewBorder(nil, nil, nil, kit.Row(6, u.back, gone), u.words), 10, 0), 3)
	u.object.Hide()
	return u
}

// update shows what can be undone, and reports whether the strip appeared or disappeared.
func (u *undoStrip) update(r *desk.Runs) bool {
	told, shown := r.Told(), u.object.Visible()
	if told != "" {
		u.words.Set(told)
	}
	kit.Able(u.back, !r.Moving())
	kit.Show(u.object, told != "")
	return shown != (told != "")
}
