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

// namesOfRuns says which names of a run a command accepts.
const namesOfRuns = "the ID of a run (see assay runs), the start of one, last, last~1 (the one before), baseline (pinned in the\n" +
	"window), or the folder of a run bundle"

func (c *command) report() *cobra.Command {
	var files outputFiles
	var markdown bool
	cmd := &cobra.Command{
		Use: "report RUN", Short: "Show a run, or export it as an HTML report, CSV, JSON or Markdown",
		Long: "RUN is " + namesOfRuns + ".\n\n" +
			"Exit status: 0 done, 1 the run cannot be read or is incomplete, 2 invalid usage.",
		Example: "  assay report last --html report.html\n" +
			"  assay report 20261120-2145 --csv - --columns columns.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("report takes one run, not %s", si.Counted(len(args), "argument"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if markdown && files.toStandardOutput() {
				return usagef("--markdown and a file that is standard output: choose one")
			}
			if err := files.check(); err != nil {
				return err
			}
			run, err := c.readRun(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return errors.Join(c.export(cmd.Context(), run, files, markdown), whole(run))
		},
	}
	files.add(cmd.Flags())
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the table of results in Markdown")
	return cmd
}

// readRun loads the run that an argument names, without holding all the readings of a run of hours in memory.
func (c *command) readRun(ctx context.Context, name string) (*bundle.Run, error) {
	dir, err := c.library().Find(name)
	if err != nil {
		return nil, err
	}
	run, _, err := bundle.LoadThinned(ctx, dir)
	return run, err
}

// export writes the requested files and names them, or prints the run: all files before anything is printed, so
// that a closed standard output loses none.
func (c *command) export(ctx context.Context, run *bundle.Run, files outputFiles, markdown bool) error {
	people := c
	if files.toStandardOutput() {
		people = c.toErrOut()
	}
	wrote, err := c.writeAll(ctx, run, files)
	for _, f := range wrote {
		fmt.Fprintln(people.out, f.path)
	}
	switch {
	case err != nil:
		return err
	case markdown:
		fmt.Fprint(c.out, report.MarkdownTable(run, c.config.Workloads))
	case len(files.requested()) == 0:
		c.printResults(run, nil)
	}
	return c.writeOut(ctx, run, files)
}

// whole returns an error if a completed run is incomplete on disk.
func whole(run *bundle.Run) error {
	if run.Meta.State == bundle.Running || len(run.Notes) == 0 {
		return nil
	}
	return fmt.Errorf("run %s is incomplete: %s", run.Meta.ID, strings.Join(run.Notes, ", "))
}
