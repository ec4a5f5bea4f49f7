package resultspage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app/bundle"
	"assay/internal/imported"
	"assay/internal/plain"
	"assay/ui/kit"
)

// references shows external figures, and those of earlier runs, that are beside the run: in a separate table, below what the run
// measured. It is hidden if there are none.
type references struct {
	table   *kit.Table[referenceRow]
	caution *kit.Text
	object  *fyne.Container
}

// referenceRow is a row with the name of the file that it comes from.
type referenceRow struct {
	*imported.Row
	from string
}

// belowLayout puts the second object, while it is visible, below the first, with a part of the height.
type belowLayout struct{}

const (
	belowShare = 0.42 // of the height, at most
	belowRoom  = 190  // height of the second if there is more room, at 100 %
)

// MinSize is part of fyne.Layout.
func (belowLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[0].MinSize() }

// Layout is part of fyne.Layout.
func (belowLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	below := float32(0)
	if o[1].Visible() {
		below = min(belowShare*size.Height, kit.Scaled(belowRoom))
		o[1].Move(fyne.NewPos(0, size.Height-below))
		o[1].Resize(fyne.NewSize(size.Width, below))
		below += pageGap
	}
	o[0].Move(fyne.Position{})
	o[0].Resize(fyne.NewSize(size.Width, size.Height-below))
}

func newReferences(explain func(words string)) *references {
	r := &references{table: kit.NewTable(referenceColumns(), 1), caution: kit.NewCaption("", 3)}
	r.table.OnHead = func(c *kit.Column[referenceRow]) {
		if c != nil {
			explain(c.Title + ": " + c.About)
		}
	}
	r.caution.Color = theme.ColorNameWarning
	r.object = kit.Edged(kit.NewPanel(r.table.Object, 1), kit.AtBottom, kit.Inset(r.caution, 2, 2))
	return r
}

func referenceColumns() []kit.Column[referenceRow] {
	text := func(of func(*imported.Row) string) func(*referenceRow) kit.TableCell {
		return func(r *referenceRow) kit.TableCell {
			return kit.TableCell{Text: plain.Text(of(r.Row)), Color: kit.ColorSecondary}
		}
	}
	return []kit.Column[referenceRow]{
		{Title: "For reference", About: "What was measured, in the words of its program.", Min: 200, Rank: 2, Cell: text(func(r *imported.Row) string { return r.Name })},
		{Title: "Time", About: "The median, with its interval where it is known.", Number: true, Cell: text((*imported.Row).TimeText)},
		{Title: "Rate", About: "What was done per second, as reported.", Number: true, Cell: text((*imported.Row).RateText)},
		{Title: "Samples", About: "How many measurements the time is based on.", Number: true, Drop: 3, Cell: text((*imported.Row).SamplesText)},
		{Title: "Program", About: "What measured it.", Drop: 2, Cell: text(func(r *imported.Row) string { return r.Source })},
		{Title: "From", About: "The file that was imported, or the baseline.", Min: 80, Rank: 1, Cell: func(r *referenceRow) kit.TableCell {
			return kit.TableCell{Text: plain.Text(r.from), Color: kit.ColorSecondary}
		}},
		{Title: "As reported", About: "Build, threads and device, as reported.", Min: 80, Drop: 1, Cell: text(func(r *imported.Row) string { return r.Context })},
	}
}

// setRun shows what is beside a run.
func (r *references) setRun(run *bundle.Run) {
	kit.Show(r.object, len(run.References) > 0)
	var rows []referenceRow
	var cautions []string
	for i := range run.References {
		f := &run.References[i]
		for k := range f.Rows {
			rows = append(rows, referenceRow{&f.Rows[k], f.Name})
		}
		if text := f.Caution(); !strings.Contains(strings.Join(cautions, " "), text) {
			cautions = append(cautions, text)
		}
	}
	r.table.SetItems(rows)
	r.caution.Set(strings.Join(cautions, " "))
	r.object.Refresh()
}

// besideOf returns what is beside a run, to detect changes.
func besideOf(run *bundle.Run) string {
	var names []string
	for i := range run.References {
		f := &run.References[i]
		names = append(names, f.Name, f.Imported.String())
	}
	return strings.Join(names, "\n")
}
