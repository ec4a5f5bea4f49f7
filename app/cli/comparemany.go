package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"assay/app/bundle"
	"assay/app/report"
)

// findRuns loads the runs that arguments name.
func (c *command) findRuns(ctx context.Context, names []string) ([]*bundle.Run, error) {
	runs := make([]*bundle.Run, len(names))
	for i, name := range names {
		var err error
		if runs[i], err = c.findRun(ctx, name); err != nil {
			return nil, err
		}
		if runs[i].Meta.Watch != nil {
			return nil, fmt.Errorf("%s watched a program: it has no results to compare", runs[i].Meta.ID)
		}
	}
	return runs, nil
}

// showMany prints runs side by side. It passes if every comparison with the first does.
func (c *command) showMany(runs []*bundle.Run, asJSON, asMarkdown bool) error {
	m := report.CompareMany(runs, c.config.Workloads)
	var err error
	switch {
	case asJSON:
		var list []comparedRuns
		for _, pair := range m.Pairs {
			list = append(list, comparisonJSON(pair))
		}
		err = writeJSON(c.out, map[string]any{"base_run_id": m.Runs[0].ID, "comparisons": list})
	case asMarkdown:
		_, err = fmt.Fprint(c.out, report.MarkdownMany(m))
	default:
		c.printMany(m)
	}
	for _, run := range runs {
		err = errors.Join(err, whole(run))
	}
	if err != nil {
		return err
	}
	for _, pair := range m.Pairs {
		if !passed(pair) {
			return errFailed
		}
	}
	return nil
}

func (c *command) printMany(m *report.Many) {
	fmt.Fprintln(c.out)
	for i := range m.Runs {
		fmt.Fprintln(c.out, m.Title(i))
	}
	for _, group := range m.Groups() {
		fmt.Fprintf(c.out, "\n%s\n", bold(c.out, group.Workload))
		g := &grid{header: m.Head(), rows: group.Lines, flex: 0}
		for i := range g.header[2:] {
			g.right = append(g.right, i+2)
		}
		g.render(c.out)
		for _, mean := range group.Means {
			fmt.Fprintln(c.out, mean)
		}
	}
	for i := 1; i < len(m.Runs); i++ {
		fmt.Fprintf(c.out, "\n%s\n", bold(c.out, fmt.Sprintf("%d against 1", i+1)))
		for _, note := range m.Notes(i) {
			fmt.Fprintln(c.out, "•", note)
		}
	}
}

// writeCompared writes runs side by side as a page.
func (c *command) writeCompared(runs []*bundle.Run, path string) error {
	m := report.CompareMany(runs, c.config.Workloads)
	return bundle.WriteFile(path, func(w io.Writer) error { return report.WriteManyHTML(w, m) })
}
