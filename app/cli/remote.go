package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/app"
	"assay/app/bundle"
	"assay/app/remote"
	"assay/internal/plain"
)

// remoteFlags say where a run is to run.
type remoteFlags struct {
	host remote.Host
	wait time.Duration
}

func (f *remoteFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.host.Name, "on", "", "run on this `HOST` through ssh, where Assay is installed, and copy the bundle here while it grows")
	f.addProgram(flags)
}

func (f *remoteFlags) addProgram(flags *pflag.FlagSet) {
	flags.StringVar(&f.host.Program, "remote-program", "assay", "path of Assay on the host, if it is not in the PATH there")
	flags.DurationVar(&f.wait, "reconnect", 10*time.Minute, "how long to try again after the connection is lost; the run continues there")
}

func (c *command) remote() *cobra.Command {
	var f remoteFlags
	cmd := &cobra.Command{
		Use: "remote", Short: "List, fetch, stop and remove runs on other machines",
		Long: "A run that \"assay run --on HOST\" starts continues there whether or not the connection holds. These commands find it again.\n" +
			"Assay connects with ssh, as you do: HOST is what ssh takes, with the keys and the settings of ~/.ssh/config.\n\n" +
			"Exit status: 0 done, 1 failed, 2 invalid usage; of fetch, that of the run.",
		Example: "  assay run --quick --on studio\n  assay remote list studio\n  assay remote fetch studio",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f.addProgram(cmd.PersistentFlags())
	cmd.AddCommand(c.remoteList(&f), c.remoteFetch(&f), c.remoteAct(&f, "stop", "Interrupt a run on another machine; its results so far are kept",
		remote.Jobs.Stop, remote.Host.Stop), c.remoteAct(&f, "remove", "Remove a run that has ended from the other machine, with its bundle there",
		remote.Jobs.Remove, remote.Host.Remove), c.remoteStart(), c.remoteSend(), c.remoteSupervise())
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
	return cmd
}

// jobsHere are the jobs that other machines have started here.
func jobsHere() remote.Jobs { return remote.Jobs{Dir: filepath.Join(app.UserPaths().Data, "remote")} }

func (c *command) remoteList(f *remoteFlags) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list [HOST]", Short: "List the runs that were started on a host; without one, those that other machines started here", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := listJobs(cmd.Context(), f, args)
			switch {
			case err != nil:
				return err
			case asJSON:
				if jobs == nil {
					jobs = []remote.Job{}
				}
				return writeJSON(c.out, jobs)
			}
			return c.printJobs(jobs)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listJobs(ctx context.Context, f *remoteFlags, args []string) ([]remote.Job, error) {
	if len(args) == 0 {
		return jobsHere().List()
	}
	f.host.Name = args[0]
	return f.host.List(ctx)
}

func (c *command) printJobs(jobs []remote.Job) error {
	if len(jobs) == 0 {
		_, err := fmt.Fprintln(c.out, "No runs of other machines.")
		return err
	}
	g := &grid{header: []string{"Job", "Started", "State", "Arguments"}, flex: 3, lines: 4}
	for i := range jobs {
		j := &jobs[i]
		g.rows = append(g.rows, []string{plain.Text(j.ID), j.Started.Local().Format("2006-01-02 15:04"), stateOf(j), plain.Text(strings.Join(j.Args, " "))})
	}
	g.render(c.out)
	return nil
}

func stateOf(j *remote.Job) string {
	if j.End != nil && j.End.Code != 0 {
		return fmt.Sprintf("ended with status %d", j.End.Code)
	}
	return plain.Text(j.State)
}

// remoteAct is a command on a job, there or here.
func (c *command) remoteAct(f *remoteFlags, name, short string, here func(remote.Jobs, string) error, there func(remote.Host, context.Context, string) error) *cobra.Command {
	return &cobra.Command{
		Use: name + " [HOST] JOB", Short: short, Args: between(1, 2, name+" takes a job, or a host and a job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return here(jobsHere(), args[0])
			}
			f.host.Name = args[0]
			return there(f.host, cmd.Context(), args[1])
		},
	}
}

func (c *command) remoteFetch(f *remoteFlags) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "fetch HOST [JOB]", Short: "Copy a run's bundle from a host, and follow it while it runs; without JOB, the newest", Args: between(1, 2, "fetch takes a host, or a host and a job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.host.Name = args[0]
			id, err := chosenJob(cmd.Context(), f.host, args[1:])
			if err != nil {
				return err
			}
			return c.follow(cmd.Context(), f, id, runFlags{out: out})
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	return cmd
}

func chosenJob(ctx context.Context, h remote.Host, args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	jobs, err := h.List(ctx)
	if err == nil && len(jobs) == 0 {
		err = fmt.Errorf("%s has no runs of other machines", h.Name)
	}
	if err != nil {
		return "", err
	}
	return jobs[0].ID, nil
}

// Commands that one Assay gives to another.

func (c *command) remoteStart() *cobra.Command {
	return &cobra.Command{
		Use: "start", Hidden: true, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			job, err := jobsHere().Start(self, args, time.Now())
			if err != nil {
				return err
			}
			return json.NewEncoder(c.out).Encode(job)
		},
	}
}

func (c *command) remoteSend() *cobra.Command {
	return &cobra.Command{
		Use: "send", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			have := map[string]int64{}
			if err := json.Unmarshal([]byte(args[1]), &have); err != nil {
				return usagef("what the other machine has is %.100q, want a JSON object", args[1])
			}
			return jobsHere().Send(cmd.Context(), c.out, args[0], have)
		},
	}
}

func (c *command) remoteSupervise() *cobra.Command {
	return &cobra.Command{
		Use: "supervise", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return remote.Supervise(cmd.Context(), self, args[0])
		},
	}
}

// notThere are flags of run that take effect here; hereOnly are those that have no meaning on another machine.
var (
	notThere = []string{"on", "remote-program", "reconnect", "out"}
	hereOnly = []string{"again", "extend", "capture", "baseline"}
)

// runThere runs the command line on another machine.
func (c *command) runThere(cmd *cobra.Command, names []string, f *runFlags) error {
	if err := f.remote.host.Check(); err != nil {
		return usageError{err}
	}
	args, err := argsThere(cmd.Flags(), names, f)
	if err != nil {
		return err
	}
	if err := f.files.check(); err != nil {
		return err
	}
	ctx := cmd.Context()
	job, err := f.remote.host.Start(ctx, args)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.errOut, "Running on %s as job %s.\n", f.remote.host.Name, job.ID)
	err = c.follow(ctx, &f.remote, job.ID, *f)
	if status := exitStatus(0); errors.As(err, &status) && status == exitUsage { // it did not begin, so there is nothing to fetch
		err = errors.Join(err, f.remote.host.Remove(ctx, job.ID))
	}
	return err
}

// argsThere returns the arguments of assay run on the other machine.
func argsThere(flags *pflag.FlagSet, names []string, f *runFlags) ([]string, error) {
	skip := map[string]bool{}
	for _, name := range notThere {
		skip[name] = true
	}
	for _, file := range f.files {
		skip[file.format.Name] = true
	}
	args := append([]string{}, names...)
	var err error
	flags.Visit(func(flag *pflag.Flag) {
		for _, name := range hereOnly {
			if flag.Name == name {
				err = usagef("--%s is about this machine: leave it out with --on", name)
			}
		}
		switch v := flag.Value.(type) {
		case pflag.SliceValue:
			for _, one := range v.GetSlice() {
				args = append(args, "--"+flag.Name+"="+one)
			}
		default:
			if !skip[flag.Name] {
				args = append(args, "--"+flag.Name+"="+flag.Value.String())
			}
		}
	})
	return args, err
}

// follow shows a job on another machine until it has ended, then its results.
func (c *command) follow(ctx context.Context, r *remoteFlags, id string, f runFlags) error {
	dir := f.out
	if dir == "" {
		dir = app.DefaultRunsDir()
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	c.sayWhere(f.out)
	stopped := context.AfterFunc(ctx, func() { c.stopThere(r.host, id) })
	defer stopped()
	// After an interrupt the results so far still arrive.
	following, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(stopWait, cancel) })()
	outcome, err := r.host.Follow(following, id, remote.Following{
		Runs: dir, Tries: r.wait, Says: plainLines{c.errOut},
		Lost: func(err error) {
			if ctx.Err() == nil { // an interrupt in the terminal ends ssh, too
				fmt.Fprintf(c.errOut, "%s. The run continues there; trying again.\n", plain.Text(err.Error()))
			}
		},
	})
	if err != nil {
		return fmt.Errorf("%w. The run continues there: assay remote fetch %s %s", err, r.host.Name, id)
	}
	return c.fetched(r.host, id, outcome, f)
}

// stopWait is how long an interrupted run on another machine has to end and send its last results.
const stopWait = time.Minute

func (c *command) stopThere(h remote.Host, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), stopWait)
	defer cancel()
	if err := h.Stop(ctx, id); err != nil {
		fmt.Fprintf(c.errOut, "cannot stop the run on %s: %s\n", h.Name, plain.Text(err.Error()))
	}
}

// fetched shows the outcome of a job.
func (c *command) fetched(h remote.Host, id string, o remote.Outcome, f runFlags) error {
	if o.End.Why != "" {
		fmt.Fprintf(c.errOut, "assay: job %s on %s: %s\n", id, h.Name, plain.Text(o.End.Why))
	}
	var all error
	for _, dir := range o.Dirs {
		run, err := bundle.Load(dir)
		if err == nil {
			err = c.present(run, f, nil)
		}
		if !errors.Is(err, errFailed) {
			all = errors.Join(all, err)
		}
	}
	if all == nil && o.End.Code != 0 {
		return exitStatus(o.End.Code)
	}
	return all
}

// plainLines writes another machine's words without control characters.
type plainLines struct{ w io.Writer }

// Write is part of io.Writer.
func (p plainLines) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		body := strings.TrimSuffix(line, "\n")
		if _, err := fmt.Fprint(p.w, plain.Text(body), line[len(body):]); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}
