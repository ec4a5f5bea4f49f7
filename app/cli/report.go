package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/report"
)

func (c *command) report() *cobra.Command {
	paths := map[string]*string{}
	cmd := &cobra.Command{
		Use: "report RUN", Short: "Turn a run bundle into an HTML report, CSV or JSON",
		Long: "RUN is the folder of a run bundle.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report takes the folder of one run, not %d arguments", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := report.Load(args[0])
			if err != nil {
				return err
			}
			wrote := false
			for _, format := range report.Formats() {
				if path := *paths[format]; path != "" {
					if err := app.Export(run, c.config.Workloads, format, path); err != nil {
						return err
					}
					fmt.Fprintln(c.out, path)
					wrote = true
				}
			}
			if !wrote {
				c.printResults(run)
			}
			return nil
		},
	}
	for _, format := range report.Formats() {
		paths[format] = cmd.Flags().String(format, "", "write "+format+" to this file")
	}
	return cmd
}
