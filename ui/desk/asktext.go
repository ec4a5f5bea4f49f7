package desk

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// AskText asks for a few words; then is called with them unless the user cancels. The button is labeled with the action.
func (d *Desk) AskText(title, about, doing string, then func(string)) {
	if d.Modal() {
		return
	}
	entry := kit.NewEntry()
	body := container.New(kit.FixedSize{Width: kit.Scaled(questionWidth)}, kit.Stack(8, kit.NewBody(about, 8), entry))
	asked := dialog.NewCustomWithoutButtons(title, body, d.Window)
	submit := func() {
		if text := strings.TrimSpace(entry.Text); text != "" {
			asked.Dismiss()
			then(text)
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
