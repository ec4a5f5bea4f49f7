package scrape

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"assay/monitor"
)

// Run is the run in progress.
type Run struct {
	ID, Workload, Engine, Device string
	Fraction                     float64 // share of it that is done
	Left                         float64 // seconds, estimated; 0: unknown
	Results                      int     // recorded so far
}

// State is what is exported at one time.
type State struct {
	Version  string
	Snapshot monitor.Snapshot // the newest
	Alerts   []monitor.Alert  // active
	Run      *Run             // nil: none is in progress
	Runs     int              // that have ended since Assay started
}

// collector exports the state at the time of the request.
type collector struct{ state func() State }

// Describe is part of prometheus.Collector; it describes nothing, since the metrics differ from machine to machine.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect is part of prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	s := c.state()
	w := &writer{out: out, seen: map[string]bool{}}
	w.gauge("assay_build_info", "The version of Assay.", 1, "version", s.Version)
	if !s.Snapshot.Time.IsZero() {
		w.gauge("assay_reading_timestamp_seconds", "When the readings were taken.", float64(s.Snapshot.Time.UnixNano())/float64(time.Second))
	}
	for i := range s.Snapshot.Readings {
		w.reading(&s.Snapshot.Readings[i])
	}
	w.alerts(s.Alerts)
	w.run(&s)
}

// writer writes metrics, each series once.
type writer struct {
	out  chan<- prometheus.Metric
	seen map[string]bool // names of readings
}

// gauge writes one value with labels in pairs.
func (w *writer) gauge(name, help string, v float64, labels ...string) {
	w.write(prometheus.GaugeValue, name, help, v, labels...)
}

func (w *writer) write(kind prometheus.ValueType, name, help string, v float64, labels ...string) {
	var keys, values []string
	for i := 0; i+1 < len(labels); i += 2 {
		keys, values = append(keys, labels[i]), append(values, labels[i+1])
	}
	m, err := prometheus.NewConstMetric(prometheus.NewDesc(name, help, keys, nil), kind, v, values...)
	if err != nil {
		m = prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(err), err)
	}
	w.out <- m
}

// reading writes a reading that has a value. Readings that are not available are absent.
func (w *writer) reading(r *monitor.Reading) {
	m, _ := monitor.Lookup(r.Metric)
	n := name(r.Metric, r.Unit)
	if r.Status != monitor.OK || w.seen[n] {
		return
	}
	w.seen[n] = true
	from := string(r.Provenance)
	if r.Text == "" {
		w.gauge(n, help(&m, r), r.Value, "provenance", from)
		return
	}
	states := m.States
	if states == nil {
		states = []monitor.State{r.Text}
	}
	for _, s := range states {
		v := 0.0
		if s == r.Text {
			v = 1
		}
		w.gauge(n, help(&m, r)+" The state in force is 1.", v, "provenance", from, "state", string(s))
	}
}

// alerts writes the active alerts.
func (w *writer) alerts(list []monitor.Alert) {
	w.gauge("assay_alerts_active", "Alerts that are active.", float64(len(list)))
	for _, a := range list {
		w.gauge("assay_alert_active", "An alert that is active.", 1, "alert", a.ID, "severity", string(a.Severity))
	}
}

// run writes how far the run in progress is.
func (w *writer) run(s *State) {
	w.write(prometheus.CounterValue, "assay_runs_total", "Runs that have ended since Assay started.", float64(s.Runs))
	active := 0.0
	if s.Run != nil {
		active = 1
	}
	w.gauge("assay_run_active", "Whether a run is in progress.", active)
	r := s.Run
	if r == nil {
		return
	}
	w.gauge("assay_run_info", "The run in progress.", 1, "run", r.ID, "workload", r.Workload, "engine", r.Engine, "device", r.Device)
	w.gauge("assay_run_progress_ratio", "How much of the run is done, from 0 to 1.", r.Fraction)
	w.gauge("assay_run_results", "Results of the run so far.", float64(r.Results))
	if r.Left > 0 {
		w.gauge("assay_run_left_seconds", "How long the run will take, estimated.", r.Left)
	}
}
