package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/advice"
	"assay/app/bundle"
	"assay/internal/meant"
	"assay/internal/plain"
	"assay/internal/si"
)

// adviseFlags are the flags of `advise`.
type adviseFlags struct {
	asJSON, rules bool
	measure       []string
	rounds        int
	take          time.Duration
	guided        guidedFlags
}

func (c *command) advise() *cobra.Command {
	var f adviseFlags
	cmd := &cobra.Command{
		Use: "advise [RUN]", Short: "Show what could be better about a run, with the supporting figures",
		Long: "Applies rules to a run, by default the newest. Each rule that applies shows what it saw, the supporting figures, what to do,\n" +
			"and the gain if the run shows it, the largest gain first. A rule without evidence prints nothing, and nothing is concluded\n" +
			"from disturbed times.\n\n" +
			"With --measure the gain is measured now: the case as it is and with the advice followed, alternately (A B B A).\n\n" +
			"With --checklist each line is done, not done, not certain or not available, with the supporting figure, judged by RUN or,\n" +
			"without one, by a run that measures what the lines need. With --flow each step measures, shows what it saw and decides\n" +
			"where to continue, until there is a verdict.\n\n" +
			"Exit status: 0 there is nothing to advise, every line is done, or no cause was found; 1 there is advice, a line is not\n" +
			"done, a cause was found, or something failed; 2 invalid usage; 3 a line could not be decided, or there is no verdict;\n" +
			"130 interrupted.",
		Example: "  assay advise\n" +
			"  assay advise last~1 --json\n" +
			"  assay advise --measure unfused\n" +
			"  assay advise --checklist deploy\n" +
			"  assay advise --flow slow",
		Args: atMostOne("advise takes one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.guided.asJSON = f.asJSON
			switch {
			case f.rules:
				return c.listRules(f.asJSON)
			case f.guided.checklist != "" && f.guided.flow != "":
				return usagef("--checklist and --flow exclude each other: leave out one")
			case f.guided.checklist != "":
				return c.tick(cmd.Context(), &f.guided, args)
			case f.guided.flow != "" && len(args) > 0:
				return usagef("--flow measures itself: leave out %s", args[0])
			case f.guided.flow != "":
				return c.walk(cmd.Context(), &f.guided)
			}
			name := "last"
			if len(args) > 0 {
				name = args[0]
			}
			if err := f.check(); err != nil {
				return err
			}
			run, err := c.findRun(cmd.Context(), name)
			if err != nil {
				return err
			}
			return c.adviseOn(cmd.Context(), run, &f)
		},
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON, with all evidence")
	cmd.Flags().BoolVar(&f.rules, "rules", false, "list the rules, and what each needs")
	cmd.Flags().StringArrayVar(&f.measure, "measure", nil, "measure the gain of the advice of this `RULE` now, or of all (repeatable)")
	cmd.Flags().IntVar(&f.rounds, "rounds", app.TrialRounds, "rounds of A B B A for --measure")
	cmd.Flags().DurationVar(&f.take, "time", app.TrialTake, "time of each measurement for --measure")
	c.addGuided(cmd, &f.guided)
	return cmd
}

// atMostOne allows one optional argument.
func atMostOne(text string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s, not %s", text, si.Counted(len(args), "argument"))
		}
		return nil
	}
}

// allRules is the value of --measure that means the advice of every rule.
const allRules = "all"

// check refuses rules that do not exist.
func (f *adviseFlags) check() error {
	names := []string{allRules}
	for _, r := range advice.Rules() {
		names = append(names, r.ID)
	}
	for _, name := range f.measure {
		if !slices.Contains(names, name) {
			return usagef("no rule %q%s: see \"assay advise --rules\"", name, meant.Hint(name, names))
		}
	}
	return nil
}

// listRules prints the rules and what each needs.
func (c *command) listRules(asJSON bool) error {
	if asJSON {
		var list []map[string]any
		for _, r := range advice.Rules() {
			list = append(list, map[string]any{"rule": r.ID, "title": r.Title, "needs": r.Needs, "do": r.Do})
		}
		return writeJSON(c.out, list)
	}
	g := &grid{header: []string{"Rule", "What it sees", "What it needs"}, flex: 2}
	for _, r := range advice.Rules() {
		g.rows = append(g.rows, []string{r.ID, r.Title, r.Needs})
	}
	g.render(c.out)
	return nil
}

// given is a piece of advice, with the outcome of measuring its gain.
type given struct {
	advice.Piece
	plan  app.ABPlan
	trial *app.ABResult // nil: not measured
	why   string        // requested, but it could not be measured
}

func (c *command) adviseOn(ctx context.Context, run *bundle.Run, f *adviseFlags) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	var all []given
	for _, p := range s.Advisor().Advise(run) {
		all = append(all, given{Piece: p})
	}
	if len(f.measure) > 0 {
		s.Start()
		err = c.measureAdvice(ctx, s, run, all, f)
	}
	if f.asJSON {
		err = errors.Join(err, writeJSON(c.out, adviceJSON(run, all)))
	} else {
		c.printAdvice(run, all)
	}
	if err == nil && len(all) > 0 {
		return errFailed
	}
	return err
}

// measureAdvice measures the requested gains.
func (c *command) measureAdvice(ctx context.Context, s *app.Session, run *bundle.Run, all []given, f *adviseFlags) error {
	for i := range all {
		g := &all[i]
		if !slices.Contains(f.measure, g.Rule) && !slices.Contains(f.measure, allRules) {
			continue
		}
		if g.Trial == nil {
			g.why = "the gain cannot be measured by comparing two settings"
			continue
		}
		g.plan = app.TrialPlan(g.Trial, run.Meta.Engine.Engine)
		g.plan.Rounds, g.plan.Take = f.rounds, f.take
		fmt.Fprintf(c.errOut, "%s: %s against %s\n", g.Rule, plain.Text(g.Trial.What[0]), plain.Text(g.Trial.What[1]))
		r, err := s.Advisor().Measure(ctx, g.plan, func(r *app.ABResult) {
			fmt.Fprintf(c.errOut, "%d of %d rounds%s: %s\n", r.Rounds, r.Wanted, aside(r.Aside), si.Change(r.Speedup.Median, r.Speedup.Lo, r.Speedup.Hi))
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g.why = err.Error()
			continue
		}
		g.trial = r
	}
	return nil
}

func (c *command) printAdvice(run *bundle.Run, all []given) {
	of := run.Meta.ID
	if e := run.Meta.Engine; e.Engine != "" { // a watched program has none
		of += fmt.Sprintf(", %s on %s", e.Engine, e.Device)
	}
	begin := fmt.Sprintf("Advice about %s, the largest gain first.", plain.Text(of))
	if len(all) == 0 {
		begin = fmt.Sprintf("Nothing to advise about %s: no rule has evidence in it.", plain.Text(of))
	}
	fmt.Fprintln(c.out, begin)
	if left := advice.LeftOut(run); left != "" {
		fmt.Fprintln(c.out, left)
	}
	for i := range all {
		g := &all[i]
		fmt.Fprintf(c.out, "\n%s\n", bold(c.out, plain.Text(fmt.Sprintf("%d. %s (%s)", i+1, g.Title, g.Rule))))
		fmt.Fprintf(c.out, "   Seen:  %s\n   Do:    %s\n   Gain:  %s\n", plain.Text(g.Text), g.Do, g.Gain.Words())
		for _, line := range g.measured(run) {
			fmt.Fprintf(c.out, "   %s\n", plain.Text(line))
		}
		for _, e := range g.Evidence {
			fmt.Fprintf(c.out, "   • %s: %s (%s)\n", e.What, plain.Text(e.Words()), plain.Text(e.Source))
		}
	}
}

// measured says what measuring the gain showed, or how to measure it.
func (g *given) measured(run *bundle.Run) []string {
	switch {
	case g.trial != nil:
		return []string{
			fmt.Sprintf("Now:   before %s, after %s", si.Time(g.trial.Time("A")), si.Time(g.trial.Time("B"))),
			"       " + plain.Capitalized(g.trial.SentenceOf("before", "after")),
		}
	case g.why != "":
		return []string{"Now:   not measured: " + g.why}
	case g.Trial != nil:
		return []string{fmt.Sprintf("Measure it: assay advise %s --measure %s", run.Meta.ID, g.Rule)}
	}
	return nil
}

// adviceJSON returns advice for scripts.
func adviceJSON(run *bundle.Run, all []given) any {
	pieces := []map[string]any{}
	for i := range all {
		g := &all[i]
		piece := map[string]any{
			"rule": g.Rule, "title": g.Title, "text": g.Text, "do": g.Do, "evidence": evidenceJSON(g.Evidence),
			"gain": bounded(g.Gain.Speedup.Median), "gain_lo": bounded(g.Gain.Speedup.Lo), "gain_hi": bounded(g.Gain.Speedup.Hi), "gain_basis": g.Gain.Basis,
			"measurable": g.Trial != nil,
		}
		if g.why != "" {
			piece["not_measured"] = g.why
		}
		if r := g.trial; r != nil {
			piece["measured"] = map[string]any{
				"before": g.Trial.What[0], "after": g.Trial.What[1], "before_s": bounded(r.Time("A")), "after_s": bounded(r.Time("B")),
				"speedup": bounded(r.Speedup.Median), "speedup_lo": bounded(r.Speedup.Lo), "speedup_hi": bounded(r.Speedup.Hi), "verdict": r.Verdict,
				"rounds": r.Rounds, "rounds_disturbed": r.Aside, "before_values": r.Plan.A.Params, "after_values": r.Plan.B.Params,
			}
		}
		pieces = append(pieces, piece)
	}
	return map[string]any{
		"run": run.Meta.ID, "engine": run.Meta.Engine.Engine, "device": run.Meta.Engine.Device, "advice": pieces,
		"results": len(run.Results), "results_disturbed": advice.Disturbed(run),
	}
}

func evidenceJSON(list []advice.Figure) []map[string]any {
	out := []map[string]any{}
	for _, f := range list {
		figure := map[string]any{"what": f.What, "text": f.Words(), "source": f.Source}
		if !math.IsNaN(f.Value.Median) {
			figure["value"], figure["lo"], figure["hi"], figure["unit"] = bounded(f.Value.Median), bounded(f.Value.Lo), bounded(f.Value.Hi), f.Unit
		}
		if f.Result != "" {
			figure["result_id"] = f.Result
		}
		out = append(out, figure)
	}
	return out
}
