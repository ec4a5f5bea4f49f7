package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"assay/app/bundle"
	"assay/app/report"
)

// standardOutput is the file name that stands for standard output.
const standardOutput = "-"

// outputFile is a file that a run is exported to; not written if the path is empty.
type outputFile struct {
	format report.Format
	path   string
}

// outputFiles are the files of a command line, one for each format.
type outputFiles []*outputFile

// add adds a flag for each format, or for the named ones only.
func (o *outputFiles) add(flags *pflag.FlagSet, only ...string) {
	for _, format := range report.Formats() {
		if len(only) > 0 && !slices.Contains(only, format.Name) {
			continue
		}
		f := &outputFile{format: format}
		flags.StringVar(&f.path, format.Name, "", "write "+format.Content+" to this file (- for standard output)")
		*o = append(*o, f)
	}
}

// requested are the files with a path.
func (o outputFiles) requested() outputFiles {
	return slices.DeleteFunc(slices.Clone(o), func(f *outputFile) bool { return f.path == "" })
}

// toStandardOutput reports whether one of the files is standard output: text for people then goes to standard error.
func (o outputFiles) toStandardOutput() bool {
	return slices.ContainsFunc(o, func(f *outputFile) bool { return f.path == standardOutput })
}

// check rejects, before anything is measured, files that could not be written afterward.
func (o outputFiles) check() error {
	seen := map[string]string{}
	for _, f := range o.requested() {
		if other, ok := seen[f.path]; ok {
			return usagef("--%s and --%s name the same file, %s", other, f.format.Name, f.path)
		}
		seen[f.path] = f.format.Name
		if err := f.check(); err != nil {
			return err
		}
	}
	return nil
}

func (f *outputFile) check() error {
	if f.path == standardOutput {
		return nil
	}
	folder := filepath.Dir(f.path)
	info, err := os.Stat(folder)
	if err != nil {
		return usagef("--%s %s: %w", f.format.Name, f.path, err)
	}
	if !info.IsDir() {
		return usagef("--%s %s: %s is not a folder", f.format.Name, f.path, folder)
	}
	if info, err := os.Stat(f.path); err == nil && info.IsDir() {
		return usagef("--%s %s: it is a folder, want a file name", f.format.Name, f.path)
	}
	if err := bundle.CheckWritable(f.path); err != nil {
		return usagef("--%s: %w", f.format.Name, err)
	}
	return nil
}

// writeAll exports a run to the files other than standard output, and returns those written.
func (c *command) writeAll(ctx context.Context, run *bundle.Run, files outputFiles) (wrote outputFiles, err error) {
	for _, f := range files.requested() {
		if f.path == standardOutput {
			continue
		}
		if werr := f.format.File(ctx, run, c.config.Workloads, f.path); werr != nil {
			err = errors.Join(err, werr)
			continue
		}
		wrote = append(wrote, f)
	}
	return wrote, err
}

// writeOut exports a run to standard output, if one of the files is that.
func (c *command) writeOut(ctx context.Context, run *bundle.Run, files outputFiles) error {
	for _, f := range files.requested() {
		if f.path == standardOutput {
			return f.format.Write(ctx, c.out, run, c.config.Workloads)
		}
	}
	return nil
}

// toErrOut returns the command with text for people on standard error.
func (c *command) toErrOut() *command {
	people := *c
	people.out = c.errOut
	return &people
}

// present writes the run's files and prints the run, in this order: a closed standard output, such as a pipe to head, ends
// the process at the first line. failure is the error that will be printed.
func (c *command) present(run *bundle.Run, f runFlags, failure error) error {
	if len(run.Results) == 0 && run.Meta.State == bundle.Failed {
		return nil // the error says everything
	}
	people := c
	if f.files.toStandardOutput() {
		people = c.toErrOut()
	}
	lines, err := c.writeFiles(run, f.files)
	people.printResults(run, failure)
	fmt.Fprintln(people.out)
	for _, line := range lines {
		fmt.Fprintln(people.out, line)
	}
	return errors.Join(err, c.writeOut(context.Background(), run, f.files))
}

// writeFiles writes the report and the requested files, even for a run that was interrupted, and returns a line for each.
func (c *command) writeFiles(run *bundle.Run, files outputFiles) (lines []string, err error) {
	html, page := report.HTML(), filepath.Join(run.Dir, "report.html")
	if err = html.File(context.Background(), run, c.config.Workloads, page); err == nil && (len(run.Results) > 0 || run.Meta.State != bundle.Stopped) {
		lines = append(lines, "CSV:    "+filepath.Join(run.Dir, "results.csv"), "Report: "+page)
	}
	wrote, werr := c.writeAll(context.Background(), run, files)
	for _, o := range wrote {
		lines = append(lines, fmt.Sprintf("%-7s %s", o.format.Title+":", o.path))
	}
	return lines, errors.Join(err, werr)
}
