package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/report"
	"assay/internal/plain"
	"assay/internal/si"
)

// surveyFlags are the flags of commands that survey weights.
type surveyFlags struct {
	formats string
	rows    int
	files   outputFiles
}

// add adds the flags; content describes the exported tables.
func (f *surveyFlags) add(cmd *cobra.Command, content string) {
	flags := cmd.Flags()
	flags.StringVar(&f.formats, "formats", "", "formats, separated by commas: a kind, what shares a scale, and a scheme, such as \"int4 block 32 symmetric\" (default "+
		listing(app.SurveyFormats())+")")
	flags.IntVar(&f.rows, "rows", 0, "read only `N` rows of each tensor, spread evenly, for an estimate; 0: all")
	for _, name := range []string{app.CSVTable, app.JSONTable} {
		o := &outputFile{format: report.Format{Name: name, Title: strings.ToUpper(name), Content: content}}
		flags.StringVar(&o.path, name, "", "write "+content+" as "+strings.ToUpper(name)+" to this `FILE` (- for standard output)")
		f.files = append(f.files, o)
	}
	_ = cmd.RegisterFlagCompletionFunc("formats", cobra.FixedCompletions(app.FormatNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	cmd.ValidArgsFunction = completeWeights
}

// request returns the survey that the command line asks for.
func (f *surveyFlags) request(paths []string) (app.SurveyRequest, error) {
	r := app.SurveyRequest{Paths: paths, Formats: app.SplitFormats(f.formats), MaxRows: f.rows}
	if f.rows < 0 {
		return r, usagef("--rows is %d, want a number of rows, or 0 for all", f.rows)
	}
	if err := r.Check(); err != nil {
		return r, usagef("--formats: %w", err)
	}
	return r, f.files.check()
}

func (c *command) weightsSurvey() *cobra.Command {
	var f surveyFlags
	var by string
	var top topFlag
	cmd := &cobra.Command{
		Use: "survey FILE…", Short: "Measure the error of each tensor in each number format, the worst first, and the size that the model would have",
		Long: "Reads a model tensor by tensor, and measures what each number format does to it: the signal-to-noise ratio of the weights\n" +
			"in dB, the worst first, and the size that the model would have. Errors are those of the weights, not of the outputs of a layer.\n" +
			"It takes less than 200 MB of memory, however large the files.\n\n" + weightsFiles,
		Example: "  assay weights survey model.gguf\n" +
			"  assay weights survey model/ --rows 256 --formats \"q8_0,q4_K,int4 block 64\" --by q4_K --csv errors.csv",
		Args: wantFiles("weights survey"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			r, err := f.request(paths)
			if err != nil {
				return err
			}
			if err := top.check(); err != nil {
				return err
			}
			if by, err = r.FormatName(by); err != nil {
				return usagef("--by: %w", err)
			}
			return c.survey(cmd.Context(), r, &f, func(c *command, s *app.Survey) (app.WeightsTable, error) {
				c.printSurvey(s, by, top)
				return s, nil
			})
		},
	}
	f.add(cmd, "the errors of each tensor and format")
	cmd.Flags().StringVar(&by, "by", "", "sort by the error in this `FORMAT`, the worst first (default the smallest format)")
	top.add(cmd.Flags(), "")
	return cmd
}

// survey surveys weights, has the result printed, and exports the table that the printing returns.
func (c *command) survey(ctx context.Context, r app.SurveyRequest, f *surveyFlags,
	show func(*command, *app.Survey) (app.WeightsTable, error),
) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	p := newSurveyProgress(c.errOut)
	found, err := s.Weights().Survey(ctx, r, p.update)
	p.stop()
	if err != nil {
		return err
	}
	people := c
	if f.files.toStandardOutput() {
		people = c.toErrOut()
	}
	table, err := show(people, found)
	if err != nil {
		return err
	}
	for _, o := range f.files.requested() {
		if o.path == standardOutput {
			err = errors.Join(err, app.WriteTable(c.out, table, o.format.Name))
			continue
		}
		werr := s.Weights().ExportTable(o.path, table, o.format.Name)
		if werr == nil {
			fmt.Fprintf(people.out, "%s: %s\n", o.format.Title, o.path)
		}
		err = errors.Join(err, werr)
	}
	return err
}

// printSurvey prints the worst tensors in a format, and the size of the model in each.
func (c *command) printSurvey(s *app.Survey, by string, top topFlag) {
	at := s.Format(by)
	if at < 0 {
		at = s.Smallest()
	}
	worst := slices.DeleteFunc(s.Worst(at), func(t *app.SurveyedTensor) bool { return t.Kept != "" })
	if n := len(worst); n > 0 {
		worst = topOf(top, worst)
		fmt.Fprintf(c.out, "Signal-to-noise ratio of the weights in dB, the worst tensors in %s first\n", s.Formats[at].Name)
		c.lossTable(s, worst)
		sayRest(c.out, n, len(worst))
		fmt.Fprintln(c.out)
	}
	c.totalTable(s)
	c.printKept(s)
}

func (c *command) lossTable(s *app.Survey, tensors []*app.SurveyedTensor) {
	g := &grid{header: []string{"Tensor", "Type", "Shape"}, spare: []string{"Type", "Shape"}}
	for i, f := range s.Formats {
		g.header, g.right = append(g.header, f.Name), append(g.right, 3+i)
	}
	for _, t := range tensors {
		row := []string{plain.Text(t.Name), t.Type, t.ShapeText()}
		for i := range s.Formats {
			cell := si.Unknown
			if l := t.Loss(i); l != nil {
				cell = strings.TrimSuffix(app.SNRText(l.SNR), " dB")
			}
			row = append(row, cell)
		}
		g.rows = append(g.rows, row)
	}
	g.render(c.out)
}

func (c *command) totalTable(s *app.Survey) {
	g := &grid{header: []string{"Format", "Model", "Of the file", "SNR", "Left as is"}, right: []int{1, 2, 3, 4}}
	g.rows = append(g.rows, []string{"as in the file", si.Bytes(float64(s.File.Bytes)), "", "", si.Count(len(s.Tensors))})
	for i, f := range s.Formats {
		g.rows = append(g.rows, []string{
			f.Name, si.Bytes(float64(f.Bytes)), si.Format(float64(f.Bytes)/float64(max(1, s.File.Bytes)), "ratio"), s.FormatSNR(i), si.Count(f.Kept),
		})
	}
	g.render(c.out)
}

// printKept says what was read, and why some tensors stay as they are.
func (c *command) printKept(s *app.Survey) {
	if s.MaxRows > 0 {
		fmt.Fprintf(c.out, "Estimated from at most %s of each tensor.\n", si.Counted(s.MaxRows, "row"))
	}
	for _, k := range s.Kept() {
		fmt.Fprintf(c.out, "As in the file: %s: %s\n", kindOfKept(&k), plain.Text(k.Why))
	}
	for _, k := range s.Absent() {
		fmt.Fprintf(c.out, "Not in every format: %s: %s\n", kindOfKept(&k), plain.Text(k.Why))
	}
}

// kindOfKept names a tensor, or counts several.
func kindOfKept(k *app.KeptTensors) string {
	if len(k.Names) == 1 {
		return plain.Text(k.Names[0])
	}
	return si.Counted(len(k.Names), "tensor")
}
