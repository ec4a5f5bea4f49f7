package machinepage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
)

// proving is what surrounds the table in the lists of drills and controls: the state and Run All or Stop above
// it, and what the chosen row showed below it.
type proving struct {
	about, chosen *kit.Text
	all, stop     *kit.Button
	object        *fyne.Container
}

func newProving(table fyne.CanvasObject, run, stop func()) proving {
	p := proving{about: kit.NewBody("", 2), chosen: kit.NewBody("", 4)}
	p.all = kit.NewButtonWithIcon("Run All", theme.MediaPlayIcon(), run)
	p.all.Importance = widget.HighImportance
	p.stop = kit.NewButtonWithIcon("Stop", theme.MediaStopIcon(), stop)
	p.stop.Hide()
	tools := container.New(kit.ScaledWidth{Width: 110}, kit.StackOf(p.all, p.stop))
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, p.about, tools)
	body := kit.Edged(kit.NewPanel(table, 1), kit.AtBottom, kit.Inset(container.New(kit.LinesLayout{Lines: 4}, p.chosen), 2, 6))
	p.object = container.New(kit.HeadedLayout{Gap: 10}, head, body)
	return p
}

// stand shows the state: work in progress can be stopped, and if able is set, it can be started.
func (p *proving) stand(words string, color fyne.ThemeColorName, running, able bool) {
	kit.Trade(p.all, p.stop, running)
	kit.Able(p.all, able)
	p.about.SetColored(words, color)
}

// explain says what the chosen row showed: saw, or hint if none is chosen. A row that was not run has shown nothing.
func (p *proving) explain(title, saw, hint string) {
	switch {
	case title == "":
		p.chosen.SetColored(hint, kit.ColorSecondary)
	case saw == "":
		p.chosen.SetColored(title+": not run yet.", kit.ColorSecondary)
	default:
		p.chosen.SetColored(title+": "+saw+".", theme.ColorNameForeground)
	}
}
