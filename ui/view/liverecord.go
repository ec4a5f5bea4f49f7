package view

import (
	"math"
	"slices"
	"time"

	"assay/monitor"
)

// Span is a stretch of time with a name, such as a case of a run. One whose To is zero goes on.
type Span struct {
	From, To time.Time
	Label    string
	odd      bool // shaded otherwise than its neighbours
}

// Mark is a moment that matters, such as when an alert was raised.
type Mark struct {
	At       time.Time
	Label    string
	Severity monitor.Severity
}

// Bounds of a Record.
const (
	recentSpan = 10 * time.Minute // kept as it came …
	mostRecent = 2400             // … but no more snapshots than this: 10 minutes at 4 a second
	mostSpans  = 512              // and of marks
)

// Record is what live charts draw: the values of every metric, those of the last ten minutes as they came and what lies
// before as the least and the most of equal stretches, and what went on meanwhile. Its size is bounded, however long it
// goes on. The zero Record is empty.
type Record struct {
	epoch   time.Time      // charts count seconds from here: the first snapshot, or the beginning of a run that is over
	turn    int            // counts the runs, at each of which what lies before the one before is forgotten
	columns map[string]int // of a metric in a sample
	known   []seen         // by column
	recent  []sample       // ascending
	past    stretches      // all since the newest run began
	former  stretches      // what lies before, since the run before it began: charts may be paused there
	latest  monitor.Snapshot
	runs    []Span
	cases   []Span
	marks   []Mark
	states  map[string][]Span // by metric, for those that have words
}

// sample is the values of all metrics at one moment; what had none is NaN, or lies behind the end.
type sample struct {
	at     float64
	values []float64
}

// value is that of a column.
func (s *sample) value(column int) float64 {
	if column >= len(s.values) {
		return math.NaN()
	}
	return s.values[column]
}

// seen is the last reading of a metric that had a value.
type seen struct {
	reading monitor.Reading
	at      time.Time
}

// NewRecord is a record of snapshots, oldest first.
func NewRecord(snapshots []monitor.Snapshot) *Record {
	r := &Record{}
	for i := range snapshots {
		r.Add(snapshots[i])
	}
	return r
}

// Add takes in the next snapshot. One from before the last, as when a clock was set back, is left out.
func (r *Record) Add(s monitor.Snapshot) {
	if r.epoch.IsZero() {
		r.epoch, r.columns, r.states = s.Time, map[string]int{}, map[string][]Span{}
	}
	at := r.seconds(s.Time)
	if n := len(r.recent); n > 0 && at <= r.recent[n-1].at {
		return
	}
	r.latest = s
	r.noteStates(&s)
	values := make([]float64, len(r.known), len(r.known)+len(s.Readings))
	for i := range values {
		values[i] = math.NaN()
	}
	for i := range s.Readings {
		values = r.note(values, &s.Readings[i], s.Time)
	}
	r.keep(sample{at, values})
}

// note writes a reading into its column.
func (r *Record) note(values []float64, reading *monitor.Reading, at time.Time) []float64 {
	if reading.Status != monitor.OK {
		return values
	}
	column, ok := r.columns[reading.Metric]
	if !ok {
		column = len(r.known)
		r.columns[reading.Metric] = column
		r.known = append(r.known, seen{})
		values = append(values, math.NaN())
	}
	r.known[column] = seen{*reading, at.Add(-reading.Late)}
	if reading.Text == "" {
		values[column] = reading.Value
	}
	return values
}

// keep adds a sample, and drops the oldest that are too old or too many.
func (r *Record) keep(s sample) {
	old := 0
	for old < len(r.recent) && s.at-r.recent[old].at > recentSpan.Seconds() {
		old++
	}
	old = max(old, len(r.recent)+1-mostRecent)
	r.recent = append(r.recent[:0], r.recent[old:]...)
	r.recent = append(r.recent, s)
	r.past.add(s)
}

// seconds is a time on the charts.
func (r *Record) seconds(t time.Time) float64 { return t.Sub(r.epoch).Seconds() }

// Latest is the newest snapshot.
func (r *Record) Latest() *monitor.Snapshot { return &r.latest }

// last is the newest reading of a metric that had a value; ok is false where none ever had.
func (r *Record) last(metric string) (seen, bool) {
	column, ok := r.columns[metric]
	if !ok {
		return seen{}, false
	}
	return r.known[column], true
}

// since calls add with every sample after a time, oldest first: where the recent ones do not reach back that far, with the
// stretches before them.
func (r *Record) since(after float64, add func(s *sample)) {
	oldest := math.Inf(1)
	if len(r.recent) > 0 {
		oldest = r.recent[0].at
	}
	if after < oldest {
		later := func(s *sample) {
			if s.at > after {
				add(s)
			}
		}
		r.former.before(min(oldest, r.begunBy(math.Inf(1))), later)
		r.past.before(oldest, later)
	}
	for i := range r.recent {
		if r.recent[i].at > after {
			add(&r.recent[i])
		}
	}
}

// BeginRun notes that a run has begun: "whole run" is from here on.
func (r *Record) BeginRun(at time.Time, title string) {
	r.former, r.past = r.past, stretches{}
	r.turn++
	r.runs = next(r.runs, Span{From: at, Label: title})
	for i := range r.recent { // what came with the start, and is known already
		if s := &r.recent[i]; s.at >= r.seconds(at) {
			r.past.add(*s)
		}
	}
}

// EndRun notes the end of the run and of what it did.
func (r *Record) EndRun(at time.Time) {
	r.EndCase(at)
	end(r.runs, at)
}

// BeginCase notes what the run does from now on; the case before it ends here.
func (r *Record) BeginCase(at time.Time, label string) {
	if n := len(r.cases); n > 0 && r.cases[n-1].To.IsZero() && r.cases[n-1].Label == label {
		return
	}
	r.EndCase(at)
	r.cases = next(r.cases, Span{From: at, Label: label})
}

// EndCase notes the end of the case.
func (r *Record) EndCase(at time.Time) { end(r.cases, at) }

// begunBy is when the newest of the runs that had begun by a time began, in seconds; 0, the first snapshot, where none had.
func (r *Record) begunBy(until float64) float64 {
	for _, s := range slices.Backward(r.runs) {
		if from := r.seconds(s.From); from <= until {
			return max(0, from)
		}
	}
	return 0
}

// running reports whether a run goes on.
func (r *Record) running() bool { return len(r.runs) > 0 && r.runs[len(r.runs)-1].To.IsZero() }

// Runs are the runs that were noted, oldest first.
func (r *Record) Runs() []Span { return slices.Clone(r.runs) }

// Cases are their timed cases, oldest first.
func (r *Record) Cases() []Span { return slices.Clone(r.cases) }

// end closes the last span where it is open, not before it began.
func end(list []Span, at time.Time) {
	if n := len(list); n > 0 && list[n-1].To.IsZero() {
		list[n-1].To = at
		if at.Before(list[n-1].From) {
			list[n-1].To = list[n-1].From
		}
	}
}

// next appends a span that is shaded otherwise than the one before it.
func next(list []Span, s Span) []Span {
	if n := len(list); n > 0 {
		s.odd = !list[n-1].odd
	}
	return bounded(append(list, s))
}

// Mark notes a moment.
func (r *Record) Mark(m Mark) { r.marks = bounded(append(r.marks, m)) }

// bounded drops the oldest of a list that has grown too long.
func bounded[T any](list []T) []T {
	if len(list) <= mostSpans {
		return list
	}
	return append(list[:0], list[len(list)-mostSpans:]...)
}
