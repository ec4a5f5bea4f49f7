package resultspage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/stats"
	"assay/ui/kit"
	"assay/workloads"
)

// table shows the results that match the filter, in the order that the user chose.
type table struct {
	*kit.TableView
	page       *resultsPage
	run        *bundle.Run
	all        []report.Column // of the run, and of its comparison with the baseline
	shown      []*report.Column
	rows       []int  // of the run's results, as they stand in the table
	chosen     int    // of the run's results; -1: none
	by         string // name of the sort column; empty: as measured
	descending bool
	widths     map[string]width         // by column
	texts      []string                 // all columns of each result in lower case, for the filter
	shapes     map[string]fyne.Resource // by status and verdict
}

// width is the width of a column's widest cell, and the number of results measured.
type width struct {
	of   int
	wide float32
}

const (
	maxWide    = 420 // of a cell, at 100 %
	fixedNames = 2   // case and variant stay visible
)

func newTable(p *resultsPage) *table {
	t := &table{page: p, chosen: -1, widths: map[string]width{}, shapes: shapes()}
	t.by, t.descending = p.desk.Settings.Order("results")
	t.TableView = kit.NewTableView(t.cell)
	t.OnChosen = func(row int) { t.chosen = t.rows[row]; p.chose() }
	t.OnSorted = t.sortBy
	t.OnColumn = p.tellColumn
	t.About, t.Hints = t.explain, p.desk.Hints
	t.OnEdit = func(s fyne.Shortcut) {
		if _, ok := s.(*fyne.ShortcutCopy); ok {
			p.copyRow()
		}
	}
	return t
}

// setRun shows a run, and its comparison with the baseline if there is one. The chosen row stays if it is the same run,
// for instance when it has ended.
func (t *table) setRun(run *bundle.Run, c *report.Comparison) {
	if t.run != nil && t.run.Meta.ID != run.Meta.ID {
		t.Restart()
	}
	if t.run != run {
		t.chosen = t.sameRow(run)
		clear(t.widths)
	}
	t.run = run
	t.all = report.Columns(&run.Meta, t.page.desk.Model.Workloads)
	at := slices.IndexFunc(t.all, func(c report.Column) bool { return c.Name == "status" })
	t.all = slices.Insert(t.all, at+1, report.DoubtColumn())
	if c != nil { // put the purpose first, where it is visible
		t.all = slices.Insert(t.all, max(0, at), c.Columns()...)
	}
	delete(t.widths, "ratio")
	delete(t.widths, "verdict")
	t.texts = nil
	t.arrange()
}

// sameRow returns the index of the chosen result in a run that was reread or has ended; -1: none is chosen, or it is another run.
func (t *table) sameRow(run *bundle.Run) int {
	if t.run == nil || t.chosen < 0 || t.chosen >= len(t.run.Results) || t.run.Meta.ID != run.Meta.ID {
		return -1
	}
	id := t.run.Results[t.chosen].ID
	return slices.IndexFunc(run.Results, func(r workloads.Result) bool { return r.ID == id })
}

// measureAgain clears the column widths: the text size has changed.
func (t *table) measureAgain() {
	clear(t.widths)
	if t.run != nil {
		t.arrange()
		t.SetRows(len(t.rows))
	}
}

// arrange shows the columns that the user chose, or the nonempty ones, with the next SetRows.
func (t *table) arrange() {
	chosen := t.page.desk.Settings.Columns()
	t.shown = t.shown[:0]
	var columns []kit.TableColumn
	fixed := 0
	for i := range t.all {
		c := &t.all[i]
		if on, ok := chosen[c.Name]; ok && !on || !ok && !(c.Default && t.used(c)) {
			continue
		}
		if fixed == len(t.shown) && isName(c) && fixed < fixedNames {
			fixed++
		}
		t.shown = append(t.shown, c)
		columns = append(columns, kit.TableColumn{Title: c.Title, Number: c.Number, Width: t.widthOf(c)})
	}
	t.SetColumns(columns, fixed)
	t.markSorted()
}

func isName(c *report.Column) bool {
	return c.Name == "workload" || c.Name == "case" || c.Name == "variant"
}

// used reports whether a column is nonempty.
func (t *table) used(c *report.Column) bool {
	return c.Name == "case" || slices.ContainsFunc(t.run.Results, func(r workloads.Result) bool { return c.Text(&r) != "" })
}

// widthOf returns the width of a column, whose cells are measured once.
func (t *table) widthOf(c *report.Column) float32 {
	known := t.widths[c.Name]
	if known.of == len(t.run.Results) && known.of > 0 {
		return known.wide
	}
	of := func(i int) string { return cellText(c, &t.run.Results[i]) }
	wide := max(known.wide, kit.HeadWidth(c.Title))
	wide = max(wide, min(kit.Scaled(maxWide), kit.WidestCell(known.of, len(t.run.Results), of, hasShape(c))))
	t.widths[c.Name] = width{len(t.run.Results), wide}
	return wide
}

// findingSign precedes the kind of a finding in texts; the window's font lacks it.
const findingSign = '\u25C6'

// cellText returns the text of a cell: a verdict without the reason, and no finding's sign.
func cellText(c *report.Column, r *workloads.Result) string {
	s := c.Text(r)
	switch c.Name {
	case "notes":
		s = strings.ReplaceAll(s, string(findingSign)+" ", "")
	case "verdict":
		s, _, _ = strings.Cut(s, reasonSign)
	}
	return s
}

// reasonSign separates a verdict from its reason.
const reasonSign = ": "

// pick shows the rows that match a filter and words, sorted.
func (t *table) pick(f report.Filter, words []string) {
	t.rows = f.Rows(t.run.Results)
	if len(words) > 0 {
		t.index()
		t.rows = slices.DeleteFunc(t.rows, func(i int) bool {
			return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(t.texts[i], w) })
		})
	}
	t.order()
}

// index builds the texts for the filter.
func (t *table) index() {
	var b strings.Builder
	for i := len(t.texts); i < len(t.run.Results); i++ {
		b.Reset()
		for k := range t.all {
			b.WriteString(t.all[k].Text(&t.run.Results[i]))
			b.WriteByte('\n')
		}
		t.texts = append(t.texts, strings.ToLower(b.String()))
	}
}

// sortBy cycles a column through ascending, descending and unsorted.
func (t *table) sortBy(column int) {
	name := t.shown[column].Name
	switch {
	case t.by != name:
		t.by, t.descending = name, false
	case !t.descending:
		t.descending = true
	default:
		t.by, t.descending = "", false
	}
	t.page.desk.Settings.SetOrder("results", t.by, t.descending)
	slices.Sort(t.rows)
	t.order()
	t.markSorted()
}

// order sorts the rows and keeps the chosen one.
func (t *table) order() {
	if c, ok := report.FindColumn(t.all, t.by); ok {
		report.SortRows(t.run.Results, t.rows, c, t.descending)
	}
	t.SetRows(len(t.rows))
	at := slices.Index(t.rows, t.chosen)
	t.Mark(at)
	if at >= 0 {
		t.ShowRow(at)
	}
}

// markSorted marks the head of the sort column.
func (t *table) markSorted() {
	t.Sorted(slices.IndexFunc(t.shown, func(c *report.Column) bool { return c.Name == t.by }), t.descending)
}

// result returns the result of the chosen row; nil if none is chosen, or the filter hides it.
func (t *table) result() *workloads.Result {
	if at := t.At(); at >= 0 && at < len(t.rows) {
		return &t.run.Results[t.rows[at]]
	}
	return nil
}

// cell returns what a cell shows.
func (t *table) cell(row, column int) kit.TableCell {
	c, r := t.shown[column], &t.run.Results[t.rows[row]]
	cell := kit.TableCell{Text: cellText(c, r)}
	switch {
	case c.Name == "status":
		cell.Icon = t.shapes[string(r.Status)]
	case c.Name == "doubt" && cell.Text != "":
		cell.Icon = t.shapes["doubt"]
	case c.Name == "verdict":
		cell.Icon, cell.Color = t.verdict(r)
	}
	if r.Status != workloads.OK {
		cell.Color = statusColor(r.Status)
	}
	return cell
}

// verdict returns the shape and the color of a comparison's verdict.
func (t *table) verdict(r *workloads.Result) (fyne.Resource, fyne.ThemeColorName) {
	against := t.page.taken.against
	if against == nil {
		return nil, ""
	}
	row := against.Row(r)
	if row == nil {
		return nil, ""
	}
	color := kit.ColorSecondary
	switch row.Verdict {
	case stats.Faster:
		color = theme.ColorNameSuccess
	case stats.Slower:
		color = theme.ColorNameError
	}
	return t.shapes[string(row.Verdict)], color
}

// explain returns the full content of a cell that shows only part of it, one item per line: the warnings, the notes, a verdict
// with a reason.
func (t *table) explain(row, column int) string {
	if row >= len(t.rows) || column >= len(t.shown) {
		return ""
	}
	r := &t.run.Results[t.rows[row]]
	switch c := t.shown[column]; c.Name {
	case "verdict":
		if whole := c.Text(r); whole != cellText(c, r) {
			return whole
		}
	case "doubt":
		return report.Doubts(r)
	case "notes":
		return strings.ReplaceAll(strings.Join(report.Notes(r), "\n"), string(findingSign)+" ", "")
	}
	return ""
}

func hasShape(c *report.Column) bool {
	return c.Name == "status" || c.Name == "doubt" || c.Name == "verdict"
}

// shapes are the icons beside a status or a verdict, so that it does not depend on color alone.
func shapes() map[string]fyne.Resource {
	gray := func(r fyne.Resource) fyne.Resource { return theme.NewColoredResource(r, kit.ColorSecondary) }
	return map[string]fyne.Resource{
		string(workloads.OK):          theme.NewSuccessThemedResource(theme.ConfirmIcon()),
		string(workloads.Failed):      theme.NewErrorThemedResource(theme.CancelIcon()),
		string(workloads.Errored):     theme.NewErrorThemedResource(theme.WarningIcon()),
		string(workloads.Unsupported): gray(theme.ContentRemoveIcon()),
		"doubt":                       theme.NewWarningThemedResource(theme.WarningIcon()),
		string(stats.Faster):          theme.NewSuccessThemedResource(theme.MoveUpIcon()),
		string(stats.Slower):          theme.NewErrorThemedResource(theme.MoveDownIcon()),
		string(stats.Same):            gray(theme.ContentRemoveIcon()),
		string(stats.Unsure):          gray(theme.MoreHorizontalIcon()),
		string(report.NotComparable):  gray(theme.QuestionIcon()),
	}
}

func statusColor(s workloads.Status) fyne.ThemeColorName {
	if s == workloads.Failed || s == workloads.Errored {
		return theme.ColorNameError
	}
	return kit.ColorSecondary
}
