package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
)

// kernelTest tests every kernel description of some folders.
type kernelTest struct {
	*command
	ownFlags
	jobs         int
	sarif, junit string
	annotations  bool
}

func (c *command) kernelTest() *cobra.Command {
	k := kernelTest{command: c}
	cmd := &cobra.Command{
		Use: "test FOLDER…", Short: "Test every kernel description in folders: compiled, checked, raced and verified",
		Long: "Tests every kernel description (NAME.kernel.toml, kernel.toml) in folders and below them, several side by side: each is compiled,\n" +
			"run in checked and race mode, run on the engine and compared with its reference. Exit code: 0 if all are right, 1 if one is not,\n" +
			"2 for invalid usage. On GitHub’s runners problems are annotations, shown at their lines.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("kernel test: want one or more folders or descriptions")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return k.run(cmd.Context(), args) },
	}
	c.ownFlags(cmd, &k.ownFlags)
	cmd.Flags().Lookup("engine").DefValue, k.Engine = "cpu", "cpu"
	cmd.Flags().IntVar(&k.jobs, "jobs", 0, "kernels to test side by side; 0: one for each processor")
	cmd.Flags().StringVar(&k.sarif, "sarif", "", "file to write problems to, as SARIF")
	cmd.Flags().StringVar(&k.junit, "junit", "", "file to write results to, as JUnit XML")
	cmd.Flags().BoolVar(&k.annotations, "annotations", onGitHub(), "print problems as GitHub reads them")
	return cmd
}

func (k *kernelTest) run(ctx context.Context, folders []string) error {
	if err := k.parse(); err != nil {
		return err
	}
	s, err := k.session()
	if err != nil {
		return err
	}
	defer s.Close()
	p := s.Playground()
	var paths []string
	for _, folder := range folders {
		found, err := p.Find(folder)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return usagef("%s has no kernel descriptions (NAME.kernel.toml)", folder)
		}
		paths = append(paths, found...)
	}
	all, err := p.Test(ctx, paths, k.OwnOptions, k.jobs, k.tell)
	if err != nil {
		return err
	}
	return k.finish(all)
}

// tell prints a kernel's line and its problems.
func (k *kernelTest) tell(r *app.OwnReport) {
	if k.json {
		return
	}
	verdict, note := "ok  ", ""
	switch {
	case !r.OK():
		verdict = "FAIL"
	case !r.Verified():
		note = "  (" + app.OwnNotVerified + ")"
	}
	fmt.Fprintf(k.quoting().out, "%s  %s  %s%s\n", verdict, plain.Text(r.Path), si.Time(r.Seconds), note)
	for i := range r.Problems {
		if k.annotations {
			fmt.Fprintln(k.out, plain.Text(r.Problems[i].Annotation()))
		} else {
			k.printOwnProblem(&r.Problems[i])
		}
	}
}

func (k *kernelTest) finish(all []*app.OwnReport) error {
	err := errors.Join(
		writeTo(k.sarif, func(w io.Writer) error { return app.OwnSARIF(w, k.config.Version, all) }),
		writeTo(k.junit, func(w io.Writer) error { return app.OwnJUnit(w, all) }))
	if k.json {
		err = errors.Join(err, writeJSON(k.out, all))
	}
	wrong, unverified := 0, 0
	for _, r := range all {
		switch {
		case !r.OK():
			wrong++
		case !r.Verified():
			unverified++
		}
	}
	if !k.json {
		parts := []string{si.Counted(len(all), "kernel"), fmt.Sprintf("%d wrong", wrong)}
		if unverified > 0 {
			parts = append(parts, fmt.Sprintf("%d without a reference", unverified))
		}
		fmt.Fprintln(k.out, strings.Join(parts, ", "))
	}
	if err == nil && wrong > 0 {
		return errFailed
	}
	return err
}

// writeTo writes a file, if it is named.
func writeTo(name string, write func(io.Writer) error) (err error) {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}
