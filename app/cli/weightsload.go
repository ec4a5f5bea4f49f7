package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
)

func (c *command) weightsLoad() *cobra.Command {
	r := app.LoadRequest{}
	var asJSON bool
	cmd := &cobra.Command{
		Use: "load FILE…", Short: "Load a model into buffers of the engine, in parts, and show the speed and the memory used",
		Long: "Reads all tensors of a model into buffers of the engine, as they are in the file, and shows how fast that was and how much\n" +
			"memory it took: through one buffer in parts of 32 MiB, or with --resident into a buffer for each tensor, as inference does.\n" +
			"A file that is still in the page cache is read from there.\n\n" + weightsFiles,
		Example: "  assay weights load model.gguf\n  assay weights load model/ --resident --engine cpu",
		Args:    wantFiles("weights load"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			r.Paths = paths
			s, err := c.session()
			if err != nil {
				return err
			}
			defer s.Close()
			bar := newSurveyProgress(c.errOut)
			l, err := s.Weights().Load(cmd.Context(), r, bar.update)
			bar.stop()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.out, l)
			}
			return c.printLoad(l)
		},
		ValidArgsFunction: completeWeights,
	}
	cmd.Flags().StringVar(&r.Engine, "engine", "auto", "engine: "+c.engineNames())
	cmd.Flags().BoolVar(&r.Resident, "resident", false, "keep a buffer for each tensor until the end")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the memory over time")
	return cmd
}

// printLoad prints how fast a model was loaded, and the memory it took.
func (c *command) printLoad(l *app.Load) error {
	how := "through a buffer of " + si.Bytes(float64(l.Buffers))
	if l.Resident {
		how = "into buffers of " + si.Bytes(float64(l.Buffers))
	}
	fmt.Fprintf(c.out, "%s: %s in %s, %s of the engine %s\n", bold(c.out, plain.Text(l.Name)), si.Bytes(float64(l.Bytes)), si.Counted(l.Tensors, "tensor"), how, l.Engine)
	fmt.Fprintf(c.out, "Time: %s, %s\n", si.Time(l.Seconds), si.Format(l.Rate(), "B/s"))
	if l.Footprint != "" {
		_, err := fmt.Fprintf(c.out, "Memory of Assay: not available: %s\n", l.Footprint)
		return err
	}
	_, err := fmt.Fprintf(c.out, "Memory of Assay: %s before, %s at most\n", si.Bytes(float64(l.Before)), si.Bytes(float64(l.Peak)))
	return err
}
