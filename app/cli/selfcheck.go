package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/plain"
	"assay/workloads"
)

// selfChecked is a self-check as JSON.
type selfChecked struct {
	Engine    string        `json:"engine"`
	Device    string        `json:"device"`
	Simulated bool          `json:"simulated"`
	Run       string        `json:"run_folder"`
	Verdict   string        `json:"verdict"` // the worst
	Controls  []app.Checked `json:"controls"`
}

func (c *command) selfcheck() *cobra.Command {
	var f runFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use: "selfcheck", Short: "Run every control, to prove that Assay's detectors work",
		Long: "Runs every control, a workload that injects a known fault or none, and checks that Assay reports exactly that:\n" +
			listing(controlNames(c.config.Workloads)) + ".\n" +
			"Each can be run alone, and with other settings: assay run NAME. The run is kept like any other.\n\n" +
			"Exit status: 0 all passed, 1 one failed, 2 invalid usage, 3 one could not decide, for example on a machine that is not quiet.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.checkEngine(f.engine); err != nil {
				return err
			}
			if err := f.files.check(); err != nil {
				return err
			}
			return c.runSelfcheck(cmd.Context(), f, asJSON)
		},
	}
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	c.deviceFlag(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	f.files.add(cmd.Flags(), "csv", "html")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the verdicts as JSON")
	return cmd
}

func controlNames(all []workloads.Workload) []string { return names(workloads.Controls(all)) }

func (c *command) runSelfcheck(ctx context.Context, f runFlags, asJSON bool) error {
	request := app.SelfCheck(c.config.Workloads, f.engine)
	request.Out = f.out
	if len(request.Jobs) == 0 {
		return fmt.Errorf("this build has no controls")
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	s.Start()
	p := newProgress(c.errOut)
	defer s.Subscribe(p.update)()
	run, err := s.Runs().Do(ctx, request)
	p.stop()
	if run == nil {
		return elsewhere(err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	found := c.checkedBy(run)
	people := c
	if asJSON || f.files.toStandardOutput() {
		people = c.toErrOut()
	}
	people.printSelfcheck(run, &found)
	if asJSON {
		if err := writeJSON(c.out, found); err != nil {
			return err
		}
	}
	lines, werr := c.writeFiles(run, f.files)
	for _, line := range lines {
		fmt.Fprintln(people.out, line)
	}
	if werr == nil {
		werr = c.writeOut(ctx, run, f.files)
	}
	switch {
	case err != nil:
		return err
	case werr != nil:
		return werr
	case found.Verdict == app.CheckFailed:
		return errFailed
	case found.Verdict == app.CheckOpen:
		return exitStatus(exitNoVerdict)
	}
	return nil
}

// checkedBy returns what the controls of a run showed.
func (c *command) checkedBy(run *bundle.Run) selfChecked {
	e := &run.Meta.Engine
	all := selfChecked{Engine: e.Engine, Device: e.Device, Simulated: e.Simulated, Run: run.Dir}
	all.Controls, all.Verdict = app.CheckedBy(c.config.Workloads, run.Meta.Jobs, run.Findings)
	return all
}

func (c *command) printSelfcheck(run *bundle.Run, found *selfChecked) {
	fmt.Fprintf(c.out, "\n%s (%s engine%s)\n", plain.Text(found.Device), plain.Text(found.Engine), simulated(run))
	g := &grid{header: []string{"Verdict", "Control", "What was seen"}, flex: 2}
	words := map[string]string{app.CheckPassed: "pass", app.CheckFailed: "FAIL", app.CheckOpen: "undecided"}
	for _, one := range found.Controls {
		g.rows = append(g.rows, []string{words[one.Verdict], one.Control, plain.Text(one.Why)})
	}
	g.render(c.out)
	ending := map[string]string{
		app.CheckPassed: "All controls passed: Assay detects here what it is made to detect.",
		app.CheckFailed: "A control failed: do not rely on results from this device with this build.",
		app.CheckOpen:   "Not decided: run it again on a quiet machine.",
	}
	fmt.Fprintf(c.out, "\n%s\n", ending[found.Verdict])
}

// serveRival is the side of the process that keeps a device busy for a control, not meant for people.
func (c *command) serveRival() *cobra.Command {
	return &cobra.Command{
		Use: app.RivalCommand + " ENGINE [DEVICE]", Short: "Keep a device busy until standard input ends", Hidden: true, Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.ServeRival(cmd.Context(), c.config, args[0], append(args, "")[1], cmd.InOrStdin(), c.out)
		},
	}
}
