package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor/leak"
)

// leakFlags are the flags of `leaks`.
type leakFlags struct {
	runFlags
	passes    int
	tolerance string
	asJSON    bool
}

// maxPasses bounds the passes of `leaks`.
const maxPasses = 10_000

func (c *command) leaks() *cobra.Command {
	var f leakFlags
	cmd := &cobra.Command{
		Use: "leaks NAME…", Short: "Run workloads again and again, and compare the memory in use with a baseline",
		Long: "Runs the workloads once, so that one-time allocations are made, empties the pools and takes the memory in use as the\n" +
			"baseline: that of the process, of the engine's live buffers, and of the device. Then it runs them again, --passes times,\n" +
			"and compares after each. Growth beyond --tolerance is a leak. Each pass is a run, which also looks for leaks in its cases.\n\n" +
			"Exit status: 0 no growth beyond the tolerance; 1 a leak, or a run failed; 2 invalid usage; 130 interrupted.",
		Example: "  assay leaks matmul --passes 10\n  assay leaks attention matmul --set attention.heads=4 --tolerance 1MB",
		Args:    between(1, math.MaxInt, "leaks takes one or more workloads"),
		RunE: func(cmd *cobra.Command, names []string) error {
			tolerance, err := si.ParseBytes(f.tolerance)
			switch {
			case err != nil || tolerance < app.LeakToleranceMin || tolerance > app.LeakToleranceMax:
				return usagef("--tolerance is %q, want a size up to %s", f.tolerance, si.Bytes(app.LeakToleranceMax))
			case f.passes < 1 || f.passes > maxPasses:
				return usagef("--passes is %d, want 1 to %d", f.passes, maxPasses)
			}
			if err := c.checkEngine(f.engine); err != nil {
				return err
			}
			jobs, err := c.jobs(names, f.runFlags)
			if err != nil {
				return err
			}
			return c.lookForLeaks(cmd.Context(), app.Request{Engine: f.engine, Quick: true, Jobs: jobs}, &f, tolerance)
		},
	}
	f.quick = true
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter: NAME=VALUE, or WORKLOAD.NAME=VALUE (repeatable)")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	cmd.Flags().IntVar(&f.passes, "passes", 3, "runs to compare with the baseline")
	cmd.Flags().StringVar(&f.tolerance, "tolerance", si.Bytes(app.LeakToleranceDefault), "growth that is not yet a leak")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON, with every check")
	return cmd
}

// lookForLeaks runs the passes. An interrupted run ends them; completed checks are printed.
func (c *command) lookForLeaks(ctx context.Context, request app.Request, f *leakFlags, tolerance int64) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	s.Start()
	failed, err := c.pass(ctx, s, request, 0)
	if err != nil {
		return err
	}
	if _, err := s.Leaks().SetBaseline(); err != nil {
		return err
	}
	var checks []app.LeakCheck
	for n := 1; n <= f.passes && err == nil && ctx.Err() == nil; n++ {
		var bad bool
		if bad, err = c.pass(ctx, s, request, n); err == nil && ctx.Err() == nil {
			failed = failed || bad
			var check app.LeakCheck
			if check, err = s.Leaks().Check(tolerance); err == nil {
				checks = append(checks, check)
			}
		}
	}
	if len(checks) == 0 {
		return err
	}
	if f.asJSON {
		err = errors.Join(err, writeJSON(c.out, checksJSON(checks, failed)))
	} else {
		c.printChecks(checks, failed)
	}
	if last := &checks[len(checks)-1]; err == nil && (failed || last.Leaking || !last.Known) {
		return errFailed
	}
	return err
}

// pass makes one run of all the workloads. It has failed if a case left a leak or a wrong result: the checks continue, and show
// what is left.
func (c *command) pass(ctx context.Context, s *app.Session, request app.Request, n int) (failed bool, err error) {
	run, err := s.Runs().Do(ctx, request)
	if run == nil {
		return false, elsewhere(err)
	}
	what := "before the baseline"
	if n > 0 {
		what = "pass " + strconv.Itoa(n)
	}
	fmt.Fprintf(c.errOut, "%s: %s, run %s\n", plain.Capitalized(what), si.Counted(len(run.Results), "result"), run.Meta.ID)
	if err = ended(run, err); errors.Is(err, errFailed) {
		for _, e := range run.Leaks() {
			fmt.Fprintf(c.errOut, "! %s: %s\n", plain.Text(e.Title), plain.Text(e.Text))
		}
		return true, nil
	}
	return false, err
}

// printChecks prints the growth of each amount, pass by pass, and whether a run failed by itself.
func (c *command) printChecks(checks []app.LeakCheck, failed bool) {
	g := &grid{header: []string{"Pass"}, right: []int{0}}
	for i, growth := range checks[0].Growths {
		g.header, g.right = append(g.header, plain.Capitalized(growth.Name)), append(g.right, i+1)
	}
	for i := range checks {
		row := []string{strconv.Itoa(i + 1)}
		for _, growth := range checks[i].Growths {
			row = append(row, growthText(&growth))
		}
		g.rows = append(g.rows, row)
	}
	fmt.Fprintln(c.out)
	g.render(c.out)
	fmt.Fprintf(c.out, "\n%s.\n", plain.Capitalized(plain.Text(checks[len(checks)-1].Cause)))
	if failed {
		fmt.Fprintln(c.out, "A run found a leak during its cases, or a result was wrong: assay runs lists them.")
	}
}

func growthText(g *leak.Growth) string {
	switch {
	case g.Missing != "":
		return "not available"
	case g.Bytes == 0:
		return "unchanged"
	case g.Over:
		return "+" + leak.Bytes(float64(g.Bytes)) + " leak"
	}
	return strings.Replace("+"+leak.Bytes(float64(g.Bytes)), "+-", "−", 1)
}

// checksJSON are the checks for scripts.
func checksJSON(checks []app.LeakCheck, failed bool) any {
	var out []map[string]any
	for i := range checks {
		check := &checks[i]
		growths := map[string]any{}
		for _, g := range check.Growths {
			one := map[string]any{"grown_b": g.Bytes, "now_b": g.Now.Bytes, "baseline_b": g.Before.Bytes, "leak": g.Over}
			if g.Missing != "" {
				one = map[string]any{"not_available": g.Missing}
			}
			growths[g.Name] = one
		}
		out = append(out, map[string]any{"pass": i + 1, "taken_at": check.Taken, "leaking": check.Leaking, "compared": check.Known, "growth": growths})
	}
	last := &checks[len(checks)-1]
	return map[string]any{"tolerance_b": last.Tolerance, "cause": last.Cause, "leaking": last.Leaking, "run_failed": failed, "checks": out}
}
