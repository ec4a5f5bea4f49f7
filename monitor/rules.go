package monitor

import (
	"fmt"
	"math"
	"time"

	"assay/internal/plain"
	"assay/internal/severity"
)

// Rule raises an alert when a metric has been at or beyond Raise for RaiseAfter, and clears it when the metric has been
// at or within Clear for ClearAfter. The gap between the thresholds and the two times are the hysteresis: a value that
// fluctuates around a threshold changes nothing. Raise above Clear watches for high values, Raise below Clear for low ones.
// States are compared by rank.
type Rule struct {
	ID         string
	Metric     string // its ID; in the catalog, the metric that has the rule
	Severity   severity.Level
	Title      string
	Cause      string // what it means; the value precedes it
	Advice     string // what to do, in a plain sentence
	Raise      float64
	Clear      float64
	RaiseAfter time.Duration
	ClearAfter time.Duration
	While      string // metric that must be above Above, or else the rule sees no problem; empty: always
	Above      float64
	Off        bool // it raises no alert
	Own        bool // the user's, not the catalog's
}

// Rules returns the rules of all metrics in the catalog.
func Rules() []Rule {
	var rules []Rule
	for _, m := range Catalog() {
		for _, r := range m.Rules {
			r.Metric = m.ID
			rules = append(rules, r)
		}
	}
	return rules
}

// Advice returns what to do about an alert of one of the rules; empty for other alerts.
func Advice(id string) string {
	for _, r := range Rules() {
		if r.ID == id {
			return r.Advice
		}
	}
	return ""
}

// check returns an error if a rule is invalid.
func (r *Rule) check() error {
	switch {
	case r.ID == "" || r.Metric == "":
		return fmt.Errorf("alert rule %q on metric %q: want both names", r.ID, r.Metric)
	case r.Raise == r.Clear || math.IsNaN(r.Raise) || math.IsNaN(r.Clear):
		return fmt.Errorf("alert rule %q: raise %v and clear %v leave no hysteresis", r.ID, r.Raise, r.Clear)
	case r.RaiseAfter < 0 || r.ClearAfter < 0:
		return fmt.Errorf("alert rule %q: negative duration", r.ID)
	case !r.Severity.Known():
		return fmt.Errorf("alert rule %q: severity %q want info, warning or critical", r.ID, r.Severity)
	}
	return nil
}

func (r *Rule) raises(v float64) bool {
	if r.Raise > r.Clear {
		return v >= r.Raise
	}
	return v <= r.Raise
}

func (r *Rule) clears(v float64) bool {
	if r.Raise > r.Clear {
		return v <= r.Clear
	}
	return v >= r.Clear
}

// cause is the words of an alert: "93.1 % of the memory is in use; … (limit 90 %)".
func (r *Rule) cause(s *Snapshot, value float64, unit string) string {
	reading, _ := s.Find(r.Metric)
	if reading.Text != "" && r.Own {
		return fmt.Sprintf("%s: %s (limit %s)", reading.Title, reading.Text, r.Level(r.Raise))
	}
	if reading.Text != "" {
		return plain.Capitalized(string(reading.Text)) + " " + r.Cause
	}
	if r.Own {
		return fmt.Sprintf("%s: %s (limit %s)", reading.Title, Format(value, unit), Format(r.Raise, unit))
	}
	return fmt.Sprintf("%s %s (limit %s)", Format(value, unit), r.Cause, Format(r.Raise, unit))
}
