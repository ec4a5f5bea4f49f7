package cli

import (
	"fmt"
	"slices"
	"strings"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/plain"
	"assay/workloads"
)

// printResults prints the tables and notes of a run, except what the error to be printed says.
func (c *command) printResults(run *bundle.Run, failure error) {
	if run.Meta.Watch != nil {
		c.printWatch(run)
		return
	}
	engine := &run.Meta.Engine
	fmt.Fprintf(c.out, "\n%s on %s (%s engine%s)\n", bold(c.out, plain.Text(run.Meta.ID)), plain.Text(engine.Device),
		plain.Text(engine.Engine), simulated(run))
	if why := run.Meta.Fallback(); why != "" {
		fmt.Fprintf(c.out, "! Fallback to the CPU: %s\n", plain.Text(why))
	}
	for _, j := range run.Meta.Jobs {
		var mine []workloads.Result
		for _, r := range run.Results {
			if r.Workload == j.Workload {
				mine = append(mine, r)
			}
		}
		if len(mine) > 0 {
			c.printTable(run, j.Workload, mine)
			c.printPairs(j.Workload, mine)
		}
	}
	c.printReferences(run)
	c.printNotes(run, failure)
}

// printReferences prints the figures beside a run, apart from what it measured.
func (c *command) printReferences(run *bundle.Run) {
	for _, t := range report.References(run) {
		fmt.Fprintf(c.out, "\n%s\n", bold(c.out, "For reference: "+plain.Text(t.Name)))
		c.printReference(&t)
		fmt.Fprintln(c.out, t.Caution)
	}
}

func (c *command) printReference(t *report.ReferenceTable) {
	g := &grid{flex: len(t.Head) - 1}
	for i, h := range t.Head {
		g.header = append(g.header, h.Text)
		if h.Number {
			g.right = append(g.right, i)
		}
	}
	for _, row := range t.Rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, plain.Text(cell.Text))
		}
		g.rows = append(g.rows, cells)
	}
	g.render(c.out)
	if t.More != "" {
		fmt.Fprintln(c.out, t.More)
	}
}

func (c *command) printTable(run *bundle.Run, title string, results []workloads.Result) {
	fmt.Fprintf(c.out, "\n%s\n", bold(c.out, plain.Text(title)))
	g := gridOf(report.Table(&run.Meta, c.config.Workloads, results))
	if left := g.render(c.out); len(left) > 0 {
		fmt.Fprintf(c.out, "Columns omitted for width: %s; see results.csv.\n", listing(left))
	}
}

// printPairs prints two variants of each case side by side, if the workload compares two.
func (c *command) printPairs(workload string, results []workloads.Result) {
	w, err := workloads.Find(c.config.Workloads, workload)
	if err != nil { // measured by another version
		return
	}
	t := report.Pairs(w, results)
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintf(c.out, "\n%s\n", bold(c.out, t.Title))
	g := &grid{header: t.Head, rows: t.Rows}
	for i := range t.Head[1:] {
		g.right = append(g.right, i+1)
	}
	g.render(c.out)
}

// gridOf returns a table whose last column fills the remaining width.
func gridOf(columns []report.TableColumn) *grid {
	g := &grid{flex: len(columns) - 1}
	for i, c := range columns {
		g.header = append(g.header, c.Head)
		if c.Number {
			g.right = append(g.right, i)
		}
		for k, text := range c.Texts {
			if i == 0 {
				g.rows = append(g.rows, nil)
			}
			g.rows[k] = append(g.rows[k], text)
		}
	}
	spare := slices.DeleteFunc(slices.Clone(columns), func(c report.TableColumn) bool { return c.Spare == 0 })
	slices.SortStableFunc(spare, func(a, b report.TableColumn) int { return b.Spare - a.Spare })
	for _, c := range spare {
		g.spare = append(g.spare, c.Head)
	}
	return g
}

func simulated(run *bundle.Run) string {
	text := ""
	if run.Meta.Engine.Simulated {
		text = ", simulated: times are not from real hardware"
	}
	if why := run.Meta.NotTiming(); why != "" {
		text += ", " + why
	}
	return text
}

// printNotes prints findings, failures and leaks, or that there are none.
func (c *command) printNotes(run *bundle.Run, failure error) {
	fmt.Fprintln(c.out)
	for _, f := range run.Findings {
		fmt.Fprintln(c.out, "•", plain.Text(f.Text))
	}
	for _, e := range run.Leaks() {
		fmt.Fprintf(c.out, "! %s: %s\n", plain.Text(e.Title), plain.Text(e.Text))
	}
	for _, e := range run.Events {
		if e.Kind == bundle.ErrorSeen && e.Result == "" && (failure == nil || !strings.Contains(failure.Error(), e.Text)) {
			fmt.Fprintf(c.out, "! %s: %s\n", plain.Text(e.Title), plain.Text(e.Text))
		}
	}
	for _, note := range run.Notes {
		fmt.Fprintln(c.out, "!", plain.Text(note))
	}
	if run.OK() && run.Meta.State == bundle.Finished && len(run.Notes) == 0 {
		fmt.Fprintf(c.out, "• %s. No leaks found.\n", report.Verified(run.Results))
	}
	if text := report.Disturbed(run.Results); text != "" {
		fmt.Fprintf(c.out, "! %s Measure them again: assay run --again %s\n", text, run.Meta.ID)
	}
	if _, err := app.Extend(run, "", run.Findings); err == nil {
		fmt.Fprintf(c.out, "• To extend the sweep and keep these results: assay run --extend %s\n", run.Meta.ID)
	}
	if text := report.Beside(run); text != "" {
		fmt.Fprintln(c.out, "•", text)
	}
	if text := run.Meta.RunEnergy.String(); text != "" {
		fmt.Fprintln(c.out, "• Energy of the run:", text+".")
	}
	if text := run.Meta.SelfTest.String(); text != "" {
		fmt.Fprintln(c.out, "• Self-test of the device:", text+".")
	}
	for _, text := range []string{report.TakenOver(run), precise(run), report.Compared(run.Results), report.OwnCost(run.Results)} {
		if text != "" {
			fmt.Fprintln(c.out, "•", text)
		}
	}
}

// precise says how many times are as precise as wanted; empty if that does not apply, as with a fixed schedule.
func precise(run *bundle.Run) string {
	if run.Meta.Schedule != "" {
		return ""
	}
	return report.Precise(run.Results, run.Meta.Precision)
}
