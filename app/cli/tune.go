package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/meant"
	"assay/internal/si"
	"assay/workloads"
)

// tuningWorkload is the workload behind the command.
const tuningWorkload = "tuning"

func (c *command) tune() *cobra.Command {
	var f runFlags
	var budget time.Duration
	cmd := &cobra.Command{
		Use: "tune OP", Short: "Search for the fastest kernel of an operation at given sizes, and manage what was found",
		Long: "Searches the implementations of OP and the values of their tunables for the fastest at the given sizes, by successive\n" +
			"halving: candidates are verified and compared with the default in the same rounds, and the winner is confirmed on fresh data.\n" +
			"A choice is kept only if it beats the default by more than the noise; assay run --tuned uses it. This runs the workload\n" +
			"tuning: assay list tuning shows what --set takes.",
		Example: "  assay tune matmul --set rows=64 --set columns=4096 --set inner=4096 --budget 60s\n" +
			"  assay run gemv --tuned\n" +
			"  assay tune list",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("tune: want one operation, or list, export, import or clear")
			}
			return c.checkOp(args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.set = append([]string{"op=" + args[0]}, f.set...)
			if cmd.Flags().Changed("budget") {
				f.set = append(f.set, fmt.Sprintf("budget=%g", budget.Seconds()))
			}
			return c.runJobs(cmd.Context(), []string{tuningWorkload}, f)
		},
	}
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a size or another parameter of the workload tuning: NAME=VALUE (repeatable)")
	cmd.Flags().DurationVar(&budget, "budget", 30*time.Second, "time for all rounds together")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	c.deviceFlag(cmd)
	c.prometheusFlag(cmd)
	cmd.Flags().BoolVar(&f.quick, "quick", false, "smaller sizes, fewer candidates and less time")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	f.files.add(cmd.Flags())
	f.sampling.add(cmd.Flags())
	f.pool.add(cmd.Flags())
	cmd.AddCommand(c.tuneList(), c.tuneExport(), c.tuneImport(), c.tuneClear())
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
	return cmd
}

// checkOp refuses what the workload cannot tune.
func (c *command) checkOp(name string) error {
	w, err := workloads.Find(c.config.Workloads, tuningWorkload)
	if err != nil {
		return err
	}
	p, err := w.Param("op")
	if err != nil {
		return err
	}
	if ops := p.ChoiceValues(); !slices.Contains(ops, name) {
		return usagef("no operation %q to tune%s: want one of %s", name, meant.Hint(name, ops), listing(ops))
	}
	return nil
}

// withTunings calls f with the tuned choices of a new session.
func (c *command) withTunings(f func(*app.Tunings) error) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s.Tunings())
}

func (c *command) tuneList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List what searches found, and which of it this machine uses", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return c.withTunings(func(t *app.Tunings) error {
				list, err := t.List()
				if err != nil {
					return err
				}
				if asJSON {
					return writeJSON(c.out, append([]app.KeptTuning{}, list...))
				}
				c.printTunings(list, t.File())
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c *command) printTunings(list []app.KeptTuning, file string) {
	if len(list) == 0 {
		fmt.Fprintln(c.out, "No search has found anything yet: assay tune OP")
		return
	}
	g := &grid{header: []string{"ID", "Call", "Choice", "Faster than the default", "Found", "On", "State"}, flex: 6}
	for i := range list {
		k := &list[i]
		choice, state := k.Choice(), "used with --tuned"
		if !k.Kept() {
			choice, state = "the default, "+k.Default, "nothing to use"
		}
		if k.Unused != "" {
			state = "not used: " + k.Unused
		}
		g.rows = append(g.rows, []string{k.ID(), k.Call(), choice, k.Gain.String(), k.At.Format(time.DateOnly), k.On.Engine + ", " + k.On.Device, state})
	}
	g.render(c.out)
	fmt.Fprintln(c.out, "\n"+file)
}

func (c *command) tuneExport() *cobra.Command {
	return &cobra.Command{
		Use: "export FILE", Short: "Write what searches found into a file that import reads", Args: exactlyOne("file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.withTunings(func(t *app.Tunings) error {
				n, err := t.Export(args[0])
				if err == nil {
					fmt.Fprintf(c.out, "%s written to %s\n", si.Counted(n, "tuned choice"), args[0])
				}
				return err
			})
		},
	}
}

func (c *command) tuneImport() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Import what searches found elsewhere; it is used only with the same device, driver and kernels", Args: exactlyOne("file"),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.withTunings(func(t *app.Tunings) error {
				n, err := t.Import(args[0])
				if err == nil {
					fmt.Fprintf(c.out, "%s imported\n", si.Counted(n, "tuned choice"))
				}
				return err
			})
		},
	}
}

func (c *command) tuneClear() *cobra.Command {
	var all, unused bool
	cmd := &cobra.Command{
		Use: "clear [ID…]", Short: "Forget what searches found",
		Args: func(_ *cobra.Command, args []string) error {
			if given := len(args) > 0; given == (all || unused) || all && unused {
				return usagef("tune clear: want IDs, --all or --unused")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return c.withTunings(func(t *app.Tunings) error { return c.clearTunings(t, args, unused) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "forget everything")
	cmd.Flags().BoolVar(&unused, "unused", false, "forget what is for another device, driver or kernel")
	return cmd
}

func (c *command) clearTunings(t *app.Tunings, args []string, unused bool) error {
	list, err := t.List()
	if err != nil {
		return err
	}
	var ids []string
	for i := range list {
		if id := list[i].ID(); slices.Contains(args, id) || len(args) == 0 && (!unused || list[i].Unused != "") {
			ids = append(ids, id)
		}
	}
	for _, id := range args {
		if !slices.Contains(ids, id) {
			return usagef("no entry %q; see assay tune list", id)
		}
	}
	n, err := t.Clear(ids)
	if err == nil {
		fmt.Fprintf(c.out, "%s removed\n", si.Counted(n, "tuned choice"))
	}
	return err
}
