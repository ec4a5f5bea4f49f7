package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// runsFlags are the flags of `runs`.
type runsFlags struct {
	asJSON         bool
	label, remove  string
	tags           []string
	note           string
	setTag, setMsg bool
}

func (c *command) runs() *cobra.Command {
	var f runsFlags
	cmd := &cobra.Command{
		Use: "runs [WORD…]", Short: "List the runs in the folder for runs, newest first",
		Long: "Lists the runs in " + app.DefaultRunsDir() + ",\n" +
			"with their commit, the parameters that differ from the defaults, tags and note.\n" +
			"With words, only the runs that have every word in the ID, workload, engine, device, state, tags, note or date.\n" +
			"--label and --delete take " + namesOfRuns + ".\n\n" +
			"Exit status: 0 done, 1 failed, 2 invalid usage.",
		Example: "  assay runs batching 2026-11-20\n" +
			"  assay runs --label last --tag before-fix --note \"fan off\"",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			f.setTag, f.setMsg = cmd.Flags().Changed("tag"), cmd.Flags().Changed("note")
			return c.runsAction(cmd.Context(), words, f)
		},
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&f.label, "label", "", "set --tag and --note of this run; an empty value removes them")
	cmd.Flags().StringArrayVar(&f.tags, "tag", nil, "tag for the run of --label (repeatable)")
	cmd.Flags().StringVar(&f.note, "note", "", "note for the run of --label")
	cmd.Flags().StringVar(&f.remove, "delete", "", "move this run to the system's trash")
	return cmd
}

func (c *command) runsAction(ctx context.Context, words []string, f runsFlags) error {
	switch {
	case f.label != "" && f.remove != "", (f.label != "" || f.remove != "") && len(words) > 0:
		return usagef("words, --label and --delete: choose one")
	case f.label == "" && (f.setTag || f.setMsg):
		return usagef("--tag and --note go with --label RUN")
	case f.label != "" && !f.setTag && !f.setMsg:
		return usagef("--label %s: give --tag or --note", f.label)
	case f.label != "":
		return c.labelRun(f)
	case f.remove != "":
		return c.deleteRun(f.remove)
	}
	runs, err := c.library().Search(ctx, strings.Join(words, " "))
	if err != nil {
		return err
	}
	if f.asJSON {
		return writeJSON(c.out, listedRuns(runs))
	}
	return c.printRuns(runs, len(words) > 0)
}

// labelRun replaces the given labels and leaves the others unchanged.
func (c *command) labelRun(f runsFlags) error {
	dir, err := c.library().Find(f.label)
	if err != nil {
		return err
	}
	labels, err := c.library().Labels(dir)
	if err != nil {
		return err
	}
	if f.setTag {
		labels.Tags = f.tags
	}
	if f.setMsg {
		labels.Note = f.note
	}
	return c.library().SetLabels(dir, labels)
}

func (c *command) deleteRun(name string) error {
	dir, err := c.library().Find(name)
	if err != nil {
		return err
	}
	gone, err := c.library().Delete(dir)
	if err == nil {
		fmt.Fprintln(c.out, gone.Dir, "is in the trash.")
	}
	return err
}

func (c *command) printRuns(runs []bundle.Summary, searched bool) error {
	if len(runs) == 0 {
		what := "No runs in"
		if searched {
			what = "No such run in"
		}
		_, err := fmt.Fprintln(c.out, what, c.library().Dir())
		return err
	}
	g := &grid{
		header: []string{"Run", "Started", "State", "Results", "Size", "Device", "Commit", "Settings and notes"}, right: []int{3, 4}, flex: 7, lines: 8,
		spare: []string{"Size", "Device", "Started", "Commit"},
	}
	for i := range runs {
		g.rows = append(g.rows, c.runCells(&runs[i]))
	}
	g.render(c.out)
	return nil
}

func (c *command) runCells(s *bundle.Summary) []string {
	started := ""
	if !s.Started.IsZero() {
		started = s.Started.Local().Format("2006-01-02 15:04")
	}
	device := s.Device
	if s.Simulated {
		device += " (simulated)"
	}
	return []string{
		plain.Text(s.ID), started, string(s.State), fmt.Sprint(s.Results), si.Bytes(float64(s.Size)), plain.Text(device),
		s.Commit.String(), strings.Join(append(c.settings(s), runNotes(s)...), " · "),
	}
}

// settings returns the parameters of a run that differ from the defaults.
func (c *command) settings(s *bundle.Summary) []string {
	var parts []string
	if s.Watch != "" {
		parts = append(parts, s.Watch)
	}
	if s.Quick {
		parts = append(parts, "quick")
	}
	if s.Tuned {
		parts = append(parts, "tuned kernels")
	}
	for _, j := range s.Jobs {
		w, err := workloads.Find(c.config.Workloads, j.Workload)
		if err != nil {
			continue
		}
		if changed := w.Changed(j.Params, s.Quick); changed != "" {
			if len(s.Jobs) > 1 {
				changed = j.Workload + " " + changed
			}
			parts = append(parts, plain.Text(changed))
		}
	}
	return parts
}

// maxNote is the maximum length of a note in a list: two lines.
const maxNote = 2 * flexFree

// runNotes lists what went wrong, and the user's tags and note.
func runNotes(s *bundle.Summary) []string {
	var parts []string
	if s.Tuning {
		parts = append(parts, "live tuning")
	}
	if s.NotTiming != "" {
		parts = append(parts, bundle.NotTimingRun)
	}
	for _, n := range []struct {
		count int
		what  string
	}{{s.Failed, "wrong"}, {s.Errors, "failed to run"}, {s.Leaks, "leaked"}, {s.Disturbed, "disturbed"}} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	for _, words := range []string{s.Failure, s.Problem} {
		if words != "" {
			parts = append(parts, words)
		}
	}
	for _, tag := range s.Tags {
		parts = append(parts, "["+tag+"]")
	}
	if s.Purpose != "" {
		parts = append(parts, "for the advisor: "+plain.Text(s.Purpose))
	}
	if s.Note != "" {
		parts = append(parts, plain.Text(cut(strings.Join(strings.Fields(s.Note), " "), maxNote)))
	}
	return parts
}

// listedRun is a run in `runs --json`; unknown values are null.
type listedRun struct {
	ID          string         `json:"run_id"`
	Dir         string         `json:"folder"`
	Started     *time.Time     `json:"started_at"`
	Finished    *time.Time     `json:"finished_at"`
	State       string         `json:"state"`
	Engine      string         `json:"engine"`
	Device      string         `json:"device"`
	Simulated   bool           `json:"simulated"`
	Tuning      bool           `json:"live_tuning"`
	Workloads   []string       `json:"workloads"`
	Results     int            `json:"results"`
	Verified    int            `json:"verified"`
	Disturbed   int            `json:"disturbed"`
	Failed      int            `json:"failed"`
	Errors      int            `json:"errors"`
	Unsupported int            `json:"unsupported"`
	Leaks       int            `json:"leaks"`
	Jobs        []bundle.Job   `json:"jobs"`
	Quick       bool           `json:"quick"`
	Commit      *bundle.Commit `json:"commit"`
	Tags        []string       `json:"tags"`
	Note        string         `json:"note"`
	Purpose     string         `json:"purpose,omitempty"`
	Size        int64          `json:"size_bytes"`
	Problem     string         `json:"problem,omitempty"`
	Failure     string         `json:"failure,omitempty"`
}

func listedRuns(runs []bundle.Summary) []listedRun {
	known := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return &t
	}
	out := make([]listedRun, 0, len(runs))
	for _, s := range runs {
		out = append(out, listedRun{
			ID: s.ID, Dir: s.Dir, Started: known(s.Started), Finished: known(s.Finished), State: string(s.State),
			Engine: s.Engine, Device: s.Device, Simulated: s.Simulated, Tuning: s.Tuning,
			Workloads: append([]string{}, s.Workloads...), Results: s.Results,
			Verified: s.Verified, Disturbed: s.Disturbed, Failed: s.Failed, Errors: s.Errors, Unsupported: s.Unsupported, Leaks: s.Leaks,
			Jobs: append([]bundle.Job{}, s.Jobs...), Quick: s.Quick, Commit: s.Commit,
			Tags: append([]string{}, s.Tags...), Note: s.Note, Purpose: s.Purpose, Size: s.Size, Problem: s.Problem, Failure: s.Failure,
		})
	}
	return out
}
