package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/regular"
	"assay/workloads/graph"
)

func (c *command) graphDraw() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use: "draw GRAPH", Short: "Draw a graph as SVG, with what each dispatch of its plan computes in one outline",
		Args:    exactlyOne("graph: an example, a file, or - for standard input"),
		Example: "  assay graph draw block > block.svg\n  assay graph draw my.graph --passes -chain > my.svg",
		RunE: func(_ *cobra.Command, args []string) error {
			_, after, err := f.plans(args[0])
			if err != nil {
				return err
			}
			g, err := f.parsed(args[0])
			if err != nil {
				return err
			}
			picture, err := graph.Draw(g, after)
			if err == nil {
				_, err = fmt.Fprint(c.out, picture.SVG())
			}
			return err
		},
	}
	f.add(cmd, "all")
	return cmd
}

func (c *command) graphImport() *cobra.Command {
	var sizes []string
	cmd := &cobra.Command{
		Use: "import MODEL.onnx", Short: "Write the text of a graph from an ONNX model", Args: exactlyOne("ONNX model"),
		Long: "Prints the graph of an ONNX model as text that the other commands take and people can edit. Weights become inputs: only their\n" +
			"shapes matter, since runs measure on random data. Dimensions that the model leaves open become sizes, 1 if --size gives no other\n" +
			"number. An operation that is not covered is named with its node.",
		Example: "  assay graph import model.onnx --size batch=8 > model.graph\n  assay graph run model.graph",
		RunE: func(_ *cobra.Command, args []string) error {
			given, err := graph.ParseSizes(strings.Join(sizes, ","))
			if err != nil {
				return usagef("--size: %w", err)
			}
			data, err := regular.Read(args[0], "an ONNX model", graph.MaxONNX)
			if err != nil {
				return err
			}
			text, err := graph.ImportONNX(data, given)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprint(c.out, text)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&sizes, "size", nil, "a dimension that the model leaves open: NAME=NUMBER (repeatable)")
	return cmd
}
