package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// Many is runs side by side, from any machines: all but the first are compared with it.
type Many struct {
	Runs  []*bundle.Meta
	Pairs []*Comparison // of Runs[1:] with Runs[0]
	Rows  []ManyRow     // the first run's results in order, then those that it lacks
}

// ManyRow is a result in each of the runs.
type ManyRow struct {
	Workload, Case, Variant string

	Base  *workloads.Result // nil: the first run has none
	Cells []*ComparisonRow  // of Runs[1:]; nil: that run has none
}

// CompareMany compares runs with the first of them.
func CompareMany(runs []*bundle.Run, all []workloads.Workload) *Many {
	m := &Many{Runs: []*bundle.Meta{&runs[0].Meta}}
	at := map[*workloads.Result]int{}
	for i := range runs[0].Results {
		r := &runs[0].Results[i]
		at[r] = len(m.Rows)
		m.Rows = append(m.Rows, ManyRow{Workload: r.Workload, Case: r.Case, Variant: r.Variant, Base: r})
	}
	others := map[[3]string]int{} // rows that the first run lacks
	for k, run := range runs[1:] {
		m.Runs = append(m.Runs, &run.Meta)
		c := Compare(runs[0], run, all)
		m.Pairs = append(m.Pairs, c)
		for i := range c.Rows {
			m.place(k, &c.Rows[i], at, others)
		}
	}
	for i := range m.Rows {
		m.Rows[i].cell(len(m.Pairs) - 1)
	}
	return m
}

// place puts a row of the comparison of run k+1 where it belongs.
func (m *Many) place(k int, row *ComparisonRow, at map[*workloads.Result]int, others map[[3]string]int) {
	if row.Run == nil {
		return
	}
	if row.Base != nil {
		*m.Rows[at[row.Base]].cell(k) = row
		return
	}
	key := [3]string{row.Workload, row.Case, row.Variant}
	i, ok := others[key]
	if !ok || *m.Rows[i].cell(k) != nil {
		i = len(m.Rows)
		others[key] = i
		m.Rows = append(m.Rows, ManyRow{Workload: row.Workload, Case: row.Case, Variant: row.Variant})
	}
	*m.Rows[i].cell(k) = row
}

// cell is the cell of run k+1.
func (r *ManyRow) cell(k int) **ComparisonRow {
	for len(r.Cells) <= k {
		r.Cells = append(r.Cells, nil)
	}
	return &r.Cells[k]
}

// Against states how a run's time compares with the first run's, in a few words: "1.22× slower", "2.10× faster, no verdict".
func (r *ComparisonRow) Against() string {
	change := si.Change(r.Ratio.Median, r.Ratio.Median, r.Ratio.Median)
	switch {
	case r.Verdict == stats.Faster || r.Verdict == stats.Slower:
		return change
	case r.Verdict == NotComparable && !r.Apart:
		return string(NotComparable)
	}
	return change + ", " + r.Brief()
}

// Title names a run by its position.
func (m *Many) Title(i int) string {
	r := m.Runs[i]
	text := fmt.Sprintf("%d: %s on %s (%s engine), %s", i+1, r.ID, orUnknown(r.Engine.Device), orUnknown(r.Engine.Engine), r.Started.Local().Format("2006-01-02 15:04"))
	if r.Commit != nil {
		text += ", commit " + r.Commit.String()
	}
	return plain.Text(text)
}

// Head returns the names of the columns of Lines.
func (m *Many) Head() []string {
	head := []string{"Case", "Variant", "1"}
	for i := range m.Pairs {
		head = append(head, fmt.Sprint(i+2), fmt.Sprintf("%d against 1", i+2))
	}
	return head
}

// ManyGroup is the rows of a workload.
type ManyGroup struct {
	Workload string
	Lines    [][]string
	Means    []string // geometric means of the ratios, for each run that has some
}

// Groups are the rows by workload, in order of appearance.
func (m *Many) Groups() []ManyGroup {
	var out []ManyGroup
	at := map[string]int{}
	for i := range m.Rows {
		r := &m.Rows[i]
		k, ok := at[r.Workload]
		if !ok {
			k = len(out)
			at[r.Workload] = k
			out = append(out, ManyGroup{Workload: plain.Text(r.Workload), Means: m.means(r.Workload)})
		}
		out[k].Lines = append(out[k].Lines, r.line())
	}
	return out
}

// line is a row in words. A result without a time says why.
func (r *ManyRow) line() []string {
	line := []string{plain.Text(r.Case), plain.Text(r.Variant), timeOrStatus(r.Base)}
	for _, c := range r.Cells {
		switch {
		case c == nil:
			line = append(line, "", "")
		case c.Base == nil:
			line = append(line, timeOrStatus(c.Run), "")
		default:
			line = append(line, timeOrStatus(c.Run), c.Against())
		}
	}
	return line
}

func timeOrStatus(r *workloads.Result) string {
	if r == nil {
		return ""
	}
	if text := TimeText(r); text != "" && r.Status == workloads.OK {
		return text
	}
	return strings.ToLower(r.Status.Title())
}

func (m *Many) means(workload string) []string {
	var out []string
	for i, c := range m.Pairs {
		if m := c.Geomean(workload); m.Rows > 1 {
			out = append(out, fmt.Sprintf("%d: %s.", i+2, m.Words("1")))
		}
	}
	return out
}

// Notes says, for each compared run, what the comparison shows, why rows were not compared, and what else differed.
func (m *Many) Notes(i int) []string {
	c := m.Pairs[i-1]
	notes := []string{plain.Text(c.Headline())}
	for _, r := range c.Reasons() {
		notes = append(notes, fmt.Sprintf("%s (%s).", r.Words(), si.Counted(r.Rows, "row")))
	}
	for _, text := range c.Cautions() {
		notes = append(notes, plain.Text(text))
	}
	return notes
}

// MarkdownMany returns runs side by side in GitHub's Markdown.
func MarkdownMany(m *Many) string {
	var out strings.Builder
	for i := range m.Runs {
		out.WriteString("- " + markdownText(m.Title(i)) + "\n")
	}
	for _, g := range m.Groups() {
		fmt.Fprintf(&out, "\n**%s**\n\n", markdownText(g.Workload))
		head := m.Head()
		markdownLine(&out, head)
		out.WriteString("| --- | --- |" + strings.Repeat(" ---: |", len(head)-2) + "\n")
		for _, line := range g.Lines {
			markdownLine(&out, line)
		}
		for _, mean := range g.Means {
			out.WriteString("\n" + markdownText(mean) + "\n")
		}
	}
	for i := 1; i < len(m.Runs); i++ {
		fmt.Fprintf(&out, "\nRun %d against run 1:\n\n", i+1)
		for _, note := range m.Notes(i) {
			out.WriteString("- " + markdownText(note) + "\n")
		}
	}
	return out.String()
}

func markdownLine(out *strings.Builder, cells []string) {
	for _, c := range cells {
		out.WriteString("| " + markdownText(c) + " ")
	}
	out.WriteString("|\n")
}

//go:embed many.html.tmpl
var manyTemplate string

// WriteManyHTML writes runs side by side as one self-contained page.
func WriteManyHTML(w io.Writer, m *Many) error {
	t, err := template.New("many").Parse(manyTemplate)
	if err != nil {
		return err
	}
	type compared struct {
		Title string
		Notes []string
	}
	page := struct {
		Style  template.CSS
		Base   string
		Runs   []compared
		Head   []string
		Groups []ManyGroup
		Footer string
	}{template.CSS(pageStyle), m.Title(0), nil, m.Head(), m.Groups(), "Times are medians; ± is half their 95 % interval. A change without further words has a verdict: the whole interval is beyond the noise floor."}
	for i := 1; i < len(m.Runs); i++ {
		page.Runs = append(page.Runs, compared{m.Title(i), m.Notes(i)})
	}
	var buf strings.Builder
	if err := t.Execute(&buf, page); err != nil {
		return err
	}
	_, err = io.WriteString(w, plain.Lines(buf.String()))
	return err
}
