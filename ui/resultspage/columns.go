package resultspage

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"assay/app/report"
	"assay/internal/si"
	"assay/ui/kit"
)

// chooseColumns asks which columns to show. The table follows immediately.
func (p *resultsPage) chooseColumns() {
	if p.desk.Modal() || p.shown == nil {
		return
	}
	var checks []columnCheck
	grid := container.NewGridWithColumns(columnsAbreast)
	for i := range p.table.all {
		checks = append(checks, p.newColumnCheck(&p.table.all[i]))
		grid.Add(checks[i].Check)
	}
	usual := kit.NewButton("Default Columns", func() {
		p.desk.Settings.SetColumns(map[string]bool{})
		p.rearrange()
		for _, c := range checks {
			c.Checked = p.table.shows(c.name)
			c.Refresh()
		}
	})
	about := kit.NewCaption("By default, all columns that have values. Your choice is remembered.", 2)
	scroll := container.NewVScroll(grid)
	body := container.New(kit.FixedSize{Width: kit.Scaled(660), Height: kit.Scaled(400)},
		container.NewBorder(about, container.NewHBox(usual), nil, nil, scroll))
	asked := dialog.NewCustomWithoutButtons("Columns", body, p.desk.Window)
	done := kit.NewButton("Done", asked.Dismiss)
	done.Importance = widget.HighImportance
	done.OnEscape, usual.OnEscape = asked.Dismiss, asked.Dismiss
	for _, c := range checks {
		c.OnEscape = asked.Dismiss
	}
	asked.SetButtons([]fyne.CanvasObject{done})
	asked.Show()
	p.desk.Window.Canvas().Focus(checks[0].Check)
}

const columnsAbreast = 3

// columnCheck shows or hides the column of a name: by then, another run with other columns may be shown.
type columnCheck struct {
	*kit.Check
	name string
}

func (p *resultsPage) newColumnCheck(c *report.Column) columnCheck {
	name := c.Name
	check := kit.NewCheck(c.Title, func(on bool) { p.showColumn(name, on) })
	check.Checked = p.table.shows(name)
	return columnCheck{check, name}
}

// shows reports whether the column of that name is shown.
func (t *table) shows(name string) bool {
	for _, c := range t.shown {
		if c.Name == name {
			return true
		}
	}
	return false
}

// showColumn shows or hides a column, and remembers it.
func (p *resultsPage) showColumn(name string, on bool) {
	chosen := p.desk.Settings.Columns()
	chosen[name] = on
	p.desk.Settings.SetColumns(chosen)
	p.rearrange()
}

// rearrange shows the currently chosen columns.
func (p *resultsPage) rearrange() {
	p.table.arrange()
	p.table.SetRows(len(p.table.rows))
}

// columns are the visible columns, as exported.
func (t *table) columns() []report.Column {
	var list []report.Column
	for _, c := range t.shown {
		list = append(list, *c)
	}
	return list
}

// copyTable copies the table, as shown, to the clipboard.
func (p *resultsPage) copyTable() {
	if p.shown != nil {
		p.desk.Copy(si.Counted(len(p.table.rows), "row")+" as Markdown", report.Markdown(p.shown, p.table.columns(), p.table.rows))
	}
}

// copyRow copies the chosen row to the clipboard, as tab-separated text for a spreadsheet.
func (p *resultsPage) copyRow() {
	r := p.table.result()
	if r == nil {
		return
	}
	var heads, cells []string
	for _, c := range p.table.shown {
		heads, cells = append(heads, c.Title), append(cells, cellText(c, r))
	}
	p.desk.Copy("Row "+r.Case, strings.Join(heads, "\t")+"\n"+strings.Join(cells, "\t")+"\n")
}
