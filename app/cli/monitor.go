package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/app/bundle"
	"assay/monitor"
)

type monitorFlags struct {
	interval time.Duration
	count    int
	csv      string
	json     bool
	metrics  bool
}

func (c *command) monitor() *cobra.Command {
	var f monitorFlags
	cmd := &cobra.Command{
		Use: "monitor", Short: "Watch the machine: process, memory, pressure, heat, power",
		Long: "Prints every reading at every tick until interrupted, or --count times. Readings that are\n" +
			"not available are listed below the table, with the reason.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.metrics {
				c.listMetrics()
				return nil
			}
			return c.watchMachine(cmd.Context(), f)
		},
	}
	cmd.Flags().DurationVar(&f.interval, "interval", time.Second, "interval between readings, such as 500ms")
	cmd.Flags().IntVar(&f.count, "count", 0, "stop after this many readings; 0: until interrupted")
	cmd.Flags().StringVar(&f.csv, "csv", "", "write CSV to this file (- for standard output) instead of tables")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object per line, not tables")
	c.prometheusFlag(cmd)
	cmd.Flags().BoolVar(&f.metrics, "metrics", false, "list all metrics of all systems, with units and descriptions")
	return cmd
}

// listMetrics prints the catalog.
func (c *command) listMetrics() {
	g := &grid{header: []string{"Metric", "Title", "Unit", "Description"}, flex: 3, spare: []string{"Title"}}
	for _, m := range monitor.Catalog() {
		g.rows = append(g.rows, []string{m.ID, m.Title, m.Unit, m.About})
	}
	g.render(c.out)
}

func (c *command) watchMachine(ctx context.Context, f monitorFlags) error {
	if f.count < 0 {
		return usagef("--count is %d, want 0 or more", f.count)
	}
	if f.interval <= 0 {
		return usagef("--interval is %v, want a time such as 1s or 500ms", f.interval)
	}
	if f.csv != "" && f.json {
		return usagef("--csv and --json: choose one")
	}
	c.config.Interval = f.interval
	s, err := c.session()
	if err != nil {
		return usageError{err}
	}
	defer s.Close()
	write, done, err := c.snapshotWriter(f)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	baseline(ctx, s) // otherwise the first reading shown has no rates
	seen := 0
	err = s.Monitor(ctx, func(snap monitor.Snapshot) {
		if werr := write(snap); werr != nil {
			cancel(werr)
		}
		if seen++; seen == f.count {
			cancel(errEnough)
		}
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	if errors.Is(err, errEnough) || errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, done())
}

var errEnough = errors.New("enough")

// snapshotWriter returns a function that writes a snapshot, and one to call at the end.
func (c *command) snapshotWriter(f monitorFlags) (write func(monitor.Snapshot) error, done func() error, err error) {
	nothing := func() error { return nil }
	switch {
	case f.json:
		enc := json.NewEncoder(c.out)
		return func(s monitor.Snapshot) error { return enc.Encode(bundle.SnapshotJSON(s)) }, nothing, nil
	case f.csv == "":
		return c.printSnapshot, nothing, nil
	}
	var w io.Writer = c.out
	if f.csv != "-" {
		file, err := bundle.CreateFile(f.csv)
		if err != nil {
			return nil, nil, err
		}
		w, nothing = file, file.Close
	}
	m, err := bundle.NewMonitorCSV(w)
	if err != nil {
		return nil, nil, errors.Join(err, nothing())
	}
	return m.Write, nothing, nil
}

func (c *command) printSnapshot(s monitor.Snapshot) error {
	fmt.Fprintln(c.out, bold(c.out, s.Time.Format("15:04:05.000")))
	g := &grid{header: []string{"Reading", "Value", "Kind", "Source"}, right: []int{1}, flex: 3, spare: []string{"Kind"}}
	for _, r := range s.Readings {
		if r.Status == monitor.OK {
			g.rows = append(g.rows, []string{r.Title, r.String(), string(r.Provenance), r.Source})
		}
	}
	g.render(c.out)
	c.printMissing(s)
	_, err := fmt.Fprintln(c.out)
	return err
}

// printMissing prints the readings that are not available, with each reason once: a machine without a GPU lacks twenty for the
// same reason.
func (c *command) printMissing(s monitor.Snapshot) {
	titles := map[string][]string{}
	var reasons []string
	for _, r := range s.Readings {
		if r.Status == monitor.OK {
			continue
		}
		if titles[r.Reason] == nil {
			reasons = append(reasons, r.Reason)
		}
		titles[r.Reason] = append(titles[r.Reason], r.Title)
	}
	for _, why := range reasons {
		fmt.Fprintf(c.out, "\nNot available: %s\n  %s\n", why, strings.Join(titles[why], " · "))
	}
}
