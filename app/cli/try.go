package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"assay/app"
	"assay/internal/meant"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// tryFlags are the flags of `try`.
type tryFlags struct {
	set           []string
	engine, out   string
	compare, save bool
	asJSON        bool
	seed          uint64
}

func (c *command) try() *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use: "try NAME [SETTING…]", Short: "Measure single settings one after another, as live tuning in the window does",
		Long: "Measures one case of the workload NAME for each SETTING, in about 0.4 s each, on inputs that stay allocated, prints the time\n" +
			"with its interval, and compares it with the one before. A SETTING is NAME=VALUE, or several in quotes that are set\n" +
			"together; each stays set for those that follow. The last one set chooses the case, as the slider moved last does in the\n" +
			"window. Without a SETTING, settings are read from standard input, one per line; a line can also be:\n\n" +
			"  compare   measure the last two settings alternately (A B B A), which shows small differences\n" +
			"  points    list what was measured\n" +
			"  save      keep the points as a run, marked as live tuning\n" +
			"  quit      stop, as at the end of the input\n\n" +
			"These are short measurements, and no findings are drawn from them: for conclusions, use assay run. assay ab compares two\n" +
			"settings, assay tune searches for a kernel.\n\n" +
			"Exit status: 0 done, 1 a setting was not measured or its output was wrong, 2 invalid usage, 130 interrupted.",
		Example: "  assay try matmul max_size=256 max_size=512 max_size=1024\n" +
			"  assay try batching --set sweep=matmul --compare \"max_size=512 dtype=f32\" dtype=f16\n" +
			"  assay try fusion --save < settings.txt",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("try: want a workload: one of %s", listing(names(c.config.Workloads)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := c.trial(args[0], &f)
			if err != nil {
				return usageError{err}
			}
			return c.runTrial(cmd.Context(), t, args[1:], cmd.InOrStdin())
		},
	}
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter before the first setting, without measuring it: NAME=VALUE (repeatable)")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	c.deviceFlag(cmd)
	cmd.Flags().BoolVar(&f.compare, "compare", false, "compare each setting with the one before, alternately, which takes about 15 s")
	cmd.Flags().BoolVar(&f.save, "save", false, "keep the points as a run at the end")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for what --save keeps (default "+app.DefaultRunsDir()+")")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print a JSON object for each setting, one per line")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	return cmd
}

// trial is a series of settings of a workload.
type trial struct {
	*tryFlags
	workload *workloads.Workload
	values   workloads.Values // current
	session  *app.Session
	points   []app.Tuned // measured, oldest first
	failed   bool        // a setting was not measured, or its output was wrong
}

func (c *command) trial(name string, f *tryFlags) (*trial, error) {
	w, err := workloads.Find(c.config.Workloads, name)
	if err != nil {
		return nil, err
	}
	if !w.Tunable() {
		return nil, fmt.Errorf("workload %s has no single settings to measure: run it", name)
	}
	t := &trial{tryFlags: f, workload: w, values: w.Defaults(false)}
	for _, s := range f.set {
		if t.values, _, err = t.with(s); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return t, c.checkEngine(f.engine)
}

// with returns the current values plus a setting, and the last parameter that it sets.
func (t *trial) with(setting string) (v workloads.Values, moved string, err error) {
	v = t.values.With(nil)
	for _, one := range strings.Fields(setting) {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" || value == "" {
			return nil, "", fmt.Errorf("invalid setting %q: want NAME=VALUE", one)
		}
		p, err := t.workload.Param(name)
		if err != nil {
			return nil, "", err
		}
		if v[name], err = p.Parse(value); err != nil {
			return nil, "", err
		}
		moved = name
	}
	if moved == "" {
		return nil, "", fmt.Errorf("invalid setting %q: want NAME=VALUE", setting)
	}
	return v, moved, nil
}

// check refuses settings that are invalid before anything is measured.
func (t *trial) check(settings []string) error {
	begun := t.values
	defer func() { t.values = begun }()
	for _, s := range settings {
		v, _, err := t.with(s)
		if err != nil {
			return err
		}
		t.values = v
	}
	return nil
}

// runTrial measures the given settings, or those from the input.
func (c *command) runTrial(ctx context.Context, t *trial, settings []string, in io.Reader) (err error) {
	if err := t.check(settings); err != nil {
		return usageError{err}
	}
	if t.out != "" {
		c.config.RunsDir = t.out
	}
	if t.session, err = c.session(); err != nil {
		return err
	}
	defer t.session.Close()
	t.session.Start()
	if len(settings) > 0 {
		for _, setting := range settings {
			if err = c.trySetting(ctx, t, setting); err != nil {
				break
			}
		}
	} else {
		err = c.tryLines(ctx, t, in)
	}
	if t.save && len(t.points) > 0 {
		err = errors.Join(err, c.saveTrial(t))
	}
	if err == nil && t.failed {
		return errFailed
	}
	return err
}

// trySetting measures a setting, prints it, and compares it with the previous one. Its error ends the trial.
func (c *command) trySetting(ctx context.Context, t *trial, setting string) error {
	v, moved, err := t.with(setting)
	if err != nil {
		return err
	}
	_, err = t.session.Tuner().Measure(ctx, app.TuneRequest{Workload: t.workload.Name, Params: v, Moved: moved, Engine: t.engine, Seed: t.seed})
	if err != nil {
		return fmt.Errorf("%s: %w", setting, err)
	}
	all := t.session.Tuner().Points(t.workload.Name)
	point := all[len(all)-1]
	t.values, t.points = v, append(t.points, point)
	if err := c.printTried(t, setting, &point); err != nil {
		return err
	}
	if n := len(t.points); t.compare && n > 1 {
		return c.compareTried(ctx, t)
	}
	return nil
}

// printTried prints a point, and how it compares with the previous one.
func (c *command) printTried(t *trial, setting string, p *app.Tuned) error {
	sentence, ok := p.Sentence(t.workload)
	t.failed = t.failed || !ok
	if t.asJSON {
		return json.NewEncoder(c.out).Encode(c.triedJSON(t.workload, setting, p))
	}
	fmt.Fprintf(c.out, "%s → %s\n", plain.Text(setting), plain.Text(sentence))
	if ok {
		time := p.Headline().Time()
		fmt.Fprintf(c.out, "  Time: %s.", si.Range(time.Median, time.Lo, time.Hi, "s"))
		if n := len(t.points); n > 1 && !t.compare {
			fmt.Fprint(c.out, " "+plain.Text(p.Against(t.workload, &t.points[n-2], "the setting before")))
		}
		fmt.Fprintln(c.out)
	}
	return nil
}

// tried is a measured setting as JSON; times and other figures are named as in results.csv; unknown ones are left out.
type tried struct {
	Setting string           `json:"setting"`
	Params  workloads.Values `json:"params"`
	Results []triedResult    `json:"results"`
}

type triedResult struct {
	Case     string             `json:"case"`
	Variant  string             `json:"variant"`
	Status   workloads.Status   `json:"status"`
	Reason   string             `json:"reason,omitempty"`
	Warnings []string           `json:"warnings,omitempty"`
	Figures  map[string]float64 `json:"figures"`
}

func (c *command) triedJSON(w *workloads.Workload, setting string, p *app.Tuned) tried {
	out := tried{Setting: setting, Params: p.Case}
	for i := range p.Results {
		r := &p.Results[i]
		one := triedResult{Case: r.Case, Variant: r.Variant, Status: r.Status, Reason: r.Reason(), Figures: map[string]float64{}}
		for _, warning := range r.Warnings {
			one.Warnings = append(one.Warnings, warning.Text)
		}
		for _, m := range workloads.MetricsOf([]workloads.Workload{*w}) {
			v := r.Get(m.Name)
			for k, name := range m.Columns() {
				if figure := [...]float64{v.Median, v.Lo, v.Hi}[k]; bounded(figure) != nil {
					one.Figures[name] = figure
				}
			}
		}
		out.Results = append(out.Results, one)
	}
	return out
}

// compareTried measures the last two settings alternately and prints the outcome.
func (c *command) compareTried(ctx context.Context, t *trial) error {
	n := len(t.points)
	if n < 2 {
		return errors.New("compare needs two measured settings")
	}
	ended := make(chan app.ABUpdate, 1)
	defer t.session.Subscribe(func(u app.Update) {
		if u, is := u.(app.ABUpdate); is && (u.Done || u.Err != nil) {
			ended <- u
		}
	})()
	if err := t.session.Tuner().Compare(app.ABRequest{A: t.points[n-2], B: t.points[n-1]}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		t.session.Tuner().Stop()
		return ctx.Err()
	case u := <-ended:
		if u.Err != nil {
			return u.Err
		}
		if t.asJSON {
			return json.NewEncoder(c.out).Encode(map[string]any{
				"compared": u.Sentence(t.workload), "rounds": u.Rounds, "disturbed": u.Disturbed,
				"speedup": bounded(u.Speedup.Median), "speedup_lo": bounded(u.Speedup.Lo), "speedup_hi": bounded(u.Speedup.Hi),
			})
		}
		fmt.Fprintln(c.out, "  "+plain.Text(u.Sentence(t.workload)))
		return nil
	}
}

// tryLines executes the lines of the input. A line that cannot be executed is reported, and the next one is read.
func (c *command) tryLines(ctx context.Context, t *trial, in io.Reader) error {
	if f, is := in.(*os.File); is && term.IsTerminal(int(f.Fd())) {
		fmt.Fprintf(c.errOut, "Type settings of %s, one per line, or compare, points, save or quit.\n", t.workload.Name)
	}
	lines := make(chan string)
	scanned := make(chan error, 1)
	go func() { // which ends with the input or with the process
		defer close(lines)
		s := bufio.NewScanner(in)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
		scanned <- s.Err()
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, more := <-lines:
			if !more {
				return <-scanned
			}
			done, err := c.tryLine(ctx, t, strings.TrimSpace(line))
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				t.failed = true
				fmt.Fprintln(c.errOut, "assay:", err)
			}
			if done {
				return nil
			}
		}
	}
}

// tryLine executes a line; done: it was the last.
func (c *command) tryLine(ctx context.Context, t *trial, line string) (done bool, err error) {
	switch line {
	case "", "quit":
		return line == "quit", nil
	case "compare":
		return false, c.compareTried(ctx, t)
	case "points":
		for i := range t.points {
			sentence, _ := t.points[i].Sentence(t.workload)
			fmt.Fprintln(c.out, plain.Text(sentence))
		}
		return false, nil
	case "save":
		return false, c.saveTrial(t)
	}
	if strings.HasPrefix(line, "#") {
		return false, nil
	}
	if word, _, setting := strings.Cut(line, "="); !setting {
		return false, fmt.Errorf("%q is neither a setting, NAME=VALUE, nor compare, points, save or quit%s", plain.Text(word),
			meant.Hint(word, []string{"compare", "points", "save", "quit"}))
	}
	return false, c.trySetting(ctx, t, line)
}

// saveTrial saves the unsaved points as runs.
func (c *command) saveTrial(t *trial) error {
	if len(t.session.Tuner().Points(t.workload.Name)) == 0 {
		return errors.New("save: no setting was measured since the last")
	}
	runs, err := t.session.Tuner().Save(t.workload.Name)
	for _, r := range runs {
		fmt.Fprintf(c.errOut, "Saved %s in %s\n", si.Counted(len(r.Results), "result"), r.Dir)
	}
	return err
}
