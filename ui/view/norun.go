package view

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// NewNoRun returns what a page shows while there is no run to show: words, and the two pages that lead to one.
func NewNoRun(text string, toRun, toHistory func()) fyne.CanvasObject {
	words := kit.NewBody(text, 3)
	words.Align, words.Color = fyne.TextAlignCenter, kit.ColorSecondary
	words.Whole()
	run := kit.NewButton("Go to Run", toRun)
	run.Importance = widget.HighImportance
	return kit.Stack(14, words, container.NewCenter(kit.Row(10, run, kit.NewButton("Open History", toHistory))))
}
