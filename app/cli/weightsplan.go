package cli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
)

func (c *command) weightsPlan() *cobra.Command {
	var f surveyFlags
	var budget string
	var top topFlag
	cmd := &cobra.Command{
		Use: "plan FILE… --budget BUDGET", Short: "Choose a number format for each tensor within a budget of error or size",
		Long: "Surveys a model, and chooses a format for each tensor: the smallest model whose weights keep a signal-to-noise ratio\n" +
			"(--budget 30dB), or the most accurate one within a size (--budget 4GB). Tensors that no format suits stay as in the file.\n" +
			"The error is that of the weights, each matrix weighted by its number of weights; the plan does not know which layers matter more.\n\n" +
			weightsFiles,
		Example: "  assay weights plan model.gguf --budget 4GB\n" +
			"  assay weights plan model/ --budget 30dB --formats q8_0,q6_K,q4_K --csv plan.csv --json plan.json",
		Args: wantFiles("weights plan"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if budget == "" {
				return usagef("weights plan: want --budget: a signal-to-noise ratio such as 30dB, or a size such as 4GB")
			}
			within, err := app.ParseWeightsBudget(budget)
			if err != nil {
				return usageError{err}
			}
			if err := top.check(); err != nil {
				return err
			}
			r, err := f.request(paths)
			if err != nil {
				return err
			}
			return c.survey(cmd.Context(), r, &f, func(c *command, s *app.Survey) (app.WeightsTable, error) {
				p, err := s.Plan(within)
				if err != nil {
					return nil, err
				}
				c.printPlan(s, p, top)
				return p, nil
			})
		},
	}
	f.add(cmd, "the plan")
	cmd.Flags().StringVar(&budget, "budget", "", "`BUDGET`: the smallest signal-to-noise ratio, such as 30dB, or the largest size, such as 4GB")
	top.add(cmd.Flags(), " that keep more bits")
	return cmd
}

// printPlan prints a plan's contents by format, and the tensors that keep more bits.
func (c *command) printPlan(s *app.Survey, p *app.WeightsPlan, top topFlag) {
	more := p.Keeping()
	if n := len(more); n > 0 {
		more = topOf(top, more)
		fmt.Fprintf(c.out, "Tensors that keep more bits than %s has, the largest first\n", p.Usual)
		g := &grid{header: []string{"Tensor", "Format", "Size", "SNR"}, right: []int{2, 3}}
		for _, t := range more {
			g.rows = append(g.rows, []string{plain.Text(t.Name), cmp.Or(t.Format, "as in the file"), si.Bytes(float64(t.Bytes)), app.SNRText(t.SNR)})
		}
		g.render(c.out)
		sayRest(c.out, n, len(more))
		fmt.Fprintln(c.out)
	}
	g := &grid{header: []string{"Format", "Tensors", "Size"}, right: []int{1, 2}}
	for _, f := range p.Formats() {
		g.rows = append(g.rows, []string{cmp.Or(f.Name, "as in the file"), si.Count(f.Tensors), si.Bytes(float64(f.Bytes))})
	}
	g.render(c.out)
	fmt.Fprintln(c.out)
	c.printKept(s)
	fmt.Fprintf(c.out, "%s: %s of %s, signal-to-noise ratio of the weights %s\n", bold(c.out, "Plan"), si.Bytes(float64(p.Bytes)),
		si.Bytes(float64(s.File.Bytes)), app.SNRText(p.SNR))
}
