package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
)

func (c *command) baseline() *cobra.Command {
	cmd := &cobra.Command{
		Use: "baseline", Short: "Save, list, show and remove named baselines",
		Long: "A baseline is a run with a name, which later runs on the same device are compared with: \"assay run … --baseline NAME\", or\n" +
			"\"assay compare baseline:NAME RUN\". Each device has a baseline of its own of a name.\n\n" +
			"Exit status: 0 done, 1 failed, 2 invalid usage.",
		Example: "  assay baseline save release last\n  assay run matmul --baseline release\n  assay baseline list",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "save NAME RUN", Short: "Name a run as baseline of its device", Args: exactly(2, "save takes a name and a run"),
			RunE: func(_ *cobra.Command, args []string) error { return c.saveBaseline(args[0], args[1]) },
		},
		&cobra.Command{
			Use: "list", Short: "List the baselines", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return c.listBaselines() },
		},
		&cobra.Command{
			Use: "show NAME", Short: "Print the results of a baseline", Args: exactly(1, "show takes a name"),
			RunE: func(cmd *cobra.Command, args []string) error {
				run, err := c.findRun(cmd.Context(), "baseline:"+args[0])
				if err != nil {
					return err
				}
				c.printResults(run, nil)
				return whole(run)
			},
		},
		&cobra.Command{
			Use: "remove NAME", Short: "Forget a baseline on all devices; its runs stay", Args: exactly(1, "remove takes a name"),
			RunE: func(_ *cobra.Command, args []string) error { return c.library().RemoveBaseline(args[0]) },
		},
	)
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
	return cmd
}

func (c *command) saveBaseline(name, run string) error {
	dir, err := c.library().Find(run)
	if err != nil {
		return err
	}
	b, err := c.library().SaveBaseline(name, dir)
	if err == nil {
		fmt.Fprintf(c.out, "Baseline %s of %s (%s engine): %s\n", b.Name, plain.Text(b.Device), plain.Text(b.Engine), b.Run)
	}
	return err
}

func (c *command) listBaselines() error {
	list, err := c.library().Baselines()
	if err != nil {
		return err
	}
	g := &grid{header: []string{"Name", "Engine", "Device", "Saved", "Run"}, flex: 4}
	for _, b := range list {
		where := b.Run
		if !bundle.IsBundle(b.Run) {
			where = "gone: " + where
		}
		g.rows = append(g.rows, []string{b.Name, plain.Text(b.Engine), plain.Text(b.Device), b.Saved.Local().Format("2006-01-02 15:04"), plain.Text(where)})
	}
	if len(list) == 0 {
		fmt.Fprintln(c.out, "No baselines. Save one: assay baseline save NAME RUN")
		return nil
	}
	g.render(c.out)
	return nil
}

// checkBaseline refuses a name that nothing was saved under, before anything runs.
func (c *command) checkBaseline(name string) error {
	list, err := c.library().Baselines()
	for _, b := range list {
		if b.Name == name {
			return nil
		}
	}
	if err != nil {
		return err
	}
	_, err = c.library().FindBaseline(name, nil)
	return usageError{err}
}

// againstBaseline compares a run that is over with the baseline of its device.
func (c *command) againstBaseline(ctx context.Context, name string, run *bundle.Run) error {
	b, err := c.library().FindBaseline(name, &run.Meta.Engine)
	if err != nil {
		return err
	}
	base, _, err := bundle.LoadThinned(ctx, b.Run)
	if err != nil {
		return fmt.Errorf("baseline %s: %w", name, err)
	}
	return c.showComparison(base, run, false, false)
}

func (c *command) imports() *cobra.Command {
	var list bool
	var remove string
	cmd := &cobra.Command{
		Use: "import [FILE…]", Short: "Import results of llama-bench, MLX, google-benchmark or hyperfine as references",
		Long: "Reads JSON of llama-bench (-o json or jsonl), MLX benchmarks, google-benchmark (--benchmark_format=json) and hyperfine\n" +
			"(--export-json), and the averages that mlx_lm.benchmark prints, and keeps the figures beside the runs. They are others’ figures:\n" +
			"Assay has verified nothing of them, and compares nothing with them by itself.\n\n" +
			"Exit status: 0 done, 1 failed, 2 invalid usage.",
		Example: "  llama-bench -o json > llama.json; assay import llama.json\n  assay import --list\n  assay import --remove llama.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 && !list && remove == "" {
				return usagef("import wants files, --list or --remove")
			}
			return c.importFiles(files, list, remove)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "print all that was imported")
	cmd.Flags().StringVar(&remove, "remove", "", "forget the figures of this `FILE`")
	return cmd
}

func (c *command) importFiles(files []string, list bool, remove string) error {
	if remove != "" {
		if err := c.library().RemoveReference(remove); err != nil {
			return err
		}
	}
	for _, file := range files {
		r, err := c.library().Import(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.errOut, "%s: %s imported.\n", r.Name, si.Counted(len(r.Rows), "result"))
	}
	if !list && len(files) == 0 {
		return nil
	}
	all, err := c.library().References()
	if err != nil {
		return err
	}
	g := &grid{header: []string{"File", "Program", "What", "Time", "Rate", "Samples", "As told"}, right: []int{3, 4, 5}, flex: 6, spare: []string{"Samples"}}
	for _, r := range all {
		for _, row := range r.Rows {
			g.rows = append(g.rows, []string{
				plain.Text(r.Name), row.Source, plain.Text(row.Name), timeOr(row.Seconds, row.Lo, row.Hi), rateOf(row.Rate, row.Of), si.Count(row.Samples), plain.Text(row.Context),
			})
		}
	}
	if len(g.rows) == 0 {
		fmt.Fprintln(c.out, "Nothing is imported.")
		return nil
	}
	g.render(c.out)
	fmt.Fprintln(c.out, "\nOthers’ figures: measured by the programs named, verified by none of Assay’s checks.")
	return nil
}

// timeOr is a time with its interval; a dash if it is not told.
func timeOr(t, lo, hi float64) string {
	switch {
	case t == 0:
		return "–"
	case lo == 0:
		return si.Time(t)
	}
	return si.Range(t, lo, hi, "s")
}

func rateOf(rate float64, of string) string {
	switch {
	case rate == 0:
		return "–"
	case of == "B":
		return si.Format(rate, "B/s")
	}
	return fmt.Sprintf("%.4g %s/s", rate, of)
}
