package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/regular"
	"assay/internal/si"
)

// ownFlags are the flags of the commands that run the user's kernels.
type ownFlags struct {
	app.OwnOptions
	sizes   []string
	seconds float64
	json    bool
	keep    bool
}

func (c *command) ownFlags(cmd *cobra.Command, f *ownFlags) {
	cmd.Flags().StringVar(&f.Engine, "engine", "auto", "engine to run on: auto, metal, cuda or cpu, which checks everywhere")
	cmd.Flags().StringArrayVar(&f.sizes, "size", nil, "NAME=VALUE instead of that in the description (repeatable)")
	cmd.Flags().BoolVar(&f.Unchecked, "unchecked", false, "skip checked mode and race mode")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the report as JSON")
}

// maxOwnSeconds is the longest measurement that can be requested.
const maxOwnSeconds = 3600

func (f *ownFlags) parse() error {
	if !(f.seconds >= 0 && f.seconds <= maxOwnSeconds) {
		return usagef("--seconds %g: want 0 to %d", f.seconds, maxOwnSeconds)
	}
	f.Budget = time.Duration(f.seconds * float64(time.Second))
	for _, text := range f.sizes {
		name, value, ok := strings.Cut(text, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(v >= 0 && v <= math.MaxInt32) {
			return usagef("--size %s: want NAME=VALUE, a number from 0 to %d", text, math.MaxInt32)
		}
		if f.Sizes == nil {
			f.Sizes = map[string]float64{}
		}
		f.Sizes[name] = v
	}
	return nil
}

// ownKernels limits how many descriptions a command takes.
func ownKernels(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s: want %s (NAME.kernel.toml, or a folder that has one)", strings.TrimPrefix(cmd.CommandPath(), "assay "),
				si.Counted(n, "kernel description"))
		}
		return nil
	}
}

func (c *command) kernelRun() *cobra.Command {
	var f ownFlags
	cmd := &cobra.Command{
		Use: "run KERNEL", Short: "Run a kernel of your own: checked, raced and verified",
		Long: "Runs the kernel that a description (NAME.kernel.toml) names, in checked and race mode on this processor and then once on\n" +
			"the engine, and compares its outputs with the description's reference. It runs in a separate process, with limits on\n" +
			"time and memory.",
		Args: ownKernels(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.ownRun(cmd.Context(), &f, args, func(ctx context.Context, p *app.Playground, k []app.OwnKernel) (*app.OwnReport, error) {
				return p.Run(ctx, k[0], f.OwnOptions, func(*app.OwnReport) {})
			})
		},
	}
	c.ownFlags(cmd, &f)
	return cmd
}

func (c *command) kernelTime() *cobra.Command {
	var f ownFlags
	cmd := &cobra.Command{
		Use: "time KERNEL", Short: "Time a kernel of your own, after checking and verifying it",
		Args: ownKernels(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.ownRun(cmd.Context(), &f, args, func(ctx context.Context, p *app.Playground, k []app.OwnKernel) (*app.OwnReport, error) {
				return p.Time(ctx, k[0], f.OwnOptions, func(*app.OwnReport) {})
			})
		},
	}
	c.ownFlags(cmd, &f)
	c.timeFlags(cmd, &f)
	cmd.Flags().StringVar(&f.Sweep, "sweep", "", "size whose sweep values to measure")
	return cmd
}

func (c *command) timeFlags(cmd *cobra.Command, f *ownFlags) {
	cmd.Flags().Float64Var(&f.seconds, "seconds", 1, "seconds per measurement")
	cmd.Flags().BoolVar(&f.keep, "save", false, "add the report to the folder results beside the description")
}

func (c *command) kernelCompare() *cobra.Command {
	var f ownFlags
	cmd := &cobra.Command{
		Use: "compare BASE VARIANT", Short: "Time two kernels of your own alternately, and show which is faster",
		Args: ownKernels(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.compareKernels(cmd.Context(), &f, args)
		},
	}
	c.ownFlags(cmd, &f)
	c.timeFlags(cmd, &f)
	return cmd
}

// compareKernels times the second of two kernels against the first.
func (c *command) compareKernels(ctx context.Context, f *ownFlags, paths []string) error {
	return c.ownRun(ctx, f, paths, func(ctx context.Context, p *app.Playground, k []app.OwnKernel) (*app.OwnReport, error) {
		return p.Compare(ctx, k[0], k[1], f.OwnOptions, func(*app.OwnReport) {})
	})
}

// ownRun opens the kernels, runs an operation on them, and prints the report.
func (c *command) ownRun(ctx context.Context, f *ownFlags, paths []string,
	do func(context.Context, *app.Playground, []app.OwnKernel) (*app.OwnReport, error),
) error {
	if err := f.parse(); err != nil {
		return err
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	p := s.Playground()
	var kernels []app.OwnKernel
	for _, path := range paths {
		k, _, err := p.Open(path)
		if err != nil {
			return err
		}
		kernels = append(kernels, k)
	}
	r, err := do(ctx, p, kernels)
	if err != nil {
		return err
	}
	if f.json {
		err = writeJSON(c.out, r)
	} else {
		c.printOwn(r)
	}
	if f.keep && len(r.Points) > 0 {
		err = errors.Join(err, p.Keep(kernels[0], r))
	}
	if err == nil && !r.OK() {
		return errFailed
	}
	return err
}

// showOwn prints one of the user's kernels: its arguments' contents and its source, or why it does not compile.
func (c *command) showOwn(ctx context.Context, path string, asJSON bool) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	k, d, err := s.Playground().Open(path)
	if err != nil {
		return err
	}
	r, err := s.Playground().Check(ctx, k)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(c.out, r)
	} else {
		c.printOwn(r)
		out := c.quoting().out
		if d.About != "" {
			fmt.Fprintf(out, "\n%s\n", plain.Lines(d.About))
		}
		fmt.Fprintf(out, "\n// %s\n%s", plain.Text(d.SourcePath()), plain.Lines(strings.ReplaceAll(k.Source, "\r\n", "\n")))
	}
	if err == nil && !r.OK() {
		return errFailed
	}
	return err
}

// printOwn prints a report for people.
func (c *command) printOwn(r *app.OwnReport) {
	c = c.quoting()
	fmt.Fprintf(c.out, "%s%s\n", bold(c.out, plain.Text(r.Name)), plain.Text(ownEntry(r)))
	section(c.out, "arguments", r.Arguments, func(a app.OwnBound) []string {
		return plainCells(a.Binding, a.Name, a.Type, a.Access, a.Holds)
	})
	section(c.out, "steps", r.Stages, func(s app.OwnStage) []string {
		about := si.Time(s.Seconds)
		if s.Why != "" {
			about = s.Why
		}
		return plainCells(string(s.Name), string(s.State), about)
	})
	section(c.out, "outputs", r.Outputs, outputRow)
	c.printPoints(r)
	for _, p := range r.Problems {
		c.printOwnProblem(&p)
	}
}

// ownEntry returns the entry point and its location, as far as known.
func ownEntry(r *app.OwnReport) string {
	var text string
	if r.Entry != "" {
		text = ": " + r.Entry
	}
	switch {
	case r.Line > 0:
		text += fmt.Sprintf(" (%s:%d)", r.Source, r.Line)
	case r.Source != "":
		text += fmt.Sprintf(" (%s)", r.Source)
	}
	return text
}

// plainCells returns texts from a kernel's folder in a form safe for a terminal.
func plainCells(cells ...string) []string {
	for i := range cells {
		cells[i] = plain.Text(cells[i])
	}
	return cells
}

func outputRow(o app.OwnOutcome) []string {
	if o.Compared == 0 {
		return plainCells(o.Name, app.OwnNotVerified, o.Why)
	}
	verdict := "correct"
	if o.Wrong > 0 {
		verdict = fmt.Sprintf("%d wrong", o.Wrong)
	}
	return plainCells(o.Name, verdict,
		fmt.Sprintf("%s of %s compared, largest error %s", si.Count(o.Compared), si.Counted(o.Elements, "element"), si.Digits(o.Largest)))
}

func (c *command) printPoints(r *app.OwnReport) {
	if len(r.Points) == 0 {
		return
	}
	notes := []string{"on " + r.Engine}
	if r.Device != "" {
		notes = []string{"on " + r.Device}
	}
	if r.OnCPU {
		notes = []string{app.OwnOnCPU}
	}
	section(c.out, "times, "+strings.Join(notes, ", "), r.Points, func(p app.OwnPoint) []string {
		cells := []string{plain.Text(p.Sizes.String()), si.Range(p.Time.Median, p.Time.Lo, p.Time.Hi, "s"), "", "", ""}
		if !p.Time.Bounded {
			cells[1] = si.Time(p.Time.Median) + ", no interval"
		}
		if p.Rate > 0 {
			cells[2] = si.Format(p.Rate, "op/s")
		}
		if p.Bytes > 0 {
			cells[3] = si.Format(p.Bytes, "B/s")
		}
		if !p.Verified {
			cells[4] = app.OwnNotVerified
		}
		return cells
	})
	if x := r.Compared; x != nil {
		ratio := si.Digits(x.Ratio.Median)
		if x.Ratio.Bounded {
			ratio = si.Range(x.Ratio.Median, x.Ratio.Lo, x.Ratio.Hi, "")
		}
		base, variant := plain.Text(x.Base), plain.Text(x.Variant)
		if base == variant {
			base, variant = "A (the first)", "B (the second)"
		}
		fmt.Fprintf(c.out, "\n  %s: %s is %s times as fast as %s\n", bold(c.out, strings.ToUpper(string(x.Verdict))), variant, ratio, base)
	}
}

// maxQuoted is the largest file that a line is quoted from.
const maxQuoted = 16 << 20

// printOwnProblem prints a problem with its line of source.
func (c *command) printOwnProblem(p *app.OwnProblem) {
	c = c.quoting()
	fmt.Fprintf(c.errOut, "%s (%s)\n", plain.Text(p.Error()), p.Kind)
	text, err := regular.Read(p.File, "a source", maxQuoted)
	if err != nil || p.Line == 0 {
		return
	}
	sources := quoted{lines: map[string][]string{filepath.Clean(p.File): strings.Split(string(text), "\n")}}
	if line, ok := sources.line(p.File, p.Line); ok {
		fmt.Fprintf(c.errOut, "    %s\n", line)
		if p.Column > 0 {
			fmt.Fprintf(c.errOut, "    %s^\n", indentTo(line, p.Column))
		}
	}
}

func (c *command) kernelNew() *cobra.Command {
	var template string
	cmd := &cobra.Command{
		Use: "new FOLDER", Short: "Write a kernel to start from into a folder: source and description",
		Long: "Writes an example kernel into a folder, as NAME.metal and NAME.kernel.toml: a template to start from (elementwise, reduction,\n" +
			"tiled, simdgroup), or a broken one, to see what Assay finds (race, divergence, bounds, wrong, endless).",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("kernel new: want one folder")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := c.session()
			if err != nil {
				return err
			}
			defer s.Close()
			e, err := s.Playground().Example(template)
			if err != nil {
				return usagef("--template: %w", err)
			}
			k, err := s.Playground().New(e, args[0], "")
			if err != nil {
				return err
			}
			path := plain.Text(k.Path)
			fmt.Fprintf(c.out, "%s: %s\nRun it: assay kernel run %s\n", path, e.About, path)
			return nil
		},
	}
	cmd.Flags().StringVar(&template, "template", "elementwise", "example to write: a template or a broken kernel")
	return cmd
}

// kernelServe is the child's side, not meant for people.
func (c *command) kernelServe() *cobra.Command {
	return &cobra.Command{
		Use: app.OwnServeCommand, Short: "Do the job on standard input", Hidden: true, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.ServeOwn(cmd.Context(), c.config) },
	}
}
