package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
)

// keptFlags are the flags of `ab` about kept comparisons.
type keptFlags struct {
	list         bool
	show, remove string
	csv          bool
}

func (f *keptFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.list, "list", false, "list the comparisons and crossovers that were kept")
	cmd.Flags().StringVar(&f.show, "show", "", "print the one of this `ID`, of the start of one, or the last, with --json or --csv as well")
	cmd.Flags().StringVar(&f.remove, "delete", "", "move the one of this `ID` to the system's trash")
	cmd.Flags().BoolVar(&f.csv, "csv", false, "with --show: print CSV, with every measurement")
}

// asked reports whether one of the flags is set; they exclude a workload.
func (f *keptFlags) asked() bool { return f.list || f.show != "" || f.remove != "" }

// check refuses conflicting flags.
func (f *keptFlags) check(args []string, asJSON bool) error {
	n := 0
	for _, on := range []bool{f.list, f.show != "", f.remove != ""} {
		if on {
			n++
		}
	}
	switch {
	case n > 1:
		return usagef("--list, --show and --delete: choose one")
	case n == 1 && len(args) > 0:
		return usagef("--list, --show and --delete take no workload")
	case f.csv && f.show == "":
		return usagef("--csv goes with --show")
	case f.csv && asJSON:
		return usagef("--json and --csv: choose one")
	}
	return nil
}

// keptAB lists, prints or removes comparisons that were kept.
func (c *command) keptAB(f *keptFlags, asJSON bool) error {
	switch {
	case f.remove != "":
		r, err := c.library().Comparison(f.remove)
		if err != nil {
			return err
		}
		return c.library().RemoveComparison(r.ID)
	case f.list:
		return c.listAB(asJSON)
	}
	r, err := c.library().Comparison(f.show)
	switch {
	case err != nil:
		return err
	case asJSON:
		return r.WriteJSON(c.out)
	case f.csv:
		return r.WriteCSV(c.out)
	}
	c.printRecord(r)
	return nil
}

func (c *command) listAB(asJSON bool) error {
	list, err := c.library().Comparisons()
	if asJSON {
		return errors.Join(writeJSON(c.out, append([]*app.ABRecord{}, list...)), err)
	}
	g := &grid{header: []string{"ID", "A", "B", "What it shows"}, flex: 3}
	for _, r := range list {
		g.rows = append(g.rows, []string{plain.Text(r.ID), plain.Text(settingsOf(&r.A)), plain.Text(settingsOf(&r.B)), plain.Text(r.Shows())})
	}
	if len(list) == 0 {
		fmt.Fprintln(c.out, "No comparison was kept.")
		return err
	}
	g.render(c.out)
	return err
}

func settingsOf(s *app.SideRecord) string {
	if len(s.Settings) == 0 {
		return "–"
	}
	text := s.Settings[0]
	if n := len(s.Settings) - 1; n > 0 {
		text += fmt.Sprintf(" and %s", si.Counted(n, "more"))
	}
	return text
}

// printRecord prints a comparison or a bisection.
func (c *command) printRecord(r *app.ABRecord) {
	if ab := r.Comparison(); ab != nil {
		c.printAB(ab, r)
	} else {
		c.printCrossover(r.Crossover())
	}
	if r.Ended != "" {
		fmt.Fprintln(c.out, "! It ended early:", plain.Text(r.Ended))
	}
}

// keep writes a comparison to disk and says where.
func (c *command) keep(r *app.ABRecord) error {
	if err := c.library().KeepComparison(r); err != nil {
		return err
	}
	fmt.Fprintf(c.errOut, "Kept: assay ab --show %s\n", r.ID)
	return nil
}
