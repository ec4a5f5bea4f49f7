package runpage

import (
	"fmt"
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// tableColumn is one column of the results table. It is shown if any result has something in it.
type tableColumn struct {
	title  string
	number bool
	text   func(*workloads.Result) string
}

// tableColumns are the columns from left to right.
func tableColumns() []tableColumn {
	return []tableColumn{
		{"Case", false, func(r *workloads.Result) string { return r.Case }},
		{"Variant", false, func(r *workloads.Result) string { return r.Variant }},
		{"Status", false, statusText},
		{"Time", true, func(r *workloads.Result) string { return view.Quantity(r.Time.Median, "s") }},
		{"95 % interval", true, func(r *workloads.Result) string { return intervalText(r) }},
		{"Throughput", true, func(r *workloads.Result) string { return view.Quantity(r.GFLOPS()*1e9, "FLOP/s") }},
		{"Bandwidth", true, func(r *workloads.Result) string { return view.Quantity(r.GBps()*1e9, "B/s") }},
		{"Items", true, func(r *workloads.Result) string { return view.Quantity(r.ItemsPerS(), "/s") }},
		{"Speed-up", true, speedupText},
		{"Size", true, func(r *workloads.Result) string { return view.Quantity(r.Footprint, "B") }},
		{"SNR", true, func(r *workloads.Result) string { return view.Quantity(r.SNR, "dB") }},
		{"Cosine", true, func(r *workloads.Result) string { return view.Plain(r.Cosine) }},
		{"Largest error", true, func(r *workloads.Result) string { return view.Plain(r.ErrorMax) }},
		{"Relative error", true, func(r *workloads.Result) string { return view.Plain(r.ErrorRel) }},
		{"Samples", true, samplesText},
		{"Note", false, noteText},
	}
}

func statusText(r *workloads.Result) string {
	switch r.Status {
	case workloads.OK:
		return "verified"
	case workloads.Failed:
		return "wrong result"
	case workloads.Errored:
		return "error"
	case workloads.Unsupported:
		return "not supported"
	}
	return string(r.Status)
}

func intervalText(r *workloads.Result) string {
	t := r.Time
	if !(t.Median > 0) || math.IsNaN(t.Lo) || math.IsNaN(t.Hi) {
		return ""
	}
	return fmt.Sprintf("–%.1f %% … +%.1f %%", 100*(t.Median-t.Lo)/t.Median, 100*(t.Hi-t.Median)/t.Median)
}

func speedupText(r *workloads.Result) string {
	s := r.Speedup
	if math.IsNaN(s.Median) {
		return ""
	}
	return fmt.Sprintf("%.2f× (%.2f … %.2f)", s.Median, s.Lo, s.Hi)
}

func samplesText(r *workloads.Result) string {
	if len(r.Samples) == 0 {
		return ""
	}
	return fmt.Sprint(len(r.Samples))
}

// noteText is what a reader of the row must know.
func noteText(r *workloads.Result) string {
	var parts []string
	if r.Mark != "" {
		parts = append(parts, r.Mark)
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(append(parts, r.Warnings...), "; ")
}

// resultsTable shows results, one per row.
type resultsTable struct {
	*widget.Table
	all     []tableColumn
	columns []tableColumn // those with something in them
	rows    []workloads.Result
	chosen  int                     // row, −1: none
	onRow   func(*workloads.Result) // told of the row that was chosen
}

const (
	cellPad   = 8
	noteWidth = 320
)

func newResultsTable(onRow func(*workloads.Result)) *resultsTable {
	t := &resultsTable{all: tableColumns(), chosen: -1, onRow: onRow}
	cell := func() fyne.CanvasObject {
		mark := kit.NewFill(kit.ColorSelected, 0)
		mark.Hide()
		return kit.StackOf(kit.Inset(kit.NewBody("", 1), cellPad, 4), mark)
	}
	t.Table = widget.NewTable(func() (int, int) { return len(t.rows), len(t.columns) }, cell, t.fill)
	t.ShowHeaderRow = true
	t.CreateHeader = func() fyne.CanvasObject {
		h := kit.NewCaption("", 1)
		h.Style.Bold = true
		return kit.Inset(h, cellPad, 5)
	}
	t.UpdateHeader = t.fillHeader
	t.StickyColumnCount = 2
	t.OnSelected = func(id widget.TableCellID) {
		if id.Row >= 0 && id.Row < len(t.rows) {
			t.chosen = id.Row
			t.onRow(&t.rows[id.Row])
			t.Refresh()
		}
	}
	return t
}

// cellText is what a cell shows.
func (t *resultsTable) cellText(row, column int) string { return t.columns[column].text(&t.rows[row]) }

func (t *resultsTable) fill(id widget.TableCellID, o fyne.CanvasObject) {
	cell := o.(*fyne.Container).Objects
	words := cell[0].(*fyne.Container).Objects[0].(*kit.Text)
	kit.Show(cell[1], id.Row == t.chosen)
	if id.Row >= len(t.rows) || id.Col >= len(t.columns) {
		words.Set("")
		return
	}
	c := t.columns[id.Col]
	align := fyne.TextAlignLeading
	if c.number {
		align = fyne.TextAlignTrailing
	}
	if words.Align != align {
		words.Align = align
		words.Refresh()
	}
	color := theme.ColorNameForeground
	if r := &t.rows[id.Row]; r.Status != workloads.OK {
		color = theme.ColorNameError
		if r.Status == workloads.Unsupported {
			color = kit.ColorSecondary
		}
	}
	words.SetColored(c.text(&t.rows[id.Row]), color)
}

func (t *resultsTable) fillHeader(id widget.TableCellID, o fyne.CanvasObject) {
	words := o.(*fyne.Container).Objects[0].(*kit.Text)
	if id.Col < 0 || id.Col >= len(t.columns) {
		words.Set("")
		return
	}
	words.Align = fyne.TextAlignLeading
	if t.columns[id.Col].number {
		words.Align = fyne.TextAlignTrailing
	}
	words.Set(t.columns[id.Col].title)
}

// forget chooses no row.
func (t *resultsTable) forget() {
	t.chosen = -1
	t.UnselectAll()
}

// show replaces the rows.
func (t *resultsTable) show(rows []workloads.Result) {
	t.rows = rows
	t.columns = t.columns[:0]
	for _, c := range t.all {
		width := fyne.MeasureText(c.title, theme.CaptionTextSize(), fyne.TextStyle{Bold: true}).Width
		used := false
		for i := range rows {
			if s := c.text(&rows[i]); s != "" {
				used = true
				width = max(width, fyne.MeasureText(s, theme.TextSize(), fyne.TextStyle{}).Width)
			}
		}
		if used {
			t.columns = append(t.columns, c)
			t.SetColumnWidth(len(t.columns)-1, min(width, noteWidth)+2*cellPad+1)
		}
	}
	t.Refresh()
}

// newTableCard puts the table on a card.
func newTableCard(t *resultsTable) fyne.CanvasObject {
	back := kit.NewFill(kit.ColorPanel, 8)
	back.Stroke = theme.ColorNameSeparator
	return container.NewStack(back, kit.Inset(t.Table, 1, 1))
}
