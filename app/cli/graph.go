package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/workloads/graph"
)

func (c *command) graph() *cobra.Command {
	cmd := &cobra.Command{
		Use: "graph", Short: "Fuse op graphs, plan their memory, and measure what that saves",
		Long: "An op graph is text: sizes, inputs and what is computed from them, such as\n\n" +
			"  size n = 512\n  x = input f32 [128, n]\n  w = input f32 [n, n]\n  b = input f32 [n]\n  y = gelu(matmul(x, w) + b)\n  output y\n\n" +
			"GRAPH is a file with such text, - for standard input, or one of the examples: see assay graph list.",
		Args: func(_ *cobra.Command, args []string) error {
			return usagef("graph: want list, show, plan, draw, import or run")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.graphList(), c.graphShow(), c.graphPlan(), c.graphDraw(), c.graphImport(), c.graphRun())
	for _, sub := range cmd.Commands() {
		checkArgs(sub)
	}
	return cmd
}

func (c *command) graphList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the examples, the operations that a graph may have, and the passes", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(c.out, "Examples:")
			for _, e := range graph.Examples() {
				fmt.Fprintf(c.out, "  %-10s %s\n", e.Name, e.About)
			}
			fmt.Fprintln(c.out, "\nOperations:")
			for _, o := range graph.Ops() {
				fmt.Fprintf(c.out, "  %-38s %s\n", o.Sign, o.About)
			}
			fmt.Fprintln(c.out, "\nPasses:")
			for _, p := range graph.Passes() {
				fmt.Fprintf(c.out, "  %-10s %s\n", p.Name, p.About)
			}
			return nil
		},
	}
}

// graphFlags say how a graph is read and planned.
type graphFlags struct {
	passes string
	sizes  []string
	dot    bool
}

func (f *graphFlags) add(cmd *cobra.Command, passes string) {
	cmd.Flags().StringVar(&f.passes, "passes", passes, "passes: all, none, names separated by commas, or -NAME for all but one")
	cmd.Flags().StringArrayVar(&f.sizes, "size", nil, "override a size of the graph: NAME=NUMBER (repeatable)")
}

// plans reads a graph and plans it without passes, and with those of the flags.
func (f *graphFlags) plans(name string) (before, after *graph.Plan, err error) {
	passes, err := graph.ParsePasses(f.passes)
	if err != nil {
		return nil, nil, usageError{err}
	}
	g, err := f.parsed(name)
	if err != nil {
		return nil, nil, err
	}
	if before, err = graph.Make(g, graph.Options{}); err == nil {
		after, err = graph.Make(g, graph.Options{Passes: passes})
	}
	if err != nil {
		err = placed(name, err)
	}
	return before, after, err
}

// placed prefixes an error with the name of its graph, before the line if it has one.
func placed(name string, err error) error {
	var at *graph.Error
	if errors.As(err, &at) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// parsed reads a graph with the sizes of the flags.
func (f *graphFlags) parsed(name string) (*graph.Graph, error) {
	sizes, err := graph.ParseSizes(strings.Join(f.sizes, ","))
	if err != nil {
		return nil, usagef("--size: %w", err)
	}
	text, err := graphText(name)
	if err != nil {
		return nil, err
	}
	g, err := graph.Parse(text, sizes)
	if err != nil {
		return nil, placed(name, err)
	}
	return g, nil
}

// graphText returns the text of an example, of standard input or of a file.
func graphText(name string) (string, error) {
	examples := graph.Examples()
	if i := slices.IndexFunc(examples, func(e graph.Example) bool { return e.Name == name }); i >= 0 {
		return examples[i].Text, nil
	}
	in := io.Reader(os.Stdin)
	if name != "-" {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("no graph %q: neither an example (see assay graph list) nor a file", name)
		}
		if err != nil {
			return "", err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, graph.MaxText+1))
	return string(text), err
}

func (c *command) graphShow() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use: "show GRAPH", Short: "Draw a graph as text or for Graphviz, as it is or after passes", Args: exactlyOne("graph: an example, a file, or - for standard input"),
		Example: "  assay graph show attention\n  assay graph show my.graph --passes all --dot | dot -Tsvg > my.svg",
		RunE: func(_ *cobra.Command, args []string) error {
			_, p, err := f.plans(args[0])
			if err != nil {
				return err
			}
			if f.dot {
				fmt.Fprint(c.out, p.DOT())
				return nil
			}
			fmt.Fprint(c.out, p.Drawing())
			return nil
		},
	}
	f.add(cmd, "none")
	cmd.Flags().BoolVar(&f.dot, "dot", false, "print DOT, the language of Graphviz")
	return cmd
}

func (c *command) graphPlan() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use: "plan GRAPH", Short: "Show what is fused and what is not, which kernels run, and where results are placed", Args: exactlyOne("graph: an example, a file, or - for standard input"),
		Long: "Prints the dispatches of a graph after its passes, what could not be fused and why, the lifetime and the place\n" +
			"of each result, and dispatches, bytes and memory before and after. The plan assumes a device that supports every kernel.",
		Example: "  assay graph plan swiglu\n  assay graph plan my.graph --passes matmul,chain --size n=1024",
		RunE: func(_ *cobra.Command, args []string) error {
			before, after, err := f.plans(args[0])
			if err != nil {
				return err
			}
			fmt.Fprint(c.out, after.Text(before))
			return nil
		},
	}
	f.add(cmd, "all")
	return cmd
}
