package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/plain"
	"assay/monitor"
)

// diagnosis is what `doctor` finds out.
type diagnosis struct {
	Version string            `json:"assay_version"`
	Host    monitor.HostInfo  `json:"host"`
	Engines []engineDiagnosis `json:"engines"`
	Sensors []sensorDiagnosis `json:"sensors"`
	RunsDir string            `json:"runs_folder"`
	Ready   readyDiagnosis    `json:"ready"`
}

// readyDiagnosis reports whether the machine is quiet enough to measure.
type readyDiagnosis struct {
	Known  bool   `json:"known"`
	Quiet  bool   `json:"quiet"`
	Reason string `json:"reason,omitempty"`
}

type engineDiagnosis struct {
	Name       string   `json:"name"`
	Available  bool     `json:"available"`
	Reason     string   `json:"reason,omitempty"`
	Device     string   `json:"device,omitempty"`
	Clock      string   `json:"clock,omitempty"`
	Simulated  bool     `json:"simulated"`
	Unified    bool     `json:"unified_memory"`
	Cores      int      `json:"cores,omitempty"`
	Features   []string `json:"features,omitempty"`
	MaxBuffer  int64    `json:"max_buffer_bytes,omitempty"`
	WorkingSet int64    `json:"working_set_bytes,omitempty"`
	Devices    []string `json:"devices,omitempty"` // to choose from, the one in use first
	Trace      string   `json:"trace_command,omitempty"`

	SelfTest  *bundle.SelfTest   `json:"self_test,omitempty"`
	Abilities []abilityDiagnosis `json:"abilities"` // empty unless the engine is available
}

// abilityDiagnosis is an optional feature of an engine: what was observed, or why it is not available.
type abilityDiagnosis struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	Available bool   `json:"available"`
	Detail    string `json:"detail,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// sensorDiagnosis has a value in the unit, a text for a state, or the reason why neither is available.
type sensorDiagnosis struct {
	Metric string         `json:"metric"`
	Title  string         `json:"title"`
	Status monitor.Status `json:"status"`
	Value  *float64       `json:"value"`
	Unit   string         `json:"unit,omitempty"`
	Text   string         `json:"text,omitempty"`
	Source string         `json:"source,omitempty"`
	Reason string         `json:"reason,omitempty"`

	shown string
}

func (c *command) doctor() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check which engines and sensors work on this machine",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := c.session()
			if err != nil {
				return err
			}
			defer s.Close()
			d, err := c.diagnose(cmd.Context(), s)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(c.out, d)
			}
			c.printDiagnosis(d)
			return nil
		},
	}
	c.deviceFlag(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// rateWindow is the time between the two ticks that rates need.
const rateWindow = 300 * time.Millisecond

func (c *command) diagnose(ctx context.Context, s *app.Session) (diagnosis, error) {
	d := diagnosis{Version: c.config.Version, Host: s.Host(), RunsDir: s.Library().Dir()}
	for _, e := range s.Engines().List() {
		i := e.Info
		d.Engines = append(d.Engines, engineDiagnosis{
			e.Name, e.Available, e.Reason, i.Device, i.Clock, i.Simulated, i.Unified, i.Cores, i.Features,
			i.MaxBuffer, i.WorkingSet,
			deviceIDs(e.Devices), e.Trace,
			nil,
			[]abilityDiagnosis{},
		})
		if !e.Available {
			continue
		}
		abilities, err := s.Engines().Abilities(ctx, e.Name)
		if err != nil {
			return d, err
		}
		last := &d.Engines[len(d.Engines)-1]
		if last.SelfTest, err = s.Engines().SelfTest(ctx, e.Name); last.SelfTest == nil {
			return d, fmt.Errorf("self-test of engine %s: %w", e.Name, err)
		}
		for _, a := range abilities {
			last.Abilities = append(last.Abilities, abilityDiagnosis{a.Name, a.Title, a.Available, a.Detail, a.Reason})
		}
	}
	d.Sensors = sense(ctx, s)
	why, known := s.Disturbance(ctx)
	d.Ready = readyDiagnosis{known, known && why == "", why}
	return d, nil
}

func deviceIDs(all []gpu.Device) []string {
	var ids []string
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	return ids
}

// baseline reads every sensor once; rates of the next tick are relative to it.
func baseline(ctx context.Context, s *app.Session) {
	s.Tick(ctx)
	select {
	case <-time.After(rateWindow):
	case <-ctx.Done():
	}
}

// sense reads every sensor twice, since rates need two ticks.
func sense(ctx context.Context, s *app.Session) []sensorDiagnosis {
	baseline(ctx, s)
	var all []sensorDiagnosis
	for _, r := range s.Tick(ctx).Readings {
		sd := sensorDiagnosis{
			Metric: r.Metric, Title: r.Title, Status: r.Status, Unit: r.Unit, Text: string(r.Text), Source: r.Source,
			Reason: r.Reason,
			shown:  r.String(),
		}
		if r.Status == monitor.OK && r.Text == "" {
			sd.Value = &r.Value
		}
		all = append(all, sd)
	}
	return all
}

func (c *command) printDiagnosis(d diagnosis) {
	fmt.Fprintf(c.out, "Assay %s on %s, %s\n%s: %d cores, memory: %s\n", d.Version,
		d.Host.Platform, d.Host.Arch, d.Host.CPU, d.Host.Cores, cmp.Or(d.Host.Memory(), "not known"))
	if limits := d.Host.Limits(); limits != "" {
		fmt.Fprintf(c.out, "Limited by the control group to %s\n", limits)
	}
	fmt.Fprintf(c.out, "Runs are kept in %s\n\n", d.RunsDir)
	g := &grid{header: []string{"Engine", "Works", "Device, or why not"}, flex: 2}
	for _, e := range d.Engines {
		if !e.Available {
			g.rows = append(g.rows, []string{e.Name, "no", e.Reason})
			continue
		}
		g.rows = append(g.rows, []string{e.Name, "yes", e.text()})
	}
	g.render(c.out)
	for _, e := range d.Engines {
		if e.Trace != "" {
			fmt.Fprintf(c.out, "\nTo watch %s in Instruments:\n  %s\n", e.Name, e.Trace)
		}
	}
	fmt.Fprintln(c.out)
	for i := range d.Engines {
		c.printSelfTest(&d.Engines[i])
		c.printAbilities(&d.Engines[i])
	}
	g = &grid{header: []string{"Sensor", "Now", "Source, or why not"}, right: []int{1}, flex: 2}
	for _, s := range d.Sensors {
		if s.Status != monitor.OK {
			g.rows = append(g.rows, []string{s.Title, "not available", s.Reason})
			continue
		}
		g.rows = append(g.rows, []string{s.Title, s.shown, s.Source})
	}
	g.render(c.out)
	if line := readiness(d.Ready.Reason, d.Ready.Known); line != "" {
		fmt.Fprintln(c.out, "\nReady to measure? "+line)
	}
}

// printSelfTest prints which small known answers the device computed, and when.
func (c *command) printSelfTest(e *engineDiagnosis) {
	if e.SelfTest == nil {
		return
	}
	g := &grid{header: []string{"Self-test of " + e.Name + ", " + e.SelfTest.Done.Local().Format("2006-01-02 15:04"), "", "Reason"}, flex: 2}
	words := map[string]string{bundle.SelfPassed: "pass", bundle.SelfFailed: "FAIL", bundle.SelfAbsent: "not available"}
	for _, t := range e.SelfTest.Checks {
		g.rows = append(g.rows, []string{plain.Text(t.Title), words[t.State], plain.Text(t.Why)})
	}
	g.render(c.out)
	fmt.Fprintln(c.out)
}

func (c *command) printAbilities(e *engineDiagnosis) {
	if len(e.Abilities) == 0 {
		return
	}
	g := &grid{header: []string{"Offered by " + e.Name, "", "What was seen, or why not"}, flex: 2}
	for _, a := range e.Abilities {
		if a.Available {
			g.rows = append(g.rows, []string{a.Title, "yes", a.Detail})
		} else {
			g.rows = append(g.rows, []string{a.Title, "not available", a.Reason})
		}
	}
	g.render(c.out)
	fmt.Fprintln(c.out)
}

// text describes the device in a line.
func (e *engineDiagnosis) text() string {
	parts := []string{e.Device}
	if e.Cores > 0 {
		parts = append(parts, fmt.Sprintf("%d cores", e.Cores))
	}
	if len(e.Features) > 0 {
		parts = append(parts, strings.Join(e.Features, ", "))
	}
	return strings.Join(parts, ", ") + "; clock: " + e.Clock
}
