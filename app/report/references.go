package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/internal/imported"
	"assay/internal/plain"
	"assay/internal/si"
)

// maxReferenceRows is how many rows of a file reports print.
const maxReferenceRows = 200

// ReferenceTable is the figures of a file beside a run. They never count as measured by the run.
type ReferenceTable struct {
	Name    string
	Caution string // whose figures they are
	Head    []ReferenceCell
	Rows    [][]ReferenceCell
	More    string // how many rows are left out; empty: none
}

// ReferenceCell is a cell, or a head, of a column of numbers or of texts.
type ReferenceCell struct {
	Text   string
	Number bool
}

// referenceColumns are the columns of figures for reference; those without a text in any row are left out.
func referenceColumns() []struct {
	title  string
	number bool
	text   func(*imported.Row) string
} {
	return []struct {
		title  string
		number bool
		text   func(*imported.Row) string
	}{
		{"Program", false, func(r *imported.Row) string { return r.Source }},
		{"What", false, func(r *imported.Row) string { return r.Name }},
		{"Time", true, (*imported.Row).TimeText},
		{"Rate", true, (*imported.Row).RateText},
		{"Samples", true, (*imported.Row).SamplesText},
		{"As reported", false, func(r *imported.Row) string { return r.Context }},
	}
}

// References are the figures beside a run, a table for each file.
func References(r *bundle.Run) []ReferenceTable {
	out := make([]ReferenceTable, 0, len(r.References))
	for i := range r.References {
		out = append(out, ReferenceRows(&r.References[i], maxReferenceRows))
	}
	return out
}

// ReferenceRows returns the table of a file, with at most limit rows.
func ReferenceRows(f *imported.File, limit int) ReferenceTable {
	t := ReferenceTable{Name: f.Name, Caution: f.Caution()}
	rows := f.Rows[:min(len(f.Rows), limit)]
	if left := len(f.Rows) - len(rows); left > 0 {
		t.More = fmt.Sprintf("%s more; references.json in the run’s folder has all.", si.Counted(left, "row"))
	}
	t.Rows = make([][]ReferenceCell, len(rows))
	for _, c := range referenceColumns() {
		if !slices.ContainsFunc(rows, func(r imported.Row) bool { return c.text(&r) != "" }) {
			continue
		}
		t.Head = append(t.Head, ReferenceCell{c.title, c.number})
		for i := range rows {
			t.Rows[i] = append(t.Rows[i], ReferenceCell{c.text(&rows[i]), c.number})
		}
	}
	return t
}

// markdownReferences are the figures beside a run below its table.
func markdownReferences(r *bundle.Run) string {
	var out strings.Builder
	for _, t := range References(r) {
		fmt.Fprintf(&out, "\n**For reference: %s.** %s\n\n", markdownText(t.Name), markdownText(t.Caution))
		line := func(cells []ReferenceCell) {
			for _, c := range cells {
				out.WriteString("| " + markdownText(c.Text) + " ")
			}
			out.WriteString("|\n")
		}
		line(t.Head)
		for _, c := range t.Head {
			if c.Number {
				out.WriteString("| ---: ")
			} else {
				out.WriteString("| --- ")
			}
		}
		out.WriteString("|\n")
		for _, row := range t.Rows {
			line(row)
		}
		if t.More != "" {
			out.WriteString("\n" + plain.Capitalized(t.More) + "\n")
		}
	}
	return out.String()
}
