package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assay/app/bundle"
	"assay/internal/plain"
)

func (c *command) baseline() *cobra.Command {
	cmd := &cobra.Command{
		Use: "baseline", Short: "Save, list, show and remove named baselines",
		Long: "A baseline is a run with a name, which later runs on the same device are compared with: \"assay run … --baseline NAME\", or\n" +
			"\"assay compare baseline:NAME RUN\". Each device has its own baseline of that name.\n\n" +
			"Exit status: 0 done, 1 failed, 2 invalid usage.",
		Example: "  assay baseline save release last\n  assay run matmul --baseline release\n  assay baseline list",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "save NAME RUN", Short: "Save a run as a named baseline of its device", Args: exactly(2, "save takes a name and a run"),
			RunE: func(_ *cobra.Command, args []string) error { return c.saveBaseline(args[0], args[1]) },
		},
		&cobra.Command{
			Use: "list", Short: "List the baselines", Args: noArgs,
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

// checkBaseline refuses a name that no baseline has, before anything runs.
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

// againstBaseline compares a finished run with the baseline of its device.
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
