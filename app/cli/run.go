package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/si"
	"assay/workloads"
)

// runFlags are the flags of `run`.
type runFlags struct {
	set, preset          []string
	engine, out, capture string
	again, extend        string
	baseline, beside     string
	labels               bundle.Labels
	files                outputFiles
	quick, tuned         bool
	validate             bool
	target               string
	seed                 uint64
	pool                 poolFlags
	sampling             samplingFlags
	remote               remoteFlags
}

func (c *command) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run [NAME…]", Short: "Run workloads; without names, all that measure",
		Long: "Runs the named workloads (" + listing(names(c.config.Workloads)) + ") one after another, prints the results\n" +
			"as a table, and keeps everything in a run bundle: a folder with run.json, results.csv, samples.csv, monitor.csv,\n" +
			"events.jsonl and report.html.\n\n" +
			"The parameters and presets of a workload, for --set and --preset: assay list NAME.\n\n" +
			"Exit status: 0 done, 1 a result failed verification, a leak was found, or the engine supports none of the cases,\n" +
			"2 invalid usage, 130 interrupted (earlier results are kept).",
		Example: "  assay run batching --quick\n" +
			"  assay run fusion --set pattern=add+relu --set max_elements=1000000 --csv fusion.csv\n" +
			"  assay run batching --preset large-products",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := f.checkEarlier(cmd.Flags().Changed); err != nil {
				return err
			}
			if cmd.Flags().Changed("on") {
				return c.runThere(cmd, names, &f)
			}
			if err := c.prepared(&f); err != nil {
				return err
			}
			return c.runJobs(cmd.Context(), names, f)
		},
	}
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter: NAME=VALUE, or WORKLOAD.NAME=VALUE (repeatable)")
	cmd.Flags().StringArrayVar(&f.preset, "preset", nil,
		"use a preset's values: NAME, or WORKLOAD.NAME (repeatable; --set overrides it; see \"assay list\")")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	c.deviceFlag(cmd)
	c.prometheusFlag(cmd)
	cmd.Flags().StringVar(&f.beside, "beside", "",
		"measure the same cases on this engine too, and give each result's speedup over it: cpu; the run takes twice as long")
	cmd.Flags().BoolVar(&f.quick, "quick", false, "smaller sizes and shorter sampling: seconds instead of minutes")
	cmd.Flags().BoolVar(&f.tuned, "tuned", false, "use the kernels that \"assay tune\" chose for this device in place of the defaults")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	f.files.add(cmd.Flags())
	cmd.Flags().StringArrayVar(&f.labels.Tags, "tag", nil, "tag the run (repeatable)")
	cmd.Flags().StringVar(&f.labels.Note, "note", "", "a note about the run")
	cmd.Flags().StringVar(&f.capture, "capture", "",
		"record the run's command buffers for Xcode in this .gputrace (Metal; not a timing run)")
	cmd.Flags().BoolVar(&f.validate, "validate", false, "check each call with Metal's validation layers (not a timing run: its times are marked and never compared)")
	cmd.Flags().StringVar(&f.target, "target", "", "find the best configuration: fastest, per-watt (most work per watt), or within=WATTS (fastest within that power); the last two measure energy")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	cmd.Flags().StringVar(&f.again, "again", "", "measure the disturbed cases of `RUN` again, and keep its other results; last is the newest run")
	cmd.Flags().StringVar(&f.extend, "extend", "", "extend the sweeps of `RUN` whose end is still the best, and keep its results")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "afterward, compare with this saved baseline of the device, as \"assay compare\" does; exit status 1 if something is slower")
	f.sampling.add(cmd.Flags())
	f.pool.add(cmd.Flags())
	f.remote.add(cmd.Flags())
	return cmd
}

// checkEarlier returns an error for flags that conflict with continuing an earlier run.
func (f *runFlags) checkEarlier(changed func(flag string) bool) error {
	from := "again"
	switch {
	case f.again != "" && f.extend != "":
		return usagef("--again and --extend are two ways to continue a run: leave out one")
	case f.again == "" && f.extend == "":
		return nil
	case f.extend != "":
		from = "extend"
	}
	for _, own := range []string{"set", "preset", "engine", "quick", "tuned", "seed", "beside"} {
		if changed(own) {
			return usagef("--%s takes the settings of the run: leave out --%s", from, own)
		}
	}
	return nil
}

func (c *command) runJobs(ctx context.Context, names []string, f runFlags) error {
	if f.baseline != "" {
		if err := c.checkBaseline(f.baseline); err != nil {
			return err
		}
	}
	request, pool, err := c.request(ctx, names, f)
	if err != nil {
		return err
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	c.sayWhere(f.out)
	s.Start()
	if err := pool.apply(ctx, s, f.engine); err != nil {
		return err
	}
	switch {
	case cmp.Or(f.again, f.extend) != "":
		fmt.Fprintln(c.errOut, c.announceRest(request, f.again != ""))
	case len(names) == 0:
		fmt.Fprintln(c.errOut, c.announcement(request))
	}
	if request.WhenBusy != app.Refuse { // which says so itself
		c.sayQuiet(ctx, s, request.WhenBusy)
	}
	p := newProgressOf(c.errOut, request.Quiet)
	defer s.Subscribe(p.update)()
	run, err := s.Runs().Do(ctx, request)
	p.stop()
	if run == nil {
		return elsewhere(err)
	}
	err = ended(run, err)
	shown := c.present(run, f, err)
	if shown != nil && errors.Is(err, errFailed) {
		return shown // errFailed is never printed
	}
	if err = errors.Join(shown, err); err != nil || f.baseline == "" {
		return err
	}
	return c.againstBaseline(ctx, f.baseline, run)
}

// sayWhere says where the run is kept, unless that is a folder of the user's.
func (c *command) sayWhere(out string) {
	if dir := app.DefaultRunsDir(); out == "" && c.config.RunsDir == "" && !filepath.IsAbs(dir) {
		fmt.Fprintf(c.errOut, "HOME is not set: the run is kept in %s in the current folder. Choose another with --out.\n", dir)
	}
}

// request returns what a command line asks for. All of it is checked before anything runs.
func (c *command) request(ctx context.Context, names []string, f runFlags) (r app.Request, pool poolPlan, err error) {
	if r, err = c.work(ctx, names, f); err != nil {
		return r, pool, err
	}
	r.Out, r.Capture, r.Validate, r.Beside = f.out, f.capture, f.validate, f.beside
	r.Quiet = r.Quiet || f.sampling.quiet
	if err := errors.Join(c.checkEngine(f.engine), c.checkBeside(f.beside), f.files.check()); err != nil {
		return r, pool, err
	}
	if r.Labels, err = f.labels.Tidy(); err != nil {
		return r, pool, usageError{err}
	}
	if pool, err = f.pool.plan(); err != nil {
		return r, pool, err
	}
	r.LeakTolerance, r.Upkeep, r.PressurePause = pool.tolerance, pool.upkeep, pool.pause
	if r.Target, err = workloads.ParseTarget(f.target); err != nil {
		return r, pool, usageError{err}
	}
	if r.Throttling, err = f.sampling.throttling(); err != nil {
		return r, pool, err
	}
	sampling, policy, err := f.sampling.plan()
	r.Sampling, r.WhenBusy = sampling.Or(r.Sampling), policy
	return r, pool, err
}

// work returns the request for the named workloads, or for the missing cases of an earlier run.
func (c *command) work(ctx context.Context, names []string, f runFlags) (app.Request, error) {
	earlier := cmp.Or(f.again, f.extend)
	if earlier == "" {
		jobs, err := c.jobs(names, f)
		for _, why := range unusedSets(f.set, c.config.Workloads, jobs) {
			fmt.Fprintln(c.errOut, why)
		}
		return app.Request{Engine: f.engine, Quick: f.quick, Tuned: f.tuned, Seed: f.seed, Jobs: jobs}, err
	}
	if len(names) > 0 {
		return app.Request{}, usagef("--again and --extend take the workloads from the run: leave out %s", names[0])
	}
	run, err := c.findRun(ctx, earlier)
	if err != nil {
		return app.Request{}, err
	}
	if f.extend != "" {
		return app.Extend(run, "", run.Findings)
	}
	return app.Again(run, "")
}

// elsewhere says how to choose another folder if the one for runs cannot be used.
func elsewhere(err error) error {
	var folder *bundle.FolderError
	if errors.As(err, &folder) {
		return fmt.Errorf("%w; choose another folder with --out", err)
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

// ended returns the error of a finished run. A run of which the engine supports nothing has failed too: whoever started it wants
// figures.
func ended(run *bundle.Run, err error) error {
	if errors.Is(err, context.Canceled) {
		return nil // the interrupt is reported by Main
	}
	if err == nil && (!run.OK() || unsupported(run.Results)) {
		return errFailed
	}
	return err
}

// unsupported reports whether there are results but the engine supports none of them.
func unsupported(results []workloads.Result) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r workloads.Result) bool { return r.Status != workloads.Unsupported })
}

func (c *command) checkBeside(name string) error {
	if name == "" {
		return nil
	}
	if name == "auto" {
		return usagef("--beside auto: name the engine, such as cpu")
	}
	return c.checkEngine(name)
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

// announcement says what a run without names is about to do.
func (c *command) announcement(r app.Request) string {
	var names []string
	for _, j := range r.Jobs {
		names = append(names, j.Workload)
	}
	cases, took := r.Expect(c.config.Workloads)
	return fmt.Sprintf("Running %s (%s), %s, about %s. To run one: assay run NAME (see assay list).", si.Counted(len(r.Jobs), "workload"),
		listing(names), si.Counted(cases, "case"), aboutHowLong(took))
}

// announceRest says how much is about to be measured in addition to what an earlier run has, or again.
func (c *command) announceRest(r app.Request, again bool) string {
	cases, took := r.Expect(c.config.Workloads)
	words := si.Counted(cases, "case")
	if again {
		words += " again"
	}
	words = fmt.Sprintf("Measuring %s, about %s.", words, aboutHowLong(took))
	if r.TakesOver(c.config.Workloads) {
		words += " The others are kept."
	}
	return words
}

// aboutHowLong rounds a duration: "3 s", "40 s", "4 min".
func aboutHowLong(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%d s", max(1, d.Round(time.Second)/time.Second))
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", d.Round(10*time.Second)/time.Second)
	}
	return fmt.Sprintf("%d min", d.Round(time.Minute)/time.Minute)
}
