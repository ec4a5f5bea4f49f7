package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"assay/app/drill"
	"assay/internal/meant"
	"assay/internal/plain"
	"assay/workloads"
)

func (c *command) drill() *cobra.Command {
	setup, asJSON := drill.Setup{Config: c.config}, false
	cmd := &cobra.Command{
		Use: "drill [NAME…]", Short: "Inject faults, and see how Assay handles them",
		Long: "Each drill injects one fault into a small run and checks that the fault is reported and that earlier results are kept.\n" +
			"Where the engine fails, it also checks that the next run works. Runs go into a temporary folder; pools, caches and\n" +
			"earlier runs are not touched.\n\n" +
			drillList() + "\nExit status: 0 all passed, 1 one did not, 2 invalid usage.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, names []string) error {
			chosen, err := chosenDrills(names)
			if err == nil {
				err = c.checkEngine(setup.Engine)
			}
			if err != nil {
				return err
			}
			if _, err := workloads.Find(c.config.Workloads, setup.Workload); err != nil {
				return usageError{err}
			}
			return c.runDrills(cmd, chosen, setup, asJSON)
		},
	}
	cmd.Flags().StringVar(&setup.Engine, "engine", "auto", "engine: "+c.engineNames())
	cmd.Flags().StringVar(&setup.Workload, "workload", firstMeasuring(c.config.Workloads), "workload to run")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object for each drill")
	return cmd
}

func firstMeasuring(all []workloads.Workload) string {
	if names := workloads.Measuring(all); len(names) > 0 {
		return names[0]
	}
	return ""
}

func drillList() string {
	text := ""
	for _, d := range drill.All() {
		text += fmt.Sprintf("  %-14s %s\n", d.Name, d.Title)
	}
	return text
}

func chosenDrills(names []string) ([]drill.Drill, error) {
	all := drill.All()
	var known []string
	for _, d := range all {
		known = append(known, d.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usagef("no drill %q%s: want one of %s", name, meant.Hint(name, known), listing(known))
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(d drill.Drill) bool { return !slices.Contains(names, d.Name) }), nil
}

func (c *command) runDrills(cmd *cobra.Command, chosen []drill.Drill, setup drill.Setup, asJSON bool) (err error) {
	if setup.Program, err = os.Executable(); err != nil {
		return err
	}
	if err := setup.Check(); err != nil {
		return err
	}
	failed := 0
	for _, d := range chosen {
		fmt.Fprintf(c.errOut, "%s…\n", d.Title)
		o := d.Run(cmd.Context(), setup)
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		verdict := "pass"
		switch {
		case o.Missing != "":
			verdict = "none" // nothing was tried
		case !o.Pass:
			verdict = "FAIL"
			failed++
		}
		if asJSON {
			err = json.NewEncoder(c.out).Encode(o)
		} else {
			_, err = fmt.Fprintf(c.out, "%s  %-14s %s\n", verdict, d.Name, plain.Text(o.Saw))
		}
		if err != nil {
			return err
		}
	}
	if failed > 0 {
		return errFailed
	}
	return nil
}
