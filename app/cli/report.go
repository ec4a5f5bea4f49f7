package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/si"
)

func (c *command) report() *cobra.Command {
	paths := map[string]*string{}
	cmd := &cobra.Command{
		Use: "report RUN", Short: "Turn a run bundle into an HTML report, CSV or JSON",
		Long: "RUN is the folder of a run bundle, the ID of a run in the folder for runs, or the start of an ID (see assay runs).\n\n" +
			"Exit status: 0 done, 1 the run cannot be read or is incomplete, 2 invalid usage.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report takes one run, not %s", si.Counted(len(args), "argument"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := c.readRun(cmd.Context(), args[0], *paths["json"] != "")
			if err != nil {
				return err
			}
			wrote, err := c.export(cmd.Context(), run, paths)
			for _, path := range wrote {
				fmt.Fprintln(c.out, path)
			}
			if err == nil && len(wrote) == 0 {
				c.printResults(run)
			}
			return errors.Join(err, whole(run))
		},
	}
	for _, format := range report.Formats() {
		paths[format.Name] = cmd.Flags().String(format.Name, "", "write "+format.Content+" to this file")
	}
	return cmd
}

// readRun loads the run that an argument means. Only JSON has all readings of a run of hours.
func (c *command) readRun(ctx context.Context, name string, readings bool) (*bundle.Run, error) {
	if readings {
		return c.findRun(name)
	}
	dir, err := c.library().Find(name)
	if err != nil {
		return nil, err
	}
	run, _, err := bundle.LoadThinned(ctx, dir)
	return run, err
}

// export writes the files that are asked for, and returns those written: all before any is printed, so that a closed standard
// output loses none.
func (c *command) export(ctx context.Context, run *bundle.Run, paths map[string]*string) (wrote []string, err error) {
	for _, format := range report.Formats() {
		path := *paths[format.Name]
		if path == "" {
			continue
		}
		if err := format.File(ctx, run, c.config.Workloads, path); err != nil {
			return wrote, err
		}
		wrote = append(wrote, path)
	}
	return wrote, nil
}

// whole returns an error if a completed run is incomplete on disk.
func whole(run *bundle.Run) error {
	if run.Meta.State == bundle.Running || len(run.Notes) == 0 {
		return nil
	}
	return fmt.Errorf("run %s is incomplete: %s", run.Meta.ID, strings.Join(run.Notes, ", "))
}
