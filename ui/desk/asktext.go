package desk

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/internal/plain"
	"assay/ui/kit"
)

// AskText asks for a few words; try is called with them unless the user cancels, and answers with nil or with what is wrong,
// which is shown below so that the user can correct it. The button is labeled with the action.
func (d *Desk) AskText(title, about, doing string, try func(text string, answer func(error))) {
	if d.Modal() {
		return
	}
	entry, wrong := kit.NewEntry(), kit.NewBody("", 4)
	wrong.Color = theme.ColorNameError
	wrong.Hide()
	body := container.New(kit.FixedSize{Width: kit.Scaled(questionWidth)}, kit.Stack(8, kit.NewBody(about, 8), entry, wrong))
	asked := dialog.NewCustomWithoutButtons(title, body, d.Window)
	answer := func(err error) {
		if err == nil {
			asked.Dismiss()
			return
		}
		wrong.Set(plain.Capitalized(plain.Text(err.Error())) + ".")
		wrong.Show()
		asked.Resize(asked.MinSize())
	}
	submit := func() {
		if text := strings.TrimSpace(entry.Text); text != "" {
			try(text, answer)
		}
	}
	entry.OnSubmitted = func(string) { submit() }
	entry.OnKey = func(k fyne.KeyName) bool {
		if k == fyne.KeyEscape {
			asked.Dismiss()
		}
		return k == fyne.KeyEscape
	}
	cancel := kit.NewButton("Cancel", asked.Dismiss)
	do := kit.NewButton(doing, submit)
	do.Importance = widget.HighImportance
	cancel.OnEscape, do.OnEscape = asked.Dismiss, asked.Dismiss
	asked.SetButtons([]fyne.CanvasObject{cancel, do})
	asked.Show()
	d.Window.Canvas().Focus(entry)
}
