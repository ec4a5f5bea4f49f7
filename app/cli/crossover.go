package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// crossFlags are the flags of `crossover`.
type crossFlags struct {
	abFlags
	along    string
	from, to int
	width    float64
}

func (c *command) crossover() *cobra.Command {
	var f crossFlags
	cmd := &cobra.Command{
		Use: "crossover NAME", Short: "Find where one of two settings overtakes the other, by bisection",
		Long: "Compares two settings, A and B, of the workload NAME at both ends of a parameter, alternately (A B B A), then bisects:\n" +
			"the crossing lies between the last place where one is clearly faster and the first where the other is.\n\n" +
			"--a and --b take parameters of the workload, variant=NAME and engine=NAME, as in \"assay ab\". --along names a parameter\n" +
			"that takes whole numbers, or the axis of a sweep. The search ends when the interval is narrower than --width.\n\n" +
			"Exit status: 0 a crossing was found; 1 there is none, or it is UNSURE; 2 invalid usage; 130 interrupted.",
		Example: "  assay crossover matmul --along size --from 16 --to 1024 --a variant=\"tiled 64\" --b variant=naive\n" +
			"  assay crossover fusion --along elements --from 1000 --to 10000000 --a engine=cpu --b engine=cuda --width 20",
		Args: exactly(1, "crossover takes one workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := refuseZeros(cmd.Flags(), "time"); err != nil {
				return err
			}
			plan, err := c.crossPlan(args[0], &f)
			if err != nil {
				return usageError{err}
			}
			return c.runCrossover(cmd.Context(), plan, &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.a, "a", nil, "a setting of A: NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.b, "b", nil, "a setting of B: NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "a setting of both: NAME=VALUE (repeatable)")
	cmd.Flags().StringVar(&f.along, "along", "", "parameter or axis to search")
	cmd.Flags().IntVar(&f.from, "from", 0, "smallest value of --along")
	cmd.Flags().IntVar(&f.to, "to", 0, "largest value of --along")
	cmd.Flags().Float64Var(&f.width, "width", 5, "stop when the interval around the crossing is narrower than this, in %")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine of both: "+c.engineNames())
	cmd.Flags().IntVar(&f.rounds, "rounds", 12, "rounds of A B B A at each place; up to three times as many where no interval results")
	cmd.Flags().DurationVar(&f.take, "time", 350*time.Millisecond, "time of each measurement")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON, with every place")
	return cmd
}

func (c *command) crossPlan(name string, f *crossFlags) (app.CrossPlan, error) {
	w, err := workloads.Find(c.config.Workloads, name)
	if err != nil {
		return app.CrossPlan{}, err
	}
	p := app.CrossPlan{
		ABPlan: app.ABPlan{Workload: name, Rounds: f.rounds, Seed: f.seed, Take: f.take}, Along: f.along, From: f.from, To: f.to, Width: f.width / 100,
	}
	switch {
	case f.along == "":
		return p, errors.New("want --along with a parameter, and --from and --to")
	case len(f.a)+len(f.b) == 0:
		return p, errors.New("nothing differs between A and B: want --a and --b with a setting")
	}
	if p.A, err = c.abSide(w, &f.abFlags, "--a", f.a); err == nil {
		p.B, err = c.abSide(w, &f.abFlags, "--b", f.b)
	}
	return p, cmp.Or(err, p.ABPlan.Check(), p.Check(w))
}

func (c *command) runCrossover(ctx context.Context, plan app.CrossPlan, f *crossFlags) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	s.Start()
	seen := 0
	r, err := s.Tuner().Crossover(ctx, plan, func(r *app.CrossResult) {
		if seen++; r.Found {
			fmt.Fprintf(c.errOut, "%s: between %d and %d\n", si.Counted(seen, "place"), r.Lo, r.Hi)
		}
	})
	if r == nil || len(r.Points) == 0 {
		return err
	}
	record := r.Record(time.Now(), s.Version(), err)
	err = errors.Join(err, c.keep(record))
	if f.asJSON {
		err = errors.Join(err, record.WriteJSON(c.out))
	} else {
		c.printCrossover(r)
	}
	if err == nil && !r.Found {
		return errFailed
	}
	return err
}

func (c *command) printCrossover(r *app.CrossResult) {
	fmt.Fprintf(c.out, "\n%s\n\n", bold(c.out, plain.Text(r.Sentence())))
	g := &grid{header: []string{plain.Text(r.Plan.Along), "B against A", "Verdict", "Rounds", "Disturbed"}, right: []int{0, 3, 4}}
	for i := range r.Points {
		p := &r.Points[i]
		g.rows = append(g.rows, []string{
			si.Count(p.At), si.Change(p.Speedup.Median, p.Speedup.Lo, p.Speedup.Hi), string(p.Verdict), si.Count(p.Rounds), si.Count(p.Aside),
		})
	}
	g.render(c.out)
}
