// Package cli is the command line: the same jobs as in the window, with or without a terminal.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/meant"
	"assay/internal/si"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1   // a result failed verification, a leak was found, or something broke
	exitUsage       = 2   // invalid command line
	exitNoVerdict   = 3   // watch: no leak, but something failed, or too little was seen; advise: not certain
	exitInterrupted = 130 // stopped by a signal; earlier results are kept
)

// usageError is an error in the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// noArgs refuses arguments, which may be misspelled subcommands.
func noArgs(cmd *cobra.Command, args []string) error {
	name := strings.TrimPrefix(cmd.CommandPath(), "assay ")
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return usagef("%s has no command %q%s", name, args[0], meant.Hint(args[0], commandNames(cmd)))
	}
	return usagef("%s takes no arguments: leave out %s", name, args[0])
}

// between accepts lo to hi arguments; text says what they are.
func between(lo, hi int, text string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < lo || len(args) > hi {
			return fmt.Errorf("%s, not %s", text, si.Counted(len(args), "argument"))
		}
		return nil
	}
}

// exactlyOne accepts exactly one argument; what names it.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s: want one %s", strings.TrimPrefix(cmd.CommandPath(), "assay "), what)
		}
		return nil
	}
}

// exitStatus is a custom exit status; its meaning has already been printed. It is an error only to be passed along.
type exitStatus int

// Error is part of error.
func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errFailed exits with exitFailed; the error has already been printed.
var errFailed = errors.New("failed")

// command is one invocation.
type command struct {
	config      app.Config
	out, errOut io.Writer
	prometheus  string // address for scrapes; empty: none
}

// Main runs the command line and returns the exit code. ctx ends with the first interrupt.
func Main(ctx context.Context, c app.Config, args []string, out, errOut io.Writer) int {
	watched := &output{w: out}
	cmd := &command{config: c, out: watched, errOut: errOut}
	root := cmd.root()
	root.SetArgs(args)
	root.SetOut(watched)
	root.SetErr(errOut)
	ran, err := root.ExecuteContextC(ctx)
	if err == nil && watched.err != nil {
		err = fmt.Errorf("write the output: %w", watched.err)
	}
	return cmd.exit(ctx, err, ran.CommandPath())
}

// output remembers the first failed write, so that a full disk behind a redirection is not reported as success.
type output struct {
	w   io.Writer
	err error
}

// Write is part of io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// exit prints the error of a command, and returns the exit code.
func (c *command) exit(ctx context.Context, err error, path string) int {
	var usage usageError
	var status exitStatus
	switch {
	case errors.As(err, &status):
		return int(status)
	case ctx.Err() != nil:
		fmt.Fprintln(c.errOut, "interrupted")
		return exitInterrupted
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(c.errOut, "assay: %v\nRun \"%s --help\" for usage.\n", err, path)
		return exitUsage
	case !errors.Is(err, errFailed):
		fmt.Fprintln(c.errOut, "assay:", err)
	}
	return exitFailed
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Measure compute workloads and monitor the machine",
		Long: "Assay measures compute workloads, such as batching, fusion and quantization, on a GPU or CPU engine. It verifies every\n" +
			"result, reports times with intervals, and monitors buffer pool, memory, heat and power.\n\n" +
			"Without a command, it opens the window; where there is none, it runs the quick suite.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       c.config.Version + " " + buildInfo(debug.ReadBuildInfo()),
		Args: func(root *cobra.Command, args []string) error {
			if len(args) > 0 {
				return notCommand(root, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(c.graph(), c.alerts())
	root.SetVersionTemplate("assay {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{flagError(cmd, err)} })
	root.AddCommand(c.list(), c.run(), c.watch(), c.leaks(), c.monitor(), c.report(), c.compare(), c.ab(), c.crossover(), c.try(), c.runs(), c.remote(), c.drill(), c.doctor(), c.kernel(), c.tune(), c.weights(), c.version())
	root.AddCommand(c.baseline(), c.imports(), c.advise())
	root.AddCommand(c.selfcheck(), c.serveRival())
	for _, sub := range root.Commands() {
		checkArgs(sub)
	}
	return root
}

// notCommand returns the error for an argument that is not a command, or for a file that is not a document.
func notCommand(root *cobra.Command, name string) error {
	if _, err := os.Stat(name); err == nil {
		return usagef("%s is not a document Assay can open: want weights (.%s) or a run (%s)", name, strings.Join(app.WeightsTypes(), ", ."), bundle.Extension)
	}
	if strings.ContainsAny(name, "./"+string(filepath.Separator)) {
		return usagef("no file %s", name)
	}
	return usagef("no command %q%s", name, meant.Hint(name, commandNames(root)))
}

func commandNames(of *cobra.Command) []string {
	var names []string
	for _, sub := range of.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

// notFlag returns the error for a flag that a command does not have.
func notFlag(cmd *cobra.Command, name string) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	dashed := "-" + name
	if len(name) > 1 {
		dashed = "--" + name
	}
	return fmt.Errorf("%s has no flag %s%s", cmd.CommandPath(), dashed, meant.Hint(dashed, names))
}

// flagError says what a flag accepts instead of how parsing failed.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		return notFlag(cmd, missing.GetSpecifiedName())
	}
	var empty *pflag.ValueRequiredError
	if errors.As(err, &empty) {
		return fmt.Errorf("--%s needs a value", empty.GetFlag().Name)
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	want := map[string]string{
		"uint64": "a whole number, 0 or more", "int": "a whole number", "duration": "a time such as 5s or 500ms",
		"bool": "true or false",
	}[invalid.GetFlag().Value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s must be %s (you entered %q)", invalid.GetFlag().Name, want, invalid.GetValue())
}

// checkArgs turns a subcommand's argument errors into usage errors.
func checkArgs(sub *cobra.Command) {
	check := sub.Args
	if check == nil {
		check = noArgs
	}
	sub.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{err}
		}
		return nil
	}
}

// session starts a session for one command; the caller closes it.
func (c *command) session() (*app.Session, error) {
	s, err := app.New(c.config)
	if err != nil || c.prometheus == "" {
		return s, err
	}
	at, err := s.Exporter().Serve(c.prometheus)
	if err != nil {
		return nil, errors.Join(usagef("--prometheus: %v", err), s.Close())
	}
	fmt.Fprintf(c.errOut, "Prometheus can scrape http://%s/metrics\n", at)
	return s, nil
}

// prometheusFlag adds the flag that makes a command's session serve its readings to Prometheus.
func (c *command) prometheusFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.prometheus, "prometheus", "",
		"let Prometheus scrape readings and progress at `ADDRESS`, such as 127.0.0.1:9464; of this machine only (default off)")
}

// deviceFlag adds the flag that picks a device of an engine.
func (c *command) deviceFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.config.Device, "device", "",
		"GPU to use, by name, index or ID, with the engine that has it; \"assay doctor\" lists them where there are several")
}

// engineNames lists the values of --engine.
func (c *command) engineNames() string {
	names := []string{"auto"}
	for _, e := range c.config.Engines {
		names = append(names, e.Name)
	}
	return listing(names)
}
