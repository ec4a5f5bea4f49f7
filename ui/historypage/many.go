package historypage

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/si"
	"assay/ui/kit"
)

// isMarked reports whether a run is marked for comparison.
func (c *chosen) isMarked(s *bundle.Summary) bool {
	return slices.ContainsFunc(c.marked, func(m *bundle.Summary) bool { return m.Dir == s.Dir })
}

// mark marks the run, or unmarks it.
func (c *chosen) mark() {
	if !c.isMarked(c.run) {
		c.setMarked(append(c.marked, c.run))
		return
	}
	c.setMarked(slices.DeleteFunc(c.marked, func(m *bundle.Summary) bool { return m.Dir == c.run.Dir }))
}

// setMarked marks other runs, here and in the list.
func (c *chosen) setMarked(runs []*bundle.Summary) {
	c.marked = runs
	c.page.fillList()
	c.update()
}

// markedText says what is marked, and what to do with it; empty: nothing is.
func (c *chosen) markedText() string {
	switch n := len(c.marked); {
	case n == 0:
		return ""
	case n == 1 && c.isMarked(c.run):
		return "Select another run to compare this one with."
	case c.isMarked(c.run):
		return fmt.Sprintf("%s are marked. Select another run to compare them with.", si.Counted(n, "run"))
	}
	return ""
}

// compareMany shows runs side by side; the others are compared with the earliest.
func (c *chosen) compareMany(list []*bundle.Summary) {
	slices.SortStableFunc(list, func(a, b *bundle.Summary) int { return begun(a).Compare(begun(b)) })
	c.setMarked(nil)
	d := c.page.desk
	done := d.Await("Reading " + si.Counted(len(list), "run") + ".")
	d.Background(func() func() {
		runs := make([]*bundle.Run, len(list))
		var err error
		for i, s := range list {
			if runs[i], err = bundle.Load(s.Dir); err != nil {
				err = fmt.Errorf("%s: %w", s.ID, err)
				break
			}
		}
		var m *report.Many
		if err == nil {
			m = report.CompareMany(runs, d.Model.Workloads)
		}
		return func() {
			done()
			if err != nil {
				d.Fail("Cannot compare", err)
				return
			}
			c.showMany(m)
		}
	})
}

// showMany shows runs side by side in a dialog.
func (c *chosen) showMany(m *report.Many) {
	d := c.page.desk
	if d.Modal() {
		return
	}
	var titles []string
	for i := range m.Runs {
		titles = append(titles, m.Title(i))
	}
	size := d.Window.Canvas().Size()
	table := manyTable(m)
	notes := kit.NewReading(kit.NewBody(manyNotes(m), 400))
	parts := container.New(&kit.WeightedLayout{Weights: []float32{2, 1}, Gap: 10}, kit.NewPanel(table, 1), kit.NewPanel(notes, 10))
	body := container.New(kit.FixedSize{Width: min(kit.Scaled(1000), size.Width-80), Height: min(kit.Scaled(560), size.Height-160)},
		container.New(kit.HeadedLayout{Gap: 10}, kit.NewFlow(2, kit.NewCaption(strings.Join(titles, "\n"), 24)), parts))
	asked := dialog.NewCustomWithoutButtons(si.Counted(len(m.Runs), "run")+" side by side", body, d.Window)
	copying := kit.NewButton("Copy as Markdown", func() { d.Copy("The comparison was", report.MarkdownMany(m)) })
	done := kit.NewButton("Done", asked.Dismiss)
	done.Importance = widget.HighImportance
	done.OnEscape, copying.OnEscape = asked.Dismiss, asked.Dismiss
	asked.SetButtons([]fyne.CanvasObject{copying, done})
	asked.Show()
	d.Window.Canvas().Focus(copying)
}

// manyTable shows the results of all runs, those after the first also compared with it.
func manyTable(m *report.Many) *kit.TableView {
	head := append([]string{"Workload"}, m.Head()...)
	var rows [][]string
	for _, g := range m.Groups() {
		for _, line := range g.Lines {
			rows = append(rows, append([]string{g.Workload}, line...))
		}
	}
	t := kit.NewTableView(func(row, column int) kit.TableCell { return kit.TableCell{Text: rows[row][column]} })
	var columns []kit.TableColumn
	for i, title := range head {
		text := func(row int) string { return rows[row][i] }
		width := max(kit.CellWidth(title, false), kit.WidestCell(0, len(rows), text, false))
		columns = append(columns, kit.TableColumn{Title: title, Number: i > 2, Width: min(width, kit.Scaled(260))})
	}
	t.SetColumns(columns, 2)
	t.SetRows(len(rows))
	return t
}

// manyNotes says what the comparisons show and why rows were not compared.
func manyNotes(m *report.Many) string {
	var lines []string
	for _, g := range m.Groups() {
		for _, mean := range g.Means {
			lines = append(lines, g.Workload+", "+mean)
		}
	}
	for i := 1; i < len(m.Runs); i++ {
		lines = append(lines, "", fmt.Sprintf("%d against 1:", i+1))
		for _, note := range m.Notes(i) {
			lines = append(lines, "• "+note)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
