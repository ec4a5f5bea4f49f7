package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
)

func (c *command) weightsLook() *cobra.Command {
	r := app.WeightsLookRequest{}
	var asJSON bool
	cmd := &cobra.Command{
		Use: "look FILE…", Short: "Show how a number format spreads the weights of one tensor over its codes",
		Long: "Counts how often each code of a number format occurs in one tensor. Rarely used codes, or many weights at the end codes,\n" +
			"show that the scales fit the tensor poorly. --json adds some weights before and after.\n\n" + weightsFiles,
		Example: "  assay weights look model.gguf --tensor blk.0.attn_q.weight --format q4_0",
		Args:    wantFiles("weights look"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			r.Paths = paths
			switch {
			case r.Tensor == "":
				return usagef("--tensor: want the name of a tensor; assay weights lists them")
			case r.MaxRows < 0:
				return usagef("--rows is %d, want a number of rows, or 0 for all", r.MaxRows)
			}
			if err := app.CheckFormat(r.Format); err != nil {
				return usagef("--format: %w", err)
			}
			s, err := c.session()
			if err != nil {
				return err
			}
			defer s.Close()
			look, err := s.Weights().Look(cmd.Context(), r)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.out, look)
			}
			return c.printLook(look)
		},
		ValidArgsFunction: completeWeights,
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Tensor, "tensor", "", "`NAME` of the tensor")
	flags.StringVar(&r.Format, "format", "q4_0", "number format")
	flags.IntVar(&r.MaxRows, "rows", 0, "read only `N` rows, spread evenly; 0: all")
	flags.BoolVar(&asJSON, "json", false, "print JSON")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(app.FormatNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	return cmd
}

// Limits of a printed histogram.
const (
	maxBins  = 32
	barWidth = 40
)

// printLook prints a histogram of codes, and how well the format keeps the weights.
func (c *command) printLook(l *app.WeightsLook) error {
	fmt.Fprintf(c.out, "%s in %s: %s read of %s, signal-to-noise ratio of the weights %s\n", plain.Text(l.Tensor), l.Format, si.Count(l.Read),
		si.Counted(l.Rows, "row"), app.SNRText(l.SNR))
	if l.Counts == nil {
		_, err := fmt.Fprintf(c.out, "%s has no codes to count: it rounds floats. --json has weights before and after.\n", l.Format)
		return err
	}
	bins := l.Bins(maxBins)
	all, most := 0, 1
	for _, b := range bins {
		all, most = all+b.Count, max(most, b.Count)
	}
	g := &grid{header: []string{"Code", "Weights", "Share", ""}, right: []int{0, 1, 2}}
	for _, b := range bins {
		bar := strings.Repeat("█", (b.Count*barWidth+most/2)/most)
		g.rows = append(g.rows, []string{b.Name(), si.Count(b.Count), si.Format(float64(b.Count)/float64(max(1, all)), "ratio"), bar})
	}
	g.render(c.out)
	return nil
}
