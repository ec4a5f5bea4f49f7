package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

func (c *command) compare() *cobra.Command {
	var asJSON, asMarkdown bool
	var html string
	cmd := &cobra.Command{
		Use: "compare BASE RUN…", Short: "Compare runs with a baseline",
		Long: "Compares the results of RUN with those of BASE; several runs give a table with a column for each.\nBASE or RUN is " + namesOfRuns + ".\n\n" +
			"A change is the ratio of the median times, with a confidence interval of at least 95 %. A result is faster or slower if the\n" +
			fmt.Sprintf("whole interval is beyond the noise floor and the fastest tenth of the samples agrees. The floor is the larger of %.0f %% and\n",
				100*report.NoiseFloor) +
			fmt.Sprintf("the sum of both times' ±. If the machine was not quiet, the floor is at least %.0f %%, and results that differ by more are\n",
				100*report.BusyFloor) +
			"not comparable. Two runs are weaker evidence than variants within one run, which are interleaved.\n\n" +
			"Rows of different devices have a ratio with its interval and no verdict: a slower device is not a regression.\n\n" +
			"Exit status: 0 nothing is slower; 1 something is slower, something verified in BASE is not verified in RUN, nothing\n" +
			"could be compared, or a run cannot be read or is incomplete; 2 invalid usage.",
		Example: "  assay compare last~1 last\n" +
			"  assay compare laptop studio server --html machines.html\n" +
			"  assay compare 20261120-214501-batching-3f2a 20261121-090000-batching-77b1 --markdown",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("compare takes two runs or more, BASE and RUN, not %s", si.Counted(len(args), "argument"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON && asMarkdown {
				return usagef("--json and --markdown: choose one")
			}
			runs, err := c.findRuns(cmd.Context(), args)
			if err != nil {
				return err
			}
			if html != "" {
				if err := c.writeCompared(runs, html); err != nil {
					return err
				}
			}
			if len(runs) == 2 {
				return c.showComparison(runs[0], runs[1], asJSON, asMarkdown)
			}
			return c.showMany(runs, asJSON, asMarkdown)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "print a table in Markdown")
	cmd.Flags().StringVar(&html, "html", "", "write the runs side by side to this file, as a page")
	return cmd
}

// findRun loads the run that an argument names, with few of the monitor's snapshots.
func (c *command) findRun(ctx context.Context, name string) (*bundle.Run, error) {
	dir, err := c.library().Find(name)
	if err != nil {
		return nil, err
	}
	run, _, err := bundle.LoadThinned(ctx, dir)
	return run, err
}

func (c *command) library() *app.Library {
	dir := c.config.RunsDir
	if dir == "" {
		dir = app.DefaultRunsDir()
	}
	return app.NewLibrary(dir)
}

func (c *command) showComparison(base, run *bundle.Run, asJSON, asMarkdown bool) error {
	compared := report.Compare(base, run, c.config.Workloads)
	var err error
	switch {
	case asJSON:
		err = writeJSON(c.out, comparisonJSON(compared))
	case asMarkdown:
		_, err = fmt.Fprint(c.out, report.MarkdownComparison(compared, run))
	default:
		c.printComparison(compared)
	}
	err = errors.Join(err, whole(base), whole(run))
	if err == nil && !passed(compared) {
		return errFailed
	}
	return err
}

// passed returns the verdict for a script. A comparison of nothing does not pass.
func passed(c *report.Comparison) bool {
	return c.Count(stats.Slower) == 0 && c.Broken() == 0 && len(c.Rows) > c.Count(report.NotComparable)
}

// printComparison prints first what the comparison shows, then its rows, and what else differed.
func (c *command) printComparison(compared *report.Comparison) {
	fmt.Fprintf(c.out, "\n%s\n\n%s\nagainst the baseline %s\n", bold(c.out, plain.Text(compared.Headline())), runTitle(compared.Run), runTitle(compared.Base))
	for _, group := range byWorkload(compared.Rows) {
		c.printCompared(compared, group)
	}
	fmt.Fprintln(c.out)
	for _, r := range compared.Reasons() {
		if r.Rows > 1 {
			fmt.Fprintf(c.out, "• %s (%d rows).\n", r.Words(), r.Rows)
		}
	}
	for _, caution := range compared.Cautions() {
		fmt.Fprintln(c.out, "•", plain.Text(caution))
	}
}

// printCompared prints the rows of a workload. A reason that several rows share is printed once, below all of them.
func (c *command) printCompared(compared *report.Comparison, rows []report.ComparisonRow) {
	title := rows[0].Workload
	fmt.Fprintf(c.out, "\n%s\n", bold(c.out, plain.Text(title)))
	g := &grid{
		header: []string{"Case", "Variant", "Baseline", "Run", "Change", "Verdict"}, right: []int{2, 3, 4}, flex: 5,
		spare: []string{"Baseline", "Run"},
	}
	shared := map[string]bool{}
	for _, r := range compared.Reasons() {
		shared[r.Text] = r.Rows > 1
	}
	for i := range rows {
		r := &rows[i]
		verdict := r.Text()
		if shared[r.Reason] {
			verdict = r.Brief()
		}
		g.rows = append(g.rows, append(comparisonCells(r), verdict))
	}
	g.render(c.out)
	if mean := compared.Geomean(title); mean.Rows > 1 && compared.Differs(title) {
		fmt.Fprintf(c.out, "All: %s.\n", mean.Words("the baseline"))
	}
}

func runTitle(m *bundle.Meta) string {
	title := fmt.Sprintf("%s on %s (%s engine), %s", m.ID, plain.Text(m.Engine.Device), plain.Text(m.Engine.Engine),
		m.Started.Local().Format("2006-01-02 15:04"))
	if m.Commit != nil {
		title += ", commit " + m.Commit.String()
	}
	return title
}

// byWorkload groups rows, in order of the workloads' first rows.
func byWorkload(rows []report.ComparisonRow) [][]report.ComparisonRow {
	var out [][]report.ComparisonRow
	at := map[string]int{}
	for _, r := range rows {
		i, ok := at[r.Workload]
		if !ok {
			i = len(out)
			at[r.Workload], out = i, append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

func comparisonCells(r *report.ComparisonRow) []string {
	return []string{plain.Text(r.Case), plain.Text(r.Variant), report.TimeText(r.Base), report.TimeText(r.Run), r.Change()}
}

// comparedRow is a row in `compare --json`. Unknown numbers are null.
type comparedRow struct {
	Workload string        `json:"workload"`
	Case     string        `json:"case"`
	Variant  string        `json:"variant"`
	Base     *float64      `json:"base_time_s"`
	Run      *float64      `json:"time_s"`
	Ratio    *float64      `json:"ratio"`
	Lo       *float64      `json:"ratio_lo"`
	Hi       *float64      `json:"ratio_hi"`
	Verdict  stats.Verdict `json:"verdict"`
	Words    string        `json:"verdict_text"` // as in the table
	Floor    float64       `json:"noise_floor"`  // of this row
	Reason   string        `json:"reason,omitempty"`
	Apart    bool          `json:"different_device"`
	Broken   bool          `json:"broken"`
}

type comparedRuns struct {
	Base        string        `json:"base_run_id"`
	Run         string        `json:"run_id"`
	Headline    string        `json:"headline"`
	NoiseFloor  float64       `json:"noise_floor"`
	Confidence  float64       `json:"confidence"`
	Rows        []comparedRow `json:"rows"`
	Differences []string      `json:"differences"`
	Unknown     []string      `json:"not_recorded"`
	Passed      bool          `json:"passed"`
}

func comparisonJSON(c *report.Comparison) comparedRuns {
	out := comparedRuns{
		Base: c.Base.ID, Run: c.Run.ID, Headline: c.Headline(), NoiseFloor: c.Floor, Confidence: stats.Confidence, Rows: []comparedRow{},
		Differences: append([]string{}, c.Differences...), Unknown: append([]string{}, c.Unknown...), Passed: passed(c),
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		out.Rows = append(out.Rows, comparedRow{
			Workload: r.Workload, Case: r.Case, Variant: r.Variant, Base: medianOf(r.Base), Run: medianOf(r.Run),
			Ratio: orNull(r.Ratio.Median), Lo: orNull(r.Ratio.Lo), Hi: orNull(r.Ratio.Hi), Verdict: r.Verdict,
			Words: r.Brief(), Floor: r.Floor(), Reason: r.Reason, Apart: r.Apart, Broken: r.Broken,
		})
	}
	return out
}

func medianOf(r *workloads.Result) *float64 {
	if r == nil {
		return nil
	}
	return orNull(r.Time().Median)
}

// orNull returns nil for numbers that JSON does not have.
func orNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
