package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/plain"
	"assay/internal/si"
)

// watchFlags are the flags of `watch`.
type watchFlags struct {
	pid                    int
	interval, length, warm time.Duration
	tolerance, mark, out   string
	labels                 bundle.Labels
	files                  outputFiles
	request                app.WatchRequest
}

func (c *command) watch() *cobra.Command {
	var f watchFlags
	cmd := &cobra.Command{
		Use: "watch [-- COMMAND [ARG…]]", Short: "Watch a program for leaks of memory, GPU memory, handles and threads",
		Long: "Starts COMMAND, or attaches to the process --pid, and reads its memory, GPU memory, handles and threads, with those\n" +
			"of its children, until it ends, --for is over, or you interrupt it, which also ends the command. Then it reports whether each of\n" +
			"these leaks, and keeps everything in a run bundle (see \"assay runs\").\n\n" +
			"A leak grows steadily up to the end. Growth in a few steps, growth that slows down like that of a filling cache, and\n" +
			"memory that is given back are reported, but are not leaks. A leak above 1 MB/min is found in 10 minutes; a shorter watch\n" +
			"cannot tell a leak from a cache that is still filling.\n\n" +
			"Exit status: 0 no leak, 1 a leak, 2 invalid usage, 3 no leak was found, but the command failed (its status is\n" +
			"reported) or could not be started, no process --pid is running, a file could not be written, or there were too few\n" +
			"readings for a verdict on its memory.",
		Example: "  assay watch -- python3 train.py --epochs 20\n" +
			"  assay watch --mark 'epoch (\\d+)' --for 10m -- ./train\n" +
			"  assay watch --pid 4711 --for 30m --tolerance 100kB",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args, cmd.Flags().Changed); err != nil {
				return err
			}
			return c.watchProgram(cmd.Context(), &f)
		},
	}
	cmd.Flags().SetInterspersed(false) // flags after the command are its own
	c.prometheusFlag(cmd)
	cmd.Flags().IntVar(&f.pid, "pid", 0, "attach to this running process, instead of starting a command")
	cmd.Flags().DurationVar(&f.interval, "interval", time.Second, "interval between readings, such as 500ms")
	cmd.Flags().DurationVar(&f.length, "for", 0, "stop after this time, such as 10m; 0: when the program ends")
	cmd.Flags().DurationVar(&f.warm, "warm-up", 0,
		"time at the start that is left out of the verdicts (default 30s, at most a fifth of the time; 0 with --pid)")
	cmd.Flags().StringVar(&f.tolerance, "tolerance", "500kB", "growth of memory per minute that is not a leak: SIZE")
	cmd.Flags().StringVar(&f.mark, "mark", "",
		"mark the readings where a line of the command's output matches this `PATTERN`, such as 'epoch (\\d+)'; its output then is a pipe, not a terminal")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	f.files.add(cmd.Flags(), "json", "html")
	cmd.Flags().StringArrayVar(&f.labels.Tags, "tag", nil, "tag the run (repeatable)")
	cmd.Flags().StringVar(&f.labels.Note, "note", "", "a note about the run")
	return cmd
}

// check reads the flags into the request.
func (f *watchFlags) check(args []string, changed func(flag string) bool) error {
	r := &f.request
	r.Command, r.PID, r.For, r.WarmUp, r.Out = args, f.pid, f.length, f.warm, f.out
	if changed("warm-up") && f.warm <= 0 {
		r.WarmUp = -1
	}
	if changed("pid") && f.pid <= 0 {
		return usagef("--pid is %d, want the ID of a running process", f.pid)
	}
	if len(args) == 0 && f.pid == 0 {
		return usagef("want a command (assay watch -- COMMAND) or --pid")
	}
	if f.interval <= 0 {
		return usagef("--interval is %v, want a time such as 1s or 500ms", f.interval)
	}
	if changed("for") && f.length <= 0 {
		return usagef("--for is %v, want a time such as 10m", f.length)
	}
	if f.length > 0 && f.warm >= f.length {
		return usagef("--warm-up is %v, and --for is %v: nothing is left to judge", f.warm, f.length)
	}
	tolerance, err := si.ParseBytes(f.tolerance)
	if err != nil || tolerance < 1 {
		return usagef("--tolerance is %q, want a size per minute from 1B, such as 500kB", f.tolerance)
	}
	r.Tolerance = float64(tolerance)
	if f.mark != "" {
		if r.Mark, err = regexp.Compile(f.mark); err != nil {
			return usagef("--mark is not a regular expression: %v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	if r.Labels, err = f.labels.Tidy(); err != nil {
		return usageError{err}
	}
	if len(args) > 0 && f.files.toStandardOutput() {
		return usagef("the command writes to standard output: give a file a name")
	}
	if err := r.Check(); err != nil {
		return usageError{err}
	}
	return f.files.check()
}

// watchProgram watches and prints what was found. Standard output is left to the command alone.
func (c *command) watchProgram(ctx context.Context, f *watchFlags) error {
	c.config.Interval = f.interval
	people := c
	if len(f.request.Command) > 0 {
		people = c.toErrOut()
		f.request.Stdin, f.request.Stdout, f.request.Stderr = os.Stdin, unwrapped(c.out), unwrapped(c.errOut)
	} else if f.files.toStandardOutput() {
		people = c.toErrOut()
	}
	s, err := c.session()
	if err != nil {
		return usageError{err}
	}
	defer s.Close()
	c.sayWhere(f.out)
	s.Start()
	p := newWatchProgress(c.errOut, len(f.request.Command) > 0)
	defer s.Subscribe(p.update)()
	run, err := s.Watches().Do(ctx, f.request)
	p.stop()
	if run == nil {
		return c.noVerdict(ctx, elsewhere(err))
	}
	lines, werr := c.writeReport(run, f.files)
	people.printWatch(run)
	for _, line := range lines {
		fmt.Fprintln(people.out, line)
	}
	status := watchStatus(run)
	switch err := errors.Join(err, werr, c.writeOut(context.Background(), run, f.files)); {
	case err == nil:
		return exitStatus(status)
	case status == exitFailed:
		return err
	default:
		return c.noVerdict(context.Background(), err)
	}
}

// noVerdict prints an error that says nothing about leaks: the exit status of other errors means a leak here.
func (c *command) noVerdict(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err // the interrupt is reported by Main
	}
	fmt.Fprintln(c.errOut, "assay:", err)
	return exitStatus(exitNoVerdict)
}

// watchStatus is the exit status of a watch.
func watchStatus(run *bundle.Run) int {
	w := run.Meta.Watch
	switch {
	case len(run.Leaks()) > 0:
		return exitFailed
	case !w.Judged(), w.ExitCode != nil && *w.ExitCode != 0:
		return exitNoVerdict
	}
	return exitOK
}

// writeReport writes the report and the requested files, and returns a line for each.
func (c *command) writeReport(run *bundle.Run, files outputFiles) (lines []string, err error) {
	html, page := report.HTML(), filepath.Join(run.Dir, "report.html")
	if err = html.File(context.Background(), run, c.config.Workloads, page); err == nil {
		lines = append(lines, "Readings: "+filepath.Join(run.Dir, "monitor.csv"), "Report:   "+page)
	}
	wrote, werr := c.writeAll(context.Background(), run, files)
	for _, o := range wrote {
		lines = append(lines, fmt.Sprintf("%-9s %s", o.format.Title+":", o.path))
	}
	return lines, errors.Join(err, werr)
}

// printWatch prints what a watch found.
func (c *command) printWatch(run *bundle.Run) {
	w := run.Meta.Watch
	fmt.Fprintf(c.out, "\n%s: %s\n", bold(c.out, plain.Text(run.Meta.ID)), report.WatchSummary(&run.Meta))
	for i := range w.Verdicts {
		v := &w.Verdicts[i]
		sign := "•"
		if v.Leak {
			sign = "!"
		}
		fmt.Fprintf(c.out, "%s %s: %s.\n", sign, v.Title, plain.Text(v.Text))
	}
	for _, e := range run.Events {
		if e.Kind == bundle.ErrorSeen {
			fmt.Fprintf(c.out, "! %s: %s\n", plain.Text(e.Title), plain.Text(e.Text))
		}
	}
	fmt.Fprintln(c.out, report.WatchConclusion(&run.Meta))
}

// unwrapped is the file behind a writer, which a command can write to itself, if it is one.
func unwrapped(w io.Writer) io.Writer {
	if f, ok := file(w); ok {
		return f
	}
	return w
}
