package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/report"
	"assay/gpu"
	"assay/monitor"
)

// diagnosis is what `doctor` finds out.
type diagnosis struct {
	Version string            `json:"assay_version"`
	Host    monitor.HostInfo  `json:"host"`
	Engines []engineDiagnosis `json:"engines"`
	Sensors []sensorDiagnosis `json:"sensors"`
	RunsDir string            `json:"runs_folder"`
}

type engineDiagnosis struct {
	Name      string    `json:"name"`
	Available bool      `json:"available"`
	Reason    string    `json:"reason,omitempty"`
	Info      *gpu.Info `json:"info,omitempty"`
}

type sensorDiagnosis struct {
	Metric string         `json:"metric"`
	Title  string         `json:"title"`
	Status monitor.Status `json:"status"`
	Value  string         `json:"value,omitempty"`
	Source string         `json:"source,omitempty"`
	Reason string         `json:"reason,omitempty"`
}

func (c *command) doctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say which engines and sensors work here, which do not, and why",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := c.session()
			if err != nil {
				return err
			}
			defer s.Close()
			d := c.diagnose(cmd.Context(), s)
			if asJSON {
				return writeJSON(c.out, d)
			}
			c.printDiagnosis(d)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// rateWindow is the time between the two ticks that rates need.
const rateWindow = 300 * time.Millisecond

func (c *command) diagnose(ctx context.Context, s *app.Session) diagnosis {
	d := diagnosis{Version: c.config.Version, Host: s.Host(), RunsDir: s.RunsDir()}
	for _, e := range s.Engines() {
		ed := engineDiagnosis{Name: e.Name, Available: e.Available, Reason: e.Reason}
		if e.Available {
			ed.Info = &e.Info
		}
		d.Engines = append(d.Engines, ed)
	}
	s.Tick(ctx)
	select {
	case <-time.After(rateWindow):
	case <-ctx.Done():
	}
	snap := s.Tick(ctx)
	for _, r := range snap.Readings {
		sd := sensorDiagnosis{Metric: r.Metric, Title: r.Title, Status: r.Status, Source: r.Source, Reason: r.Reason}
		if r.Status == monitor.OK {
			sd.Value = r.String()
		}
		d.Sensors = append(d.Sensors, sd)
	}
	return d
}

func (c *command) printDiagnosis(d diagnosis) {
	fmt.Fprintf(c.out, "Assay %s on %s, %s\n%s: %d cores, %s of memory\nRuns are kept in %s\n\n", d.Version, d.Host.Platform, d.Host.Arch, d.Host.CPU, d.Host.Cores,
		report.FormatBytes(float64(d.Host.MemoryBytes)), d.RunsDir)
	t := newTable(c.out, "Engine", "Works", "Device, or why not")
	t.SetColumnConfigs([]table.ColumnConfig{wrapped(3, 80)})
	for _, e := range d.Engines {
		if !e.Available {
			t.AppendRow(table.Row{e.Name, "no", e.Reason})
			continue
		}
		t.AppendRow(table.Row{e.Name, "yes", fmt.Sprintf("%s, %d cores, %s; clock: %s", e.Info.Device, e.Info.Cores,
			strings.Join(e.Info.Features, " "), e.Info.Clock)})
	}
	t.Render()
	fmt.Fprintln(c.out)
	t = newTable(c.out, "Sensor", "Now", "Source, or why not")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}, wrapped(3, 80)})
	for _, s := range d.Sensors {
		if s.Status != monitor.OK {
			t.AppendRow(table.Row{s.Title, "not available", s.Reason})
			continue
		}
		t.AppendRow(table.Row{s.Title, s.Value, s.Source})
	}
	t.Render()
}
