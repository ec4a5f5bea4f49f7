package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/app/bundle"
	"assay/app/report"
)

func (c *command) report() *cobra.Command {
	paths := map[string]*string{}
	cmd := &cobra.Command{
		Use: "report RUN", Short: "Turn a run bundle into an HTML report, CSV or JSON",
		Long: "RUN is the folder of a run bundle.\n\n" +
			"Exit status: 0 done, 1 the run cannot be read or is incomplete, 2 invalid usage.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report: want the folder of one run, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := bundle.Load(args[0])
			if err != nil {
				return err
			}
			wrote := false
			for _, format := range report.Formats() {
				if path := *paths[format.Name]; path != "" {
					if err := format.File(run, c.config.Workloads, path); err != nil {
						return err
					}
					fmt.Fprintln(c.out, path)
					wrote = true
				}
			}
			if !wrote {
				c.printResults(run)
			}
			return whole(run)
		},
	}
	for _, format := range report.Formats() {
		paths[format.Name] = cmd.Flags().String(format.Name, "", "write "+format.Content+" to this file")
	}
	return cmd
}

// whole returns an error if a completed run is incomplete on disk.
func whole(run *bundle.Run) error {
	if run.Meta.State == bundle.Running || len(run.Notes) == 0 {
		return nil
	}
	return fmt.Errorf("run %s is incomplete: %s", run.Meta.ID, strings.Join(run.Notes, ", "))
}
