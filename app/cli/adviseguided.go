package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/advice"
	"assay/app/bundle"
	"assay/internal/meant"
	"assay/internal/plain"
)

// guidedFlags are the flags of `advise` that measure.
type guidedFlags struct {
	checklist, flow, engine string
	all, asJSON             bool
}

func (c *command) addGuided(cmd *cobra.Command, f *guidedFlags) {
	cmd.Flags().StringVar(&f.checklist, "checklist", "", "tick the lines of this checklist by RUN, or without one by measuring now: "+listing(checklistNames()))
	cmd.Flags().StringVar(&f.flow, "flow", "", "look for the cause of a symptom, measuring at each step: "+listing(flowNames()))
	cmd.Flags().BoolVar(&f.all, "all", false, "with --flow, take every step, even when one has found the cause")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine of --checklist and --flow: "+c.engineNames())
}

func checklistNames() []string {
	var names []string
	for _, l := range advice.Checklists() {
		names = append(names, l.Name)
	}
	return names
}

func flowNames() []string {
	var names []string
	for _, l := range advice.Flows() {
		names = append(names, l.Name)
	}
	return names
}

// pick returns the item of that name, or an error that lists the names.
func pick[T any](what, name string, all []T, names []string) (*T, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return nil, usagef("no %s %q%s: want one of %s", what, name, meant.Hint(name, names), listing(names))
	}
	return &all[i], nil
}

// measuring starts a session whose runs show their progress.
func (c *command) measuring() (s *app.Session, done func(), err error) {
	if s, err = c.session(); err != nil {
		return nil, nil, err
	}
	s.Start()
	p := newProgress(c.errOut)
	cancel := s.Subscribe(p.update)
	return s, func() { cancel(); p.stop(); s.Close() }, nil
}

// tick ticks a checklist according to a run, or by measuring.
func (c *command) tick(ctx context.Context, f *guidedFlags, args []string) error {
	list, err := pick("checklist", f.checklist, advice.Checklists(), checklistNames())
	if err == nil {
		err = c.checkEngine(f.engine)
	}
	if err != nil {
		return err
	}
	run, ticked, err := c.ticked(ctx, list, f, args)
	if run == nil || ctx.Err() != nil {
		return err
	}
	if f.asJSON {
		err = writeJSON(c.out, checklistJSON(list, run, ticked))
	} else {
		c.printChecklist(list, run, ticked)
	}
	if err != nil {
		return err
	}
	return exitOf(ticked)
}

func (c *command) ticked(ctx context.Context, list *advice.Checklist, f *guidedFlags, args []string) (*bundle.Run, []advice.Ticked, error) {
	if len(args) > 0 {
		run, err := c.findRun(ctx, args[0])
		if err != nil {
			return nil, nil, err
		}
		return run, list.Check(&advice.Subject{Run: run, Workloads: c.config.Workloads}), nil
	}
	s, done, err := c.measuring()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	return s.Advisor().Check(ctx, list, f.engine)
}

// exitOf returns the exit status of a checklist.
func exitOf(ticked []advice.Ticked) error {
	state := func(s advice.State) bool {
		return slices.ContainsFunc(ticked, func(t advice.Ticked) bool { return t.State == s })
	}
	switch {
	case state(advice.NotDone):
		return errFailed
	case state(advice.NotAvailable), state(advice.NotCertain):
		return exitStatus(exitNoVerdict)
	}
	return nil
}

// tickMarks are the marks of the states of lines.
func tickMarks() map[advice.State]string {
	return map[advice.State]string{advice.Done: "[x]", advice.NotDone: "[ ]", advice.NotCertain: "[?]", advice.NotAvailable: "[?]"}
}

func (c *command) printChecklist(list *advice.Checklist, run *bundle.Run, ticked []advice.Ticked) {
	fmt.Fprintf(c.out, "%s\n", bold(c.out, list.Title+": "+advice.Tally(ticked)))
	fmt.Fprintf(c.out, "By the run %s, %s on %s.\n", plain.Text(run.Meta.ID), run.Meta.Engine.Engine, plain.Text(run.Meta.Engine.Device))
	for _, t := range ticked {
		fmt.Fprintf(c.out, "\n%s %s. %s\n    %s: %s\n", tickMarks()[t.State], t.Title, t.Asks, plain.Capitalized(string(t.State)), plain.Text(t.Why))
		c.printEvidence("    ", t.Evidence)
		if t.State != advice.Done {
			fmt.Fprintf(c.out, "    Done when %s.\n", t.When)
		}
	}
}

func (c *command) printEvidence(indent string, list []advice.Figure) {
	for _, e := range list {
		fmt.Fprintf(c.out, "%s• %s: %s (%s)\n", indent, e.What, plain.Text(e.Words()), plain.Text(e.Source))
	}
}

// checklistJSON returns a checklist for scripts.
func checklistJSON(list *advice.Checklist, run *bundle.Run, ticked []advice.Ticked) any {
	var lines []map[string]any
	for _, t := range ticked {
		lines = append(lines, map[string]any{
			"line": t.ID, "title": t.Title, "asks": t.Asks, "done_when": t.When, "state": t.State, "why": t.Why, "evidence": evidenceJSON(t.Evidence),
		})
	}
	return map[string]any{"checklist": list.Name, "title": list.Title, "run": run.Meta.ID, "engine": run.Meta.Engine.Engine, "device": run.Meta.Engine.Device, "lines": lines}
}

// walk goes through a flow.
func (c *command) walk(ctx context.Context, f *guidedFlags) error {
	flow, err := pick("flow", f.flow, advice.Flows(), flowNames())
	if err == nil {
		err = c.checkEngine(f.engine)
	}
	if err != nil {
		return err
	}
	s, done, err := c.measuring()
	if err != nil {
		return err
	}
	defer done()
	if !f.asJSON {
		fmt.Fprintf(c.out, "%s\n", bold(c.out, flow.Title+": "+flow.Symptom))
	}
	n := 0
	v, err := s.Advisor().Walk(ctx, flow, f.engine, f.all, func(t advice.Taken) {
		if t.Branch == "" {
			n++
		}
		if !f.asJSON {
			c.printStep(n, &t)
		}
	})
	if err != nil {
		return err
	}
	if f.asJSON {
		err = writeJSON(c.out, flowJSON(flow, &v))
	} else {
		fmt.Fprintf(c.out, "\n%s\n", bold(c.out, v.Title()+": "+plain.Text(v.Text)))
		fmt.Fprintf(c.out, "Do: %s\n", v.Do)
	}
	switch {
	case err != nil:
		return err
	case v.Found:
		return errFailed
	case !v.Sure:
		return exitStatus(exitNoVerdict)
	}
	return nil
}

// printStep prints a step before it is taken, and its outcome afterward.
func (c *command) printStep(n int, t *advice.Taken) {
	switch t.Branch {
	case "":
		fmt.Fprintf(c.out, "\n%d. %s\n   Measures: %s\n", n, t.Title, t.Measures)
		return
	case advice.Skipped:
		fmt.Fprintf(c.out, "\n-  %s\n   %s\n", t.Title, plain.Text(t.Saw))
		return
	}
	fmt.Fprintf(c.out, "   Saw: %s\n", plain.Text(t.Saw))
	c.printEvidence("   ", t.Evidence)
	fmt.Fprintf(c.out, "   → %s.\n", plain.Capitalized(t.Branch.Words()))
}

// flowJSON returns a flow for scripts.
func flowJSON(flow *advice.Flow, v *advice.Verdict) any {
	var steps []map[string]any
	for i := range v.Steps {
		t := &v.Steps[i]
		steps = append(steps, map[string]any{
			"step": t.ID, "title": t.Title, "measures": t.Measures, "branch": t.Branch, "saw": t.Saw, "do": t.Do, "run": t.Run,
			"evidence": evidenceJSON(t.Evidence), "speedup": bounded(t.Speedup.Median), "saves_bytes": bounded(t.Saves),
		})
	}
	return map[string]any{"flow": flow.Name, "title": flow.Title, "found": v.Found, "sure": v.Sure, "verdict": v.Text, "do": v.Do, "steps": steps}
}
