package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// abFlags are the flags of `ab`.
type abFlags struct {
	a, b, set       []string
	engine, against string
	rounds          int
	matters         float64
	asJSON          bool
	seed            uint64
	take            time.Duration
	energy          string
}

func (c *command) ab() *cobra.Command {
	var f abFlags
	var kept keptFlags
	cmd := &cobra.Command{
		Use: "ab NAME", Short: "Compare two settings, variants, engines or builds by alternating them",
		Long: "Measures one case of the workload NAME with two settings, A and B, alternately (A B B A), so that heat and drift affect\n" +
			"both alike. Reports whether B is FASTER or SLOWER than A, the SAME, or UNSURE, with the threshold and the interval.\n\n" +
			"--a and --b take parameters of the workload, variant=NAME and engine=NAME. A sweep is measured at its largest value only.\n" +
			"With --against PROGRAM, that Assay is A and this one is B; each measures in its own processes. With --against FOLDER, NAME\n" +
			"and FOLDER are both folders of kernels of your own. Times are compared, or times per operation where the cases differ and\n" +
			"both count operations. Disturbed rounds are repeated, at most --rounds of them. While the verdict is UNSURE, rounds are\n" +
			"added, up to three times --rounds in all. Every comparison and crossover is kept in the folder comparisons beside the\n" +
			"runs, even one that ends early: --list lists them, --show prints one.\n\n" +
			"Exit status: 0 B is not slower, or it is unsure; 1 B is slower, or something failed; 2 invalid usage; 130 interrupted.",
		Example: "  assay ab matmul --set max_size=1024 --a dtype=f32 --b dtype=f16\n" +
			"  assay ab matmul --a variant=\"tiled 64\" --b variant=blocked\n" +
			"  assay ab reduction --a engine=cpu --b engine=cuda\n" +
			"  assay ab quantization --against ./assay-before\n" +
			"  assay ab --list\n" +
			"  assay ab --show last --csv > takes.csv",
		Args: func(_ *cobra.Command, args []string) error {
			if err := kept.check(args, f.asJSON); err != nil || kept.asked() {
				return err
			}
			return exactly(1, "ab takes one workload")(nil, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if kept.asked() {
				return c.keptAB(&kept, f.asJSON)
			}
			if err := refuseZeros(cmd.Flags(), "time"); err != nil {
				return err
			}
			if isFolder(f.against) {
				return c.abKernels(cmd.Context(), args[0], &f)
			}
			plan, err := c.abPlan(cmd.Context(), args[0], &f)
			if err != nil {
				return usageError{err}
			}
			return c.runAB(cmd.Context(), plan, &f)
		},
	}
	cmd.Flags().StringArrayVar(&f.a, "a", nil, "a setting of A: NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.b, "b", nil, "a setting of B: NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "a setting of both: NAME=VALUE (repeatable)")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine of both: "+c.engineNames())
	cmd.Flags().StringVar(&f.against, "against", "", "what to use as A: another Assay `PROGRAM`, or the folder of another kernel of your own")
	cmd.Flags().IntVar(&f.rounds, "rounds", 16, "undisturbed rounds of A B B A; up to three times as many while UNSURE")
	cmd.Flags().DurationVar(&f.take, "time", 350*time.Millisecond, "time of each measurement")
	cmd.Flags().Float64Var(&f.matters, "matters", 1, "difference in % up to which both count as equal")
	cmd.Flags().StringVar(&f.energy, "energy", string(app.EnergyOff), "energy of both sides, after their times: off, or auto (where power is measured; adds about two minutes)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON, with every measurement")
	kept.add(cmd)
	return cmd
}

// exactly checks the number of arguments.
func exactly(n int, text string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%s, not %s", text, si.Counted(len(args), "argument"))
		}
		return nil
	}
}

func (c *command) abPlan(ctx context.Context, name string, f *abFlags) (app.ABPlan, error) {
	w, err := workloads.Find(c.config.Workloads, name)
	if err != nil {
		return app.ABPlan{}, err
	}
	if !slices.Contains(app.EnergyChoices(), app.Energy(f.energy)) {
		return app.ABPlan{}, fmt.Errorf("--energy is %q, want off or auto", f.energy)
	}
	p := app.ABPlan{Workload: name, Rounds: f.rounds, Matters: f.matters / 100, Seed: f.seed, Take: f.take, Energy: app.Energy(f.energy) == app.EnergyAuto}
	if err := p.Check(); err != nil {
		return p, err
	}
	if p.A, err = c.abSide(w, f, "--a", f.a); err == nil {
		p.B, err = c.abSide(w, f, "--b", f.b)
	}
	if err != nil {
		return p, err
	}
	if f.against == "" {
		if len(f.a)+len(f.b) == 0 {
			return p, errors.New("nothing differs between A and B: want --a and --b with a setting, or --against with another build")
		}
		return p, nil
	}
	if p.A.Program, err = filepath.Abs(f.against); err == nil {
		err = cmp.Or(app.IsAssay(ctx, p.A.Program), p.InPrograms())
	}
	return p, err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.IsDir()
}

// abKernels compares one of the user's kernels with another one, from the folder --against, which is A.
func (c *command) abKernels(ctx context.Context, kernel string, f *abFlags) error {
	if !isFolder(kernel) {
		return usagef("--against %s is a folder of a kernel of your own; want the folder of another one in place of %q", f.against, kernel)
	}
	if len(f.a)+len(f.b)+len(f.set) > 0 {
		return usagef("kernels of your own have no settings: leave out --a, --b and --set")
	}
	own := ownFlags{OwnOptions: app.OwnOptions{Engine: f.engine}, seconds: max(1, f.take.Seconds()), json: f.asJSON}
	return c.compareKernels(ctx, &own, []string{f.against, kernel})
}

// abSide returns a side with the settings of both and its own.
func (c *command) abSide(w *workloads.Workload, f *abFlags, flag string, own []string) (app.ABSide, error) {
	side := app.ABSide{Params: w.Defaults(true), Engine: f.engine}
	for _, s := range append(append([]string{}, f.set...), own...) {
		name, value, ok := strings.Cut(s, "=")
		switch {
		case !ok || name == "":
			return side, fmt.Errorf("%s %q, want NAME=VALUE", flag, s)
		case name == "variant":
			side.Variant = value
			continue
		case name == "engine":
			side.Engine = value
			continue
		}
		p, err := w.Param(name)
		if err != nil {
			return side, err
		}
		if side.Params[name], err = p.Parse(value); err != nil {
			return side, fmt.Errorf("%s %s: %w", flag, name, err)
		}
	}
	if err := c.checkEngine(side.Engine); err != nil {
		return side, err
	}
	return side, w.CheckAll(side.Params)
}

func (c *command) runAB(ctx context.Context, plan app.ABPlan, f *abFlags) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	s.Start()
	r, err := s.Tuner().AB(ctx, plan, func(r *app.ABResult) {
		fmt.Fprintf(c.errOut, "%d of %d rounds%s: %s\n", r.Rounds, r.Wanted, aside(r.Aside), cmp.Or(r.SoFar(), "nothing can be said yet"))
	})
	if r == nil || len(r.Takes) < 4 { // less than one round
		return err
	}
	record := r.Record(time.Now(), s.Version(), err)
	err = errors.Join(err, c.keep(record))
	if f.asJSON {
		err = errors.Join(err, record.WriteJSON(c.out))
	} else {
		c.printAB(r, record)
	}
	if err == nil && r.Verdict == stats.Slower {
		return errFailed
	}
	return err
}

func aside(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d disturbed", n)
}

// printAB prints the verdict, what was compared and the evidence.
func (c *command) printAB(r *app.ABResult, record *app.ABRecord) {
	fmt.Fprintf(c.out, "\n%s\n\n", bold(c.out, r.Sentence()))
	g := &grid{header: []string{"", "What", "Case", "Variant", "Time"}, right: []int{4}, flex: 1}
	for i, side := range []*app.SideRecord{&record.A, &record.B} {
		name := "AB"[i : i+1]
		take := r.First(name)
		g.rows = append(g.rows, []string{name, plain.Text(side.What), plain.Text(take.Case), plain.Text(take.Variant), si.Time(r.Time(name))})
	}
	g.render(c.out)
	fmt.Fprintln(c.out)
	if control := r.Control(); control != "" {
		fmt.Fprintln(c.out, "• "+plain.Text(control))
	}
	fmt.Fprintf(c.out, "• Compared: %s.\n", r.Compared())
	fmt.Fprintln(c.out, "• "+r.ClockWords())
	if round, what := r.Disturbance(); what != "" {
		fmt.Fprintf(c.out, "• Round %d was disturbed: %s.\n", round, plain.Text(what))
	}
	if r.Energy != nil {
		fmt.Fprintln(c.out, "• "+plain.Text(r.Energy.Sentence()))
	}
}

// bounded returns a number for JSON, which has no NaN and no infinity.
func bounded(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}
