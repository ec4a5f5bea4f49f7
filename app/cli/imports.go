package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/app/report"
	"assay/internal/imported"
	"assay/internal/plain"
	"assay/internal/si"
)

// importFlags are the flags of `import`.
type importFlags struct {
	list           bool
	remove, beside string
}

func (c *command) imports() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use: "import [FILE…]", Short: "Import results of llama-bench, MLX, google-benchmark or hyperfine as references",
		Long: "Reads JSON of llama-bench (-o json or jsonl), MLX benchmarks, google-benchmark (--benchmark_format=json) and hyperfine\n" +
			"(--export-json), and the averages that mlx_lm.benchmark prints, and keeps the figures beside the runs. Assay cannot\n" +
			"verify these figures, and compares nothing with them on its own.\n\n" +
			"--beside RUN also attaches them to a run: its report, its Markdown table and the window show them apart from what the run\n" +
			"measured. FILE may then also be the name of a file that was imported before, or baseline:NAME, the figures of a baseline.\n" +
			"With --remove, only that run loses the figures.\n\n" +
			"RUN is " + namesOfRuns + ".\n\n" +
			"Exit status: 0 done, 1 failed, 2 invalid usage.",
		Example: "  llama-bench -o json > llama.json; assay import llama.json --beside last\n" +
			"  assay import baseline:release --beside last\n  assay import --list\n  assay import --remove llama.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, files []string) error {
			switch {
			case len(files) == 0 && !f.list && f.remove == "" && f.beside == "":
				return usagef("import wants files, --list or --remove")
			case f.beside != "" && f.list:
				return usagef("--beside and --list: choose one")
			case f.beside != "":
				return c.importBeside(files, f.beside, f.remove)
			}
			return c.importFiles(files, f.list, f.remove)
		},
	}
	cmd.Flags().BoolVar(&f.list, "list", false, "list what was imported")
	cmd.Flags().StringVar(&f.remove, "remove", "", "forget the figures of this `FILE`")
	cmd.Flags().StringVar(&f.beside, "beside", "", "attach the figures to this `RUN`; without a FILE, print those attached")
	return cmd
}

func (c *command) importFiles(files []string, list bool, remove string) error {
	if remove != "" {
		if err := c.library().RemoveReference(remove); err != nil {
			return err
		}
	}
	for _, file := range files {
		if _, err := c.importOne(file); err != nil {
			return err
		}
	}
	if !list && len(files) == 0 {
		return nil
	}
	all, err := c.library().References()
	if err != nil {
		return err
	}
	c.printImported(all, "Nothing is imported.")
	return nil
}

// importOne imports a file and returns the name that its figures got.
func (c *command) importOne(file string) (string, error) {
	f, err := c.library().Import(file)
	if err == nil {
		fmt.Fprintf(c.errOut, "%s: %s imported.\n", plain.Text(f.Name), si.Counted(len(f.Rows), "result"))
	}
	return f.Name, err
}

func (c *command) printImported(all []imported.File, nothing string) {
	for i := range all {
		t := report.ReferenceRows(&all[i], imported.MaxRows)
		fmt.Fprintf(c.out, "\n%s\n", bold(c.out, plain.Text(t.Name)))
		c.printReference(&t)
		fmt.Fprintln(c.out, t.Caution)
	}
	if len(all) == 0 {
		fmt.Fprintln(c.out, nothing)
	}
}

// importBeside places figures beside a run, or removes some, and prints the resulting list.
func (c *command) importBeside(names []string, run, remove string) error {
	l := c.library()
	dir, err := l.Find(run)
	if err != nil {
		return err
	}
	if remove != "" {
		if _, err := l.TakeFromBeside(dir, remove); err != nil {
			return err
		}
	}
	for _, name := range names {
		if name, err = c.importedName(name); err != nil {
			return err
		}
		if _, err := l.PutBeside(dir, name); err != nil {
			return err
		}
	}
	loaded, err := l.Beside(dir)
	if err == nil {
		c.printImported(loaded, "Nothing is beside the run.")
	}
	return err
}

// importedName returns the name of figures: from a file, which is imported, from an earlier import, or from a baseline.
func (c *command) importedName(name string) (string, error) {
	if strings.HasPrefix(name, "baseline:") {
		return name, nil
	}
	if _, err := os.Stat(name); err != nil {
		list, lerr := c.library().References()
		if lerr == nil && slices.ContainsFunc(list, func(f imported.File) bool { return f.Name == name }) {
			return name, nil
		}
		return "", err
	}
	return c.importOne(name)
}
