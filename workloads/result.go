package workloads

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads/measure"
)

// Status is the outcome of a variant.
type Status string

// Statuses of a result.
const (
	OK          Status = "ok"
	Failed      Status = "failed"      // it ran, but its outputs were wrong; it has no time
	Errored     Status = "error"       // it could not run
	Unsupported Status = "unsupported" // the engine lacks what it needs
)

// Title returns a status in words.
func (s Status) Title() string {
	switch s {
	case OK:
		return "Correct"
	case Failed:
		return "Wrong result"
	case Errored:
		return "Error"
	case Unsupported:
		return "Not supported"
	}
	return string(s)
}

// Setting is the value of one axis in a case.
type Setting struct {
	Name  string
	Value any // int, float64 or string
}

// Result is one variant of one case.
type Result struct {
	ID       string // unique in the run; findings and events point at it
	Job      int    // index in the run, from 0
	Workload string
	Case     string
	Variant  string
	Settings []Setting
	Started  time.Time
	Status   Status
	Failure  Failure // why there is no time
	Warnings []Warning

	Values   metric.Values      // missing values are unknown
	Samples  []float64          // seconds per repetition; all that count, in the order in which they were taken
	SetAside []measure.SetAside // disturbed samples, which no statistic uses
	Stop     measure.Stop
	Baseline string // the variant that the speedup is relative to

	Marks []Mark // kinds of the findings that point at this result; derived from the findings
}

// ResultID names result n of a job, both counted from 0.
func ResultID(job, n int) string { return fmt.Sprintf("%d.%d", job+1, n+1) }

// Key matches results of different runs, whose IDs are unrelated, by what was measured.
type Key struct{ Workload, Settings, Variant string }

// Key says what the result measured, by the axes on which two runs are matched. It omits the case's name, which only words
// the settings.
func (r *Result) Key(matches func(axis string) bool) Key {
	var at []string
	for _, s := range r.Settings {
		if matches(s.Name) {
			at = append(at, fmt.Sprintf("%s=%v", s.Name, s.Value))
		}
	}
	slices.Sort(at)
	return Key{r.Workload, strings.Join(at, "\n"), r.Variant}
}

// Number returns a metric's value, or a numeric setting; NaN if it is not known.
func (r *Result) Number(q metric.Name) float64 { return r.Get(q).Median }

// Get returns a metric's value with its interval, or a numeric setting. Lo and Hi equal Median if there is no
// interval; all are NaN if it is not known.
func (r *Result) Get(q metric.Name) stats.Interval {
	switch v := r.Setting(string(q)).(type) {
	case int:
		return stats.Exact(float64(v))
	case float64:
		return stats.Exact(v)
	}
	return r.Values.Get(q)
}

// WithoutTime says, once, why an unverified result has no time.
func (r *Result) WithoutTime() string {
	title := r.Status.Title()
	if reason := r.Reason(); reason != "" {
		return title + ": " + reason
	}
	return title
}

// Reason returns the failure behind the status, without what the status already says.
func (r *Result) Reason() string {
	said := strings.ToLower(r.Status.Title()) + ": "
	if at := strings.LastIndex(r.Failure.Text, said); at >= 0 {
		return r.Failure.Text[at+len(said):]
	}
	return r.Failure.Text
}

// Time returns the time of a repetition.
func (r *Result) Time() stats.Interval { return r.Values.Get(Time) }

// Speedup returns the baseline's time divided by this one's, from paired samples.
func (r *Result) Speedup() stats.Interval { return r.Values.Get(Speedup) }

// Setting returns the value of an axis, or nil if the case has none with that name.
func (r *Result) Setting(name string) any {
	for _, s := range r.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return nil
}

// Warn adds a warning unless the result already has it. A semicolon in the text becomes a comma, because files separate warnings with semicolons.
func (r *Result) Warn(kind WarningKind, text string) {
	text = strings.ReplaceAll(text, "; ", ", ")
	if w := (Warning{kind, text}); !slices.Contains(r.Warnings, w) {
		r.Warnings = append(slices.Clone(r.Warnings), w)
	}
}

// Disturbed says what disturbed the samples, if anything did; in that case no conclusion is drawn from their time.
func (r *Result) Disturbed() (text string, disturbed bool) {
	for _, w := range r.Warnings {
		if w.Kind == WarningKind(measure.Disturbed) {
			return w.Text, true
		}
	}
	return "", false
}

// Marked reports whether a finding of that kind points at the result.
func (r *Result) Marked(kind string) bool {
	return slices.ContainsFunc(r.Marks, func(m Mark) bool { return m.Kind == kind })
}

// MarkText lists the kinds of the findings that point at the result, in words: "smallest, fastest".
func (r *Result) MarkText() string {
	kinds := make([]string, len(r.Marks))
	for i := range r.Marks {
		kinds[i] = r.Marks[i].Kind
	}
	return strings.Join(kinds, ", ")
}

// Mark is a finding that points at a result, with its place along an axis, if any.
type Mark struct {
	Kind  string
	Axis  string // name; empty: none
	Place Place
}

// Marks returns marks of these kinds, without a place.
func Marks(kinds ...string) []Mark {
	out := make([]Mark, len(kinds))
	for i, k := range kinds {
		out[i] = Mark{Kind: k, Place: nowhere()}
	}
	return out
}

// Finding is a conclusion of a workload, in one sentence, which points at the result that shows it.
type Finding struct {
	Workload string
	Kind     string // "knee", "crossover", "best"
	Result   string // ID of the result it points at; empty: the whole run
	Case     string // empty: the whole run
	Variant  string
	Text     string // Sentence
	Facts    Facts
}

// Mark adds the finding's kind to the marks of the result it points at, and reports whether there is one. A
// finding without a result is about the whole run.
func (f Finding) Mark(results []Result) bool {
	at := slices.IndexFunc(results, func(r Result) bool { return f.Result != "" && r.ID == f.Result })
	if at < 0 {
		return false
	}
	if r := &results[at]; !r.Marked(f.Kind) {
		r.Marks = append(slices.Clone(r.Marks), Mark{f.Kind, f.Facts.Axis.Name, f.Facts.Place})
	}
	return true
}

// Unmark removes the finding's kind from the marks of the result it points at.
func (f Finding) Unmark(results []Result) {
	for i := range results {
		if r := &results[i]; r.ID == f.Result {
			r.Marks = slices.DeleteFunc(slices.Clone(r.Marks), func(m Mark) bool { return m.Kind == f.Kind })
		}
	}
}
