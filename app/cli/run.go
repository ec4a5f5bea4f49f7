package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/report"
	"assay/workloads"
)

// runFlags are the flags of `run`.
type runFlags struct {
	set                    []string
	engine, out, csv, json string
	quick                  bool
	seed                   uint64
}

func (c *command) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run [NAME…]", Short: "Run workloads; without names, every one that measures",
		Long: "Runs the named workloads one after another, prints the results as a table, and keeps everything in a run\n" +
			"bundle: a folder with run.json, results.csv, samples.csv, monitor.csv, events.jsonl and report.html.\n\n" +
			"Exit status: 0 done, 1 a result failed verification or a leak was found, 2 bad usage, 130 interrupted\n" +
			"(what was measured until then is kept).",
		Example: "  assay run batching --quick\n  assay run fusion --set pattern=add+relu --set max_elements=1000000 --csv fusion.csv",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			return c.runJobs(cmd.Context(), names, f)
		},
	}
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter: NAME=VALUE, or WORKLOAD.NAME=VALUE (repeatable)")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	cmd.Flags().BoolVar(&f.quick, "quick", false, "smaller sizes and shorter sampling: seconds instead of minutes")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	cmd.Flags().StringVar(&f.csv, "csv", "", "write the results as CSV to this file too")
	cmd.Flags().StringVar(&f.json, "json", "", "write the whole run as JSON to this file too")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	return cmd
}

func (c *command) runJobs(ctx context.Context, names []string, f runFlags) error {
	jobs, err := c.jobs(names, f)
	if err != nil {
		return err
	}
	if err := c.checkEngine(f.engine); err != nil {
		return err
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	s.Start()
	p := newProgress(c.errOut)
	defer s.Subscribe(p.update)()
	run, err := s.Run(ctx, app.Request{Jobs: jobs, Engine: f.engine, Quick: f.quick, Seed: f.seed, Out: f.out})
	p.stop()
	if run == nil {
		return err
	}
	return errors.Join(c.present(ctx, run, f), ended(run, err))
}

// ended is what a finished run has to complain about.
func ended(run *app.Run, err error) error {
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
	return usagef("no engine %q; there are %s", name, c.engineNames())
}

// jobs makes the jobs of a command line.
func (c *command) jobs(names []string, f runFlags) ([]app.Job, error) {
	if len(names) == 0 {
		names = workloads.Suite(c.config.Workloads)
	}
	var jobs []app.Job
	var chosen []*workloads.Workload
	for _, name := range names {
		w, err := workloads.Find(c.config.Workloads, name)
		if err != nil {
			return nil, usageError{err}
		}
		if slices.Contains(chosen, w) {
			return nil, usagef("workload %s is named twice", name)
		}
		chosen = append(chosen, w)
		jobs = append(jobs, app.Job{Workload: name, Params: w.Defaults(f.quick)})
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

// applySet applies one --set to the jobs that have the parameter.
func applySet(s string, chosen []*workloads.Workload, jobs []app.Job) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("--set %q, want NAME=VALUE", s)
	}
	only, param, scoped := strings.Cut(name, ".")
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
		return fmt.Errorf("--set %q: workload %s is not run here", s, only)
	}
	return missing
}

// present prints the run and writes its files.
func (c *command) present(ctx context.Context, run *app.Run, f runFlags) error {
	c.printResults(run)
	html := filepath.Join(run.Dir, "report.html")
	err := app.Export(run, c.config.Workloads, "html", html)
	if err == nil {
		fmt.Fprintf(c.out, "\nCSV:    %s\nReport: %s\n", filepath.Join(run.Dir, "results.csv"), html)
	}
	for format, path := range map[string]string{"csv": f.csv, "json": f.json} {
		if path == "" {
			continue
		}
		if werr := app.Export(run, c.config.Workloads, format, path); werr != nil {
			err = errors.Join(err, werr)
			continue
		}
		fmt.Fprintf(c.out, "%-7s %s\n", strings.ToUpper(format)+":", path)
	}
	return err
}

func (c *command) printResults(run *app.Run) {
	fmt.Fprintf(c.out, "\n%s on %s (%s engine%s)\n", c.bold(run.Meta.ID), run.Meta.Engine.Device, run.Meta.Engine.Engine,
		simulated(run))
	for _, j := range run.Meta.Jobs {
		var mine []workloads.Result
		for _, r := range run.Results {
			if r.Workload == j.Workload {
				mine = append(mine, r)
			}
		}
		if len(mine) == 0 {
			continue
		}
		fmt.Fprintf(c.out, "\n%s\n", c.bold(j.Workload))
		header, rows := report.Table(mine)
		t := newTable(c.out, header...)
		t.SetColumnConfigs(numeric(header))
		for _, r := range rows {
			row := make(table.Row, len(r))
			for i := range r {
				row[i] = r[i]
			}
			t.AppendRow(row)
		}
		t.Render()
	}
	c.printNotes(run)
}

func simulated(run *app.Run) string {
	if run.Meta.Engine.Simulated {
		return ", simulated: its times are not a device's"
	}
	return ""
}

// numeric right-aligns all columns but the first two and the last, which hold text.
func numeric(header []string) []table.ColumnConfig {
	var cfg []table.ColumnConfig
	for i := 2; i < len(header); i++ {
		if header[i] != "Notes" && header[i] != "Status" {
			cfg = append(cfg, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	return append(cfg, table.ColumnConfig{Name: "Notes", WidthMax: 60, WidthMaxEnforcer: text.WrapSoft})
}

// printNotes prints findings, and what went wrong or leaked.
func (c *command) printNotes(run *app.Run) {
	if len(run.Findings) > 0 {
		fmt.Fprintln(c.out)
	}
	for _, f := range run.Findings {
		fmt.Fprintln(c.out, "•", f.Text)
	}
	for _, e := range run.Leaks() {
		fmt.Fprintf(c.out, "! %s: %s\n", e.Title, e.Text)
	}
	for _, e := range run.Events {
		if e.Kind == "error" {
			fmt.Fprintf(c.out, "! %s: %s\n", e.Title, e.Text)
		}
	}
}
