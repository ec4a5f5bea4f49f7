package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/plain"
	"assay/workloads"
)

// runFlags are the flags of `run`.
type runFlags struct {
	set, preset          []string
	engine, out, capture string
	files                []*outputFile // one for each format
	quick                bool
	seed                 uint64
	pool                 poolFlags
	sampling             samplingFlags
}

func (c *command) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run [NAME…]", Short: "Run workloads; without names, all that measure",
		Long: "Runs the named workloads (" + listing(names(c.config.Workloads)) + ") one after another, prints the results\n" +
			"as a table, and keeps everything in a run bundle: a folder with run.json, results.csv, samples.csv, monitor.csv, events.jsonl and report.html.\n\n" +
			"Exit status: 0 done, 1 a result failed verification or a leak was found, 2 invalid usage, 130 interrupted\n" +
			"(earlier results are kept).",
		Example: "  assay run batching --quick\n" +
			"  assay run fusion --set pattern=add+relu --set max_elements=1000000 --csv fusion.csv\n" +
			"  assay run batching --preset large-products",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			return c.runJobs(cmd.Context(), names, f)
		},
	}
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter: NAME=VALUE, or WORKLOAD.NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.preset, "preset", nil,
		"use a preset's values: NAME, or WORKLOAD.NAME (repeatable; --set overrides it; see `list`)")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	cmd.Flags().BoolVar(&f.quick, "quick", false, "smaller sizes and shorter sampling: seconds instead of minutes")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	for _, format := range report.Formats() {
		o := &outputFile{format: format}
		cmd.Flags().StringVar(&o.path, format.Name, "", "write "+format.Content+" to this file too")
		f.files = append(f.files, o)
	}
	cmd.Flags().StringVar(&f.capture, "capture", "",
		"record the run's command buffers for Xcode in this .gputrace (Metal; not a timing run)")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	f.sampling.add(cmd.Flags())
	f.pool.add(cmd.Flags())
	return cmd
}

func (c *command) runJobs(ctx context.Context, names []string, f runFlags) error {
	jobs, err := c.jobs(names, f)
	if err != nil {
		return err
	}
	if err := errors.Join(c.checkEngine(f.engine), f.checkOutputs()); err != nil {
		return err
	}
	pool, err := f.pool.plan()
	if err != nil {
		return err
	}
	sampling, policy, err := f.sampling.plan()
	if err != nil {
		return err
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	s.Start()
	if err := pool.apply(ctx, s, f.engine); err != nil {
		return err
	}
	if policy != app.Refuse { // which says so itself
		c.sayQuiet(ctx, s)
	}
	p := newProgress(c.errOut)
	defer s.Subscribe(p.update)()
	run, err := s.Runs().Do(ctx, app.Request{
		Jobs: jobs, Engine: f.engine, Quick: f.quick, Seed: f.seed, Out: f.out, Capture: f.capture,
		LeakTolerance: pool.tolerance, WhenBusy: policy, Sampling: sampling,
	})
	p.stop()
	if run == nil {
		return elsewhere(err)
	}
	return errors.Join(c.present(run, f), ended(run, err))
}

// elsewhere says how to choose another folder if the one for runs cannot be used.
func elsewhere(err error) error {
	var folder *bundle.FolderError
	if errors.As(err, &folder) {
		return fmt.Errorf("%w, or choose another with --out", err)
	}
	return err
}

func names(all []workloads.Workload) []string {
	var out []string
	for _, w := range all {
		out = append(out, w.Name)
	}
	return out
}

// ended returns the error of a finished run.
func ended(run *bundle.Run, err error) error {
	if errors.Is(err, context.Canceled) {
		return nil // the interrupt is reported by Main
	}
	if err == nil && !run.OK() {
		return errFailed
	}
	return err
}

func (c *command) checkEngine(name string) error {
	if name == "auto" {
		return nil
	}
	for _, e := range c.config.Engines {
		if e.Name == name {
			return nil
		}
	}
	return usagef("no engine %q: want one of %s", name, c.engineNames())
}

// jobs makes the jobs of a command line.
func (c *command) jobs(names []string, f runFlags) ([]bundle.Job, error) {
	if len(names) == 0 {
		names = workloads.Measuring(c.config.Workloads)
	}
	var jobs []bundle.Job
	var chosen []*workloads.Workload
	for _, name := range names {
		w, err := workloads.Find(c.config.Workloads, name)
		if err != nil {
			return nil, usageError{err}
		}
		if slices.Contains(chosen, w) {
			return nil, usagef("workload %s is given twice", name)
		}
		chosen = append(chosen, w)
		jobs = append(jobs, bundle.Job{Workload: name, Params: w.Defaults(f.quick)})
	}
	for _, p := range f.preset {
		if err := applyPreset(p, chosen, jobs); err != nil {
			return nil, usageError{err}
		}
	}
	for _, s := range f.set {
		if err := applySet(s, chosen, jobs); err != nil {
			return nil, usageError{err}
		}
	}
	for i, w := range chosen {
		if err := w.Check(jobs[i].Params); err != nil {
			return nil, usageError{err}
		}
	}
	return jobs, nil
}

// applyPreset applies one --preset to the jobs with that preset.
func applyPreset(preset string, chosen []*workloads.Workload, jobs []bundle.Job) error {
	only, name, scoped := strings.Cut(preset, ".")
	if !scoped {
		name = preset
	}
	var missing error
	found, named := false, false
	for i, w := range chosen {
		if scoped && w.Name != only {
			continue
		}
		named = true
		v, err := w.Preset(name)
		if err != nil {
			missing = errors.Join(missing, err)
			continue
		}
		jobs[i].Params, found = v, true
	}
	switch {
	case found:
		return nil
	case !named:
		return fmt.Errorf("--preset %q: workload %s is not in this run; %s", preset, only, ran(chosen))
	}
	return missing
}

// applySet applies one --set to the jobs with the parameter.
func applySet(s string, chosen []*workloads.Workload, jobs []bundle.Job) error {
	name, value, ok := strings.Cut(s, "=")
	only, param, scoped := strings.Cut(name, ".")
	if !ok || only == "" || scoped && param == "" {
		return fmt.Errorf("--set %q, want NAME=VALUE or WORKLOAD.NAME=VALUE", s)
	}
	if !scoped {
		param = name
	}
	var missing error
	found := false
	for i, w := range chosen {
		if scoped && w.Name != only {
			continue
		}
		p, err := w.Param(param)
		if err != nil {
			missing = errors.Join(missing, err)
			continue
		}
		v, err := p.Parse(value)
		if err != nil {
			return fmt.Errorf("workload %s: %w", w.Name, err)
		}
		jobs[i].Params[param], found = v, true
	}
	if found {
		return nil
	}
	if missing == nil {
		return fmt.Errorf("--set %q: workload %s is not in this run; %s", s, only, ran(chosen))
	}
	return missing
}

// ran names the workloads of a command line.
func ran(chosen []*workloads.Workload) string {
	var out []string
	for _, w := range chosen {
		out = append(out, w.Name)
	}
	return "in this run: " + listing(out)
}

// outputFile is a file to write in addition to the bundle; not written if the path is empty.
type outputFile struct {
	format report.Format
	path   string
}

// outputs are the requested files.
func (f *runFlags) outputs() []*outputFile {
	return slices.DeleteFunc(slices.Clone(f.files), func(o *outputFile) bool { return o.path == "" })
}

// checkOutputs rejects, before anything is measured, files that could not be written afterward.
func (f *runFlags) checkOutputs() error {
	seen := map[string]string{}
	for _, o := range f.outputs() {
		format, path := o.format.Name, o.path
		if path == "-" {
			return usagef("--%s -: the results table goes to standard output; name a file", format)
		}
		if other, ok := seen[path]; ok {
			return usagef("--%s and --%s name the same file, %s", other, format, path)
		}
		seen[path] = format
		info, err := os.Stat(filepath.Dir(path))
		if err != nil {
			return usagef("--%s %s: %w", format, path, err)
		}
		if !info.IsDir() {
			return usagef("--%s %s: %s is not a folder", format, path, filepath.Dir(path))
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return usagef("--%s %s: it is a folder, want a file name", format, path)
		}
	}
	return nil
}

// present writes the run's files and prints the run, in this order: a closed standard output, such as a pipe to head, ends
// the process at the first line.
func (c *command) present(run *bundle.Run, f runFlags) error {
	written, err := c.writeFiles(run, f)
	c.printResults(run)
	fmt.Fprintln(c.out)
	for _, line := range written {
		fmt.Fprintln(c.out, line)
	}
	return err
}

// writeFiles writes the report and the requested files, also of a run that was interrupted, and returns a line for each.
func (c *command) writeFiles(run *bundle.Run, f runFlags) (lines []string, err error) {
	html, page := report.HTML(), filepath.Join(run.Dir, "report.html")
	if err = html.File(context.Background(), run, c.config.Workloads, page); err == nil {
		lines = append(lines, "CSV:    "+filepath.Join(run.Dir, "results.csv"), "Report: "+page)
	}
	for _, o := range f.outputs() {
		if werr := o.format.File(context.Background(), run, c.config.Workloads, o.path); werr != nil {
			err = errors.Join(err, werr)
			continue
		}
		lines = append(lines, fmt.Sprintf("%-7s %s", strings.ToUpper(o.format.Name)+":", o.path))
	}
	return lines, err
}

func (c *command) printResults(run *bundle.Run) {
	engine := &run.Meta.Engine
	fmt.Fprintf(c.out, "\n%s on %s (%s engine%s)\n", bold(c.out, plain.Text(run.Meta.ID)), plain.Text(engine.Device),
		plain.Text(engine.Engine), simulated(run))
	for _, j := range run.Meta.Jobs {
		var mine []workloads.Result
		for _, r := range run.Results {
			if r.Workload == j.Workload {
				mine = append(mine, r)
			}
		}
		if len(mine) > 0 {
			c.printTable(run, j.Workload, mine)
		}
	}
	c.printNotes(run)
}

func (c *command) printTable(run *bundle.Run, title string, results []workloads.Result) {
	fmt.Fprintf(c.out, "\n%s\n", bold(c.out, plain.Text(title)))
	g := gridOf(report.Table(&run.Meta, c.config.Workloads, results))
	if left := g.render(c.out); len(left) > 0 {
		fmt.Fprintf(c.out, "Columns omitted for width: %s; see results.csv.\n", listing(left))
	}
}

// gridOf is a table whose last column fills the remaining width.
func gridOf(columns []report.TableColumn) *grid {
	g := &grid{flex: len(columns) - 1}
	for i, c := range columns {
		g.header = append(g.header, c.Head)
		if c.Number {
			g.right = append(g.right, i)
		}
		for k, text := range c.Texts {
			if i == 0 {
				g.rows = append(g.rows, nil)
			}
			g.rows[k] = append(g.rows[k], text)
		}
	}
	spare := slices.DeleteFunc(slices.Clone(columns), func(c report.TableColumn) bool { return c.Spare == 0 })
	slices.SortStableFunc(spare, func(a, b report.TableColumn) int { return b.Spare - a.Spare })
	for _, c := range spare {
		g.spare = append(g.spare, c.Head)
	}
	return g
}

func simulated(run *bundle.Run) string {
	if run.Meta.Engine.Simulated {
		return ", simulated: times are not from real hardware"
	}
	return ""
}

// printNotes prints findings, failures and leaks, or that there are none.
func (c *command) printNotes(run *bundle.Run) {
	fmt.Fprintln(c.out)
	for _, f := range run.Findings {
		fmt.Fprintln(c.out, "•", plain.Text(f.Text))
	}
	for _, e := range run.Leaks() {
		fmt.Fprintf(c.out, "! %s: %s\n", plain.Text(e.Title), plain.Text(e.Text))
	}
	for _, e := range run.Events {
		if e.Kind == "error" {
			fmt.Fprintf(c.out, "! %s: %s\n", plain.Text(e.Title), plain.Text(e.Text))
		}
	}
	for _, note := range run.Notes {
		fmt.Fprintln(c.out, "!", plain.Text(note))
	}
	if run.OK() && run.Meta.State == bundle.Finished && len(run.Notes) == 0 {
		fmt.Fprintf(c.out, "• %s, no leak found.\n", report.Verified(run.Results))
	}
	if text := report.Disturbed(run.Results); text != "" {
		fmt.Fprintln(c.out, "!", text)
	}
	for _, text := range []string{report.Precise(run.Results, run.Meta.Precision), report.Compared(run.Results)} {
		if text != "" {
			fmt.Fprintln(c.out, "•", text)
		}
	}
}
