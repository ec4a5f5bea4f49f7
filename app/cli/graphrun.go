package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/workloads/graph"
)

// graphWorkload is the workload behind the command.
const graphWorkload = "graph"

func (c *command) graphRun() *cobra.Command {
	var f runFlags
	var sizes []string
	var passes, dtype string
	cmd := &cobra.Command{
		Use: "run GRAPH", Short: "Measure a graph as written and fused, beside what the plan predicts",
		Long: "Runs a graph with one dispatch per operation and after its passes, alternately (A B B A). Outputs are compared with a float64\n" +
			"evaluation of the graph or, if the graph is too large for that, with each other. The predicted and the measured saving are\n" +
			"shown side by side, as are planned and held memory. This runs the workload " + graphWorkload + ": the run is kept, and\n" +
			"assay list " + graphWorkload + " shows what else --set takes. GRAPH is a file, an example, or all for every example.",
		Example: "  assay graph run swiglu\n" +
			"  assay graph run my.graph --size n=1024 --csv my.csv\n" +
			"  assay graph run mlp --set min_size=32 --set max_size=512",
		Args: exactly(1, "graph run takes one graph"),
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := graphValues(args[0])
			if err != nil {
				return err
			}
			given = append(given, "sizes="+strings.Join(sizes, ","), "passes="+passes)
			if dtype != "" {
				given = append(given, "dtype="+dtype)
			}
			f.set = append(given, f.set...)
			return c.runJobs(cmd.Context(), []string{graphWorkload}, f)
		},
	}
	cmd.Flags().StringArrayVar(&sizes, "size", nil, "override a size of the graph: NAME=NUMBER (repeatable)")
	cmd.Flags().StringVar(&passes, "passes", "all", "passes: all, none, names separated by commas, or -NAME for all but one")
	cmd.Flags().StringVar(&dtype, "dtype", "", "f32 or f16 instead of the format in the graph")
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set a parameter of the workload "+graphWorkload+": NAME=VALUE (repeatable)")
	cmd.Flags().StringVar(&f.engine, "engine", "auto", "engine: "+c.engineNames())
	c.deviceFlag(cmd)
	cmd.Flags().BoolVar(&f.tuned, "tuned", false, "use the kernels that \"assay tune\" chose for this device in place of the defaults")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the run bundle (default "+app.DefaultRunsDir()+")")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of generated data")
	f.files.add(cmd.Flags())
	f.sampling.add(cmd.Flags())
	f.pool.add(cmd.Flags())
	return cmd
}

// graphValues returns the workload's settings that choose a graph: an example, all of them, or a file.
func graphValues(name string) ([]string, error) {
	if name == "all" || slices.ContainsFunc(graph.Examples(), func(e graph.Example) bool { return e.Name == name }) {
		return []string{"graph=" + name}, nil
	}
	path, err := filepath.Abs(name)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; examples are listed by: assay graph list", err)
	}
	return []string{"graph=file", "file=" + path}, nil
}
