package monitor

import (
	"fmt"
	"math"
	"sort"
	"sync"
	"time"

	"assay/internal/severity"
)

// Alert is something that is wrong, or was: Cleared is zero while it still is.
type Alert struct {
	ID       string
	Severity severity.Level
	Title    string
	Cause    string // in words, with value and unit
	Raised   time.Time
	Cleared  time.Time
}

// Active reports whether the alert still stands.
func (a Alert) Active() bool { return a.Cleared.IsZero() }

// AbsentAfter is how long a metric may be without a value before an alert on it is withdrawn. Until then a reading
// without value neither raises nor clears: what cannot be seen has not been seen to end. After it the alert would tell
// of something no longer measured, such as a closed engine.
const AbsentAfter = time.Minute

// Alerts judges snapshots by rules and keeps the alerts that stand. It is safe for concurrent use.
type Alerts struct {
	mu     sync.Mutex
	rules  []ruleState
	active map[string]Alert
	now    func() time.Time
}

// ruleState is a rule and how long its condition has held.
type ruleState struct {
	Rule
	beyond time.Time // since when the value has been at or beyond Raise without a gap; zero when it is not
	within time.Time // since when it has been at or within Clear; zero when it is not
	seen   time.Time // last time it had a value
}

// NewAlerts judges by rules. A rule with a repeated ID or with thresholds that leave no hysteresis is an error.
func NewAlerts(rules []Rule) (*Alerts, error) {
	a := &Alerts{active: map[string]Alert{}, now: time.Now}
	ids := map[string]bool{}
	for _, r := range rules {
		if err := r.check(); err != nil {
			return nil, err
		}
		if ids[r.ID] {
			return nil, fmt.Errorf("duplicate alert rule %q", r.ID)
		}
		ids[r.ID] = true
		a.rules = append(a.rules, ruleState{Rule: r})
	}
	return a, nil
}

// Observe judges one snapshot and returns the alerts that it raised or cleared. Snapshots come in order of time.
func (a *Alerts) Observe(s Snapshot) []Alert {
	a.mu.Lock()
	defer a.mu.Unlock()
	var changes []Alert
	for i := range a.rules {
		if change, changed := a.judge(&a.rules[i], &s); changed {
			changes = append(changes, change)
		}
	}
	return changes
}

// Active is the alerts that stand, the most severe first, then the oldest.
func (a *Alerts) Active() []Alert {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]Alert, 0, len(a.active))
	for _, alert := range a.active {
		list = append(list, alert)
	}
	sort.Slice(list, func(i, j int) bool {
		if si, sj := list[i].Severity.Rank(), list[j].Severity.Rank(); si != sj {
			return si > sj
		}
		if !list[i].Raised.Equal(list[j].Raised) {
			return list[i].Raised.Before(list[j].Raised)
		}
		return list[i].ID < list[j].ID
	})
	return list
}

// Raise is for what no rule sees, such as a leak verdict. An alert that stands already gets the new words and keeps its
// time; changed reports whether it is new.
func (a *Alerts) Raise(id string, level severity.Level, title, cause string) (alert Alert, changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	alert, stands := a.active[id]
	if !stands {
		alert = Alert{ID: id, Raised: a.now()}
	}
	alert.Severity, alert.Title, alert.Cause = level, title, cause
	a.active[id] = alert
	return alert, !stands
}

// Clear ends an alert; changed is false when none stood.
func (a *Alerts) Clear(id string) (alert Alert, changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end(id, a.now(), "")
}

// judge moves one rule on by one snapshot.
func (a *Alerts) judge(r *ruleState, s *Snapshot) (Alert, bool) {
	_, stands := a.active[r.ID]
	value, unit, ok := r.level(s)
	busy, known := r.busy(s)
	if !ok || !known {
		r.beyond, r.within = time.Time{}, time.Time{} // only an unbroken stretch counts
		if stands && s.Time.Sub(r.seen) >= AbsentAfter {
			return a.end(r.ID, s.Time, "; withdrawn: the metric is no longer measured")
		}
		return Alert{}, false
	}
	r.seen = s.Time
	since(&r.beyond, s.Time, busy && r.raises(value))
	since(&r.within, s.Time, !busy || r.clears(value))
	switch {
	case !stands && held(r.beyond, s.Time, r.RaiseAfter):
		alert := Alert{ID: r.ID, Severity: r.Severity, Title: r.Title, Cause: r.cause(s, value, unit), Raised: s.Time}
		a.active[r.ID] = alert
		return alert, true
	case stands && held(r.within, s.Time, r.ClearAfter):
		return a.end(r.ID, s.Time, "")
	}
	return Alert{}, false
}

// end closes an alert that stands; the caller holds mu.
func (a *Alerts) end(id string, at time.Time, note string) (Alert, bool) {
	alert, stands := a.active[id]
	if !stands {
		return Alert{}, false
	}
	delete(a.active, id)
	alert.Cleared = at
	alert.Cause += note
	return alert, true
}

// since keeps the time at which a condition began to hold.
func since(begin *time.Time, now time.Time, holds bool) {
	switch {
	case !holds:
		*begin = time.Time{}
	case begin.IsZero():
		*begin = now
	}
}

// held reports whether a condition has held for d.
func held(begin, now time.Time, d time.Duration) bool {
	return !begin.IsZero() && now.Sub(begin) >= d
}

// level is the number that a rule compares: the value, or the rank of a state.
func (r *Rule) level(s *Snapshot) (value float64, unit string, ok bool) {
	reading, found := s.Find(r.Metric)
	if !found || reading.Status != OK {
		return 0, "", false
	}
	if reading.Text != "" {
		rank, known := reading.Text.Rank()
		return float64(rank), "", known
	}
	return reading.Value, reading.Unit, !math.IsNaN(reading.Value)
}

// busy reports whether the rule's While metric is above zero; known is false when that metric has no value.
func (r *Rule) busy(s *Snapshot) (busy, known bool) {
	if r.While == "" {
		return true, true
	}
	v, ok := s.Value(r.While)
	return v > 0, ok
}
