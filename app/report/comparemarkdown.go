package report

import (
	"fmt"
	"strings"

	"assay/app/bundle"
	"assay/workloads"
)

// MarkdownComparison returns a comparison in GitHub's Markdown, for a pull request: what it shows, the two runs, the rows, and
// what else differed. Rows that only the baseline has are counted.
func MarkdownComparison(c *Comparison, run *bundle.Run) string {
	var out strings.Builder
	fmt.Fprintf(&out, "**%s**\n\n", markdownText(c.Headline()))
	floor := "noise floor"
	if c.Floor > NoiseFloor {
		floor += " up to"
	}
	fmt.Fprintf(&out, "Compared with baseline %s, %s %.0f %%. ", runMarkdown(c.Base), floor, 100*c.Floor)
	out.WriteString(Markdown(run, c.markdownColumns(), Filter{}.Rows(run.Results)))
	var notes []string
	for _, r := range c.Reasons() {
		notes = append(notes, fmt.Sprintf("%s (%d).", r.Words(), r.Rows))
	}
	notes = append(notes, c.Cautions()...)
	if len(notes) > 0 {
		out.WriteString("\n")
	}
	for _, note := range notes {
		out.WriteString("- " + markdownText(note) + "\n")
	}
	return out.String()
}

func runMarkdown(m *bundle.Meta) string {
	text := m.ID
	if m.Commit != nil {
		text += " (commit " + m.Commit.String() + ")"
	}
	return markdownText(text)
}

// markdownColumns are the names of a result, both times, and the verdict without its reason.
func (c *Comparison) markdownColumns() []Column {
	columns := nameColumns()[:3]
	if len(ranWorkloads(c.Run)) == 1 {
		columns = columns[1:]
	}
	of := func(f func(*ComparisonRow) string) func(*workloads.Result) string {
		return func(r *workloads.Result) string {
			if row := c.Row(r); row != nil {
				return f(row)
			}
			return ""
		}
	}
	return append(columns,
		Column{Title: "Baseline", Number: true, text: of(func(row *ComparisonRow) string { return TimeText(row.Base) })},
		Column{Title: "Run", Number: true, text: of(func(row *ComparisonRow) string { return TimeText(row.Run) })},
		Column{Title: "Change", Number: true, text: of((*ComparisonRow).Change)},
		Column{Title: "Verdict", text: of((*ComparisonRow).Brief)},
	)
}

func ranWorkloads(m *bundle.Meta) map[string]bool {
	names := map[string]bool{}
	for _, j := range m.Jobs {
		names[j.Workload] = true
	}
	return names
}
