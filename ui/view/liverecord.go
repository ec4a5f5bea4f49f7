package view

import (
	"slices"
	"time"

	"assay/internal/chart"
	"assay/internal/series"
	"assay/internal/severity"
	"assay/monitor"
)

// Span is a named interval of time, such as a case of a run.
type Span = series.Span

// Mark is a moment that matters, such as when an alert was raised.
type Mark struct {
	At       time.Time
	Label    string
	Severity severity.Level
}

// Bounds of a Record.
const (
	recentSpan = 10 * time.Minute // kept as it came …
	maxRecent  = 2400             // … but no more snapshots than this: 10 minutes at 4 per second
	maxBuckets = 1024             // a chart is about half as many pixels wide
)

// Record is the data of live charts: the values of every metric, with each reading of the last ten minutes and, before that, minima
// and maxima of equal intervals, and spans and marks. Its size is bounded, however long it records. The zero Record is empty.
type Record struct {
	epoch  time.Time     // charts count seconds from here: the first snapshot, or the beginning of a run that is over
	turn   int           // counts the runs; each run drops the data before the previous one
	store  *series.Store // the values, by metric; nil: none yet
	known  map[string]seen
	latest monitor.Snapshot
	runs   series.Spans
	cases  series.Spans
	marks  []Mark
	events []chart.Event           // the marks as charts draw them; nil: to be rebuilt
	states map[string]series.Spans // by metric, for those with states in words
	rules  []monitor.Rule          // alert rules, whose limits are drawn
}

// SetRules sets the rules whose limits are drawn; the default is the catalog's.
func (r *Record) SetRules(rules []monitor.Rule) { r.rules = rules }

// Rules are the rules whose limits are drawn.
func (r *Record) Rules() []monitor.Rule {
	if r.rules == nil {
		r.rules = monitor.Rules()
	}
	return r.rules
}

// seen is the last reading of a metric that had a value.
type seen struct {
	reading monitor.Reading
	at      time.Time
}

// NewRecord returns a record of snapshots, oldest first.
func NewRecord(snapshots []monitor.Snapshot) *Record {
	r := &Record{}
	for i := range snapshots {
		r.Add(snapshots[i])
	}
	return r
}

// Add adds the next snapshot. A snapshot older than the last one, for instance after a clock change, is dropped.
func (r *Record) Add(s monitor.Snapshot) {
	r.start(s.Time)
	if !r.store.Add(r.seconds(s.Time), func(set func(string, float64)) { r.note(&s, set) }) {
		return
	}
	r.latest = s
	r.noteStates(&s)
}

// start makes the zero Record ready; times count from epoch.
func (r *Record) start(epoch time.Time) {
	if r.store != nil {
		return
	}
	r.epoch, r.known, r.states, r.events = epoch, map[string]seen{}, map[string]series.Spans{}, nil
	r.store = series.New(series.Limits{Span: recentSpan.Seconds(), Samples: maxRecent, Buckets: maxBuckets})
}

// note writes the readings of a snapshot into their columns.
func (r *Record) note(s *monitor.Snapshot, set func(string, float64)) {
	for i := range s.Readings {
		reading := &s.Readings[i]
		if reading.Status != monitor.OK {
			continue
		}
		r.known[reading.Metric] = seen{*reading, s.Time.Add(-reading.Late)}
		if reading.Text == "" {
			set(reading.Metric, reading.Value)
		}
	}
}

// each calls add with every sample after a time, oldest first.
func (r *Record) each(after float64, add func(*series.Row)) {
	if r.store != nil {
		r.store.Each(after, add)
	}
}

// column returns the column of a metric in a sample.
func (r *Record) column(metric string) int {
	if r.store == nil {
		return -1
	}
	column, _ := r.store.Column(metric)
	return column
}

// newest returns the time of the newest sample; ok is false if there is none.
func (r *Record) newest() (at float64, ok bool) {
	if r.store == nil || r.store.Len() == 0 {
		return 0, false
	}
	return r.store.Last(), true
}

// seconds returns a time on the charts.
func (r *Record) seconds(t time.Time) float64 { return t.Sub(r.epoch).Seconds() }

// Latest returns the newest snapshot.
func (r *Record) Latest() *monitor.Snapshot { return &r.latest }

// last returns the newest reading of a metric with a value; ok is false if there was none.
func (r *Record) last(metric string) (seen, bool) {
	k, ok := r.known[metric]
	return k, ok
}

// BeginRun records the beginning of a run: "whole run" starts here.
func (r *Record) BeginRun(at time.Time, title string) {
	r.turn++
	r.runs.Append(Span{From: at, Label: title})
	if r.store != nil {
		r.store.Begin(r.seconds(at))
	}
}

// EndRun records the end of the run and of its case.
func (r *Record) EndRun(at time.Time) {
	r.EndCase(at)
	r.runs.End(at)
}

// BeginCase records the beginning of a case; the previous one ends here.
func (r *Record) BeginCase(at time.Time, label string) {
	if n := len(r.cases); n > 0 && r.cases[n-1].To.IsZero() && r.cases[n-1].Label == label {
		return
	}
	r.EndCase(at)
	r.cases.Append(Span{From: at, Label: label})
}

// EndCase records the end of the case.
func (r *Record) EndCase(at time.Time) { r.cases.End(at) }

// begunBy returns the start of the newest run that had begun by a time, in seconds; 0, the first snapshot, if none had.
func (r *Record) begunBy(until float64) float64 {
	for _, s := range slices.Backward(r.runs) {
		if from := r.seconds(s.From); from <= until {
			return max(0, from)
		}
	}
	return 0
}

// running reports whether a run is in progress.
func (r *Record) running() bool { return r.runs.Open() }

// Runs are the recorded runs, oldest first.
func (r *Record) Runs() []Span { return slices.Clone(r.runs) }

// Cases are the timed cases of runs, oldest first.
func (r *Record) Cases() []Span { return slices.Clone(r.cases) }

// Mark notes a moment.
func (r *Record) Mark(m Mark) {
	r.marks, r.events = series.Newest(append(r.marks, m)), nil
}
