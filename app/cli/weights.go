package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/meant"
	"assay/internal/plain"
	"assay/internal/si"
)

// weightsFiles is the help text of the weights commands about their arguments.
const weightsFiles = "FILE is a .safetensors or .gguf file, an index (*.safetensors.index.json), or a folder with the files of a model;\n" +
	"several are one model. Errors name the tensor and the byte."

func (c *command) weights() *cobra.Command {
	var order, search string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "weights FILE…", Short: "List the tensors of a model, survey what number formats do to them, or plan its formats",
		Long: "Lists the tensors of weight files: name, type, shape and size.\n\n" + weightsFiles,
		Example: "  assay weights model.gguf --sort bytes --search attn\n" +
			"  assay weights survey model.safetensors --formats q8_0,q4_K\n" +
			"  assay weights plan model/ --budget 30dB --csv plan.csv",
		Args: wantFiles("weights"),
		RunE: func(_ *cobra.Command, paths []string) error {
			by, err := tensorOrder(order)
			if err != nil {
				return err
			}
			s, err := c.session()
			if err != nil {
				return err
			}
			defer s.Close()
			file, err := s.Weights().Open(paths...)
			if err != nil {
				return err
			}
			all := len(file.Tensors)
			file.Tensors = picked(file.Tensors, search)
			slices.SortStableFunc(file.Tensors, by)
			if asJSON {
				return writeJSON(c.out, file)
			}
			return c.printTensors(file, all)
		},
		ValidArgsFunction: completeWeights,
	}
	cmd.Flags().StringVar(&order, "sort", "", "order of the tensors (default that of the file): "+listing(orderNames()))
	cmd.Flags().StringVar(&search, "search", "", "list only tensors with all of these `WORDS` in name, type or shape")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(orderNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	cmd.AddCommand(c.weightsSurvey(), c.weightsPlan(), c.weightsLook(), c.weightsLoad())
	return cmd
}

// wantFiles rejects a command line without files.
func wantFiles(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s: want a .safetensors or .gguf file, or a folder with the files of a model", name)
		}
		return nil
	}
}

// completeWeights completes names of files and folders.
func completeWeights(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append(app.WeightsTypes(), "json"), cobra.ShellCompDirectiveFilterFileExt
}

// An order of tensors.
type order struct {
	name    string
	compare func(a, b *app.WeightsTensor) int
}

// orders are the values of --sort: numbers in descending order.
func orders() []order {
	return []order{
		{"name", func(a, b *app.WeightsTensor) int { return strings.Compare(a.Name, b.Name) }},
		{"bytes", func(a, b *app.WeightsTensor) int { return cmp.Compare(b.Bytes, a.Bytes) }},
		{"weights", func(a, b *app.WeightsTensor) int { return cmp.Compare(b.Weights, a.Weights) }},
		{"type", func(a, b *app.WeightsTensor) int { return strings.Compare(a.Type, b.Type) }},
		{"shape", func(a, b *app.WeightsTensor) int { return slices.Compare(b.Shape, a.Shape) }},
	}
}

func orderNames() []string {
	var names []string
	for _, o := range orders() {
		names = append(names, o.name)
	}
	return names
}

// tensorOrder returns the order of that name; without a name, the order of the file.
func tensorOrder(name string) (func(a, b app.WeightsTensor) int, error) {
	if name == "" {
		return func(a, b app.WeightsTensor) int { return 0 }, nil
	}
	for _, o := range orders() {
		if o.name == name {
			return func(a, b app.WeightsTensor) int { return o.compare(&a, &b) }, nil
		}
	}
	return nil, usagef("--sort is %q%s, want one of %s", name, meant.Hint(name, orderNames()), listing(orderNames()))
}

// picked returns the tensors that match every word.
func picked(all []app.WeightsTensor, search string) []app.WeightsTensor {
	words := strings.Fields(strings.ToLower(search))
	return slices.DeleteFunc(all, func(t app.WeightsTensor) bool { return !t.Has(words) })
}

// printTensors prints the picked tensors, out of all.
func (c *command) printTensors(f *app.WeightsFile, all int) error {
	g := &grid{header: []string{"Tensor", "Type", "Shape", "Bytes", "Weights"}, right: []int{3, 4}, spare: []string{"Weights", "Type"}}
	for i := range f.Tensors {
		t := &f.Tensors[i]
		g.rows = append(g.rows, []string{plain.Text(t.Name), t.Type, t.ShapeText(), si.Bytes(float64(t.Bytes)), si.Count(int(t.Weights))})
	}
	if len(g.rows) > 0 {
		g.render(c.out)
		fmt.Fprintln(c.out)
	}
	counted := si.Counted(all, "tensor")
	if len(f.Tensors) != all {
		counted = si.Count(len(f.Tensors)) + " of " + counted
	}
	_, err := fmt.Fprintf(c.out, "%s: %s in %s; in all %s weights, %s\n", bold(c.out, plain.Text(f.Name)), counted, si.Counted(len(f.Files), "file"),
		si.Count(int(f.Weights)), si.Bytes(float64(f.Bytes)))
	return err
}
