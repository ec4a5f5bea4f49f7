package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// Markdown returns a table of results in GitHub's Markdown, below a caption that names the run and its device: the rows are
// indices of r.Results. Units are in the heads, and columns that are empty in all rows are omitted. With the columns of
// a Comparison, each row has its ratio and verdict.
func Markdown(r *bundle.Run, columns []Column, rows []int) string {
	picked := make([]*workloads.Result, len(rows))
	for i, row := range rows {
		picked[i] = &r.Results[row]
	}
	var out strings.Builder
	out.WriteString(markdownCaption(r))
	var table []markdownColumn
	heads := map[string]bool{}
	for i := range columns {
		c := markdownOf(&columns[i], picked, heads)
		if slices.ContainsFunc(c.cells, func(s string) bool { return s != "" }) {
			table = append(table, c)
		}
	}
	if len(table) == 0 {
		out.WriteString("No results.\n")
		return out.String()
	}
	for line := -2; line < len(rows); line++ { // two lines of head
		out.WriteString("|")
		for i := range table {
			out.WriteString(table[i].line(line))
		}
		out.WriteString("\n")
	}
	return out.String()
}

// MarkdownTable is Markdown of all results in the default columns, with the findings, leaks and errors above it.
func MarkdownTable(r *bundle.Run, all []workloads.Workload) string {
	columns := slices.DeleteFunc(Columns(&r.Meta, all), func(c Column) bool { return !c.Default })
	var above strings.Builder
	for _, f := range r.Findings {
		above.WriteString("- " + markdownText(f.Text) + "\n")
	}
	errs := slices.DeleteFunc(slices.Clone(r.Events), func(e bundle.Event) bool { return e.Kind != bundle.ErrorSeen || e.Result != "" })
	for _, e := range append(r.Leaks(), errs...) {
		above.WriteString("- " + markdownText(e.Title+": "+e.Text) + "\n")
	}
	if r.Meta.Watch != nil {
		return above.String() + markdownCaption(r) + watchMarkdown(r.Meta.Watch)
	}
	if above.Len() > 0 {
		above.WriteString("\n")
	}
	return above.String() + Markdown(r, columns, Filter{}.Rows(r.Results)) + markdownReferences(r)
}

// markdownCaption describes the run; a table alone would hide that times are simulated.
func markdownCaption(r *bundle.Run) string {
	m := &r.Meta
	if m.Watch != nil {
		return markdownText(fmt.Sprintf("Run %s: %s Assay %s.", m.ID, WatchSummary(m), m.Version)) + "\n\n"
	}
	caption := fmt.Sprintf("Run %s on %s (%s engine), Assay %s.", m.ID, orUnknown(m.Engine.Device),
		orUnknown(m.Engine.Engine), m.Version)
	if why := m.Fallback(); why != "" {
		caption += " Fallback to the CPU: " + why + "."
	}
	if m.Commit != nil {
		caption += " Commit " + m.Commit.String() + "."
	}
	if m.Engine.Simulated {
		caption += " Simulated: times are not from real hardware."
	}
	if text := m.Caveat(); text != "" {
		caption += " " + plain.Capitalized(text) + "."
	}
	if text := TakenOver(r); text != "" {
		caption += " " + text
	}
	return markdownText(caption) + " Times are medians; ± is half their 95 % interval.\n\n"
}

type markdownColumn struct {
	head  string
	cells []string
	right bool
	width int // in characters
}

func markdownOf(c *Column, results []*workloads.Result, heads map[string]bool) markdownColumn {
	head, cell := c.short()
	if c.scaled() {
		unit, factor := c.commonUnit(results)
		head = c.Title + ", " + unit
		if c.rate != "" {
			head = c.distinct(unit, heads)
		}
		cell = func(r *workloads.Result) string { return known(si.Digits(c.Value(r) / factor)) }
	}
	m := markdownColumn{head: markdownText(head), right: c.Number, width: utf8.RuneCountInString(markdownText(head))}
	for _, r := range results {
		text := markdownText(cell(r))
		m.cells = append(m.cells, text)
		m.width = max(m.width, utf8.RuneCountInString(text))
	}
	m.width = max(m.width, len("---"))
	return m
}

// line returns one line of the column: −2 is the head, −1 the rule below it.
func (c *markdownColumn) line(row int) string {
	switch {
	case row == -1 && c.right:
		return " " + strings.Repeat("-", c.width-1) + ": |"
	case row == -1:
		return " " + strings.Repeat("-", c.width) + " |"
	}
	text := c.head
	if row >= 0 {
		text = c.cells[row]
	}
	pad := strings.Repeat(" ", c.width-utf8.RuneCountInString(text))
	if c.right {
		return " " + pad + text + " |"
	}
	return " " + text + pad + " |"
}

// markdownText returns plain text on one line, with Markdown's markup escaped.
func markdownText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<",
		`\<`, "~", `\~`).
		Replace(plain.Text(s))
}
