package monitor

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"assay/internal/severity"
)

// Alert is a current or past problem; Cleared is zero while it is current.
type Alert struct {
	ID       string
	Severity severity.Level
	Title    string
	Cause    string // in words, with value and unit
	Raised   time.Time
	Cleared  time.Time
}

// Active reports whether the alert is not cleared.
func (a Alert) Active() bool { return a.Cleared.IsZero() }

// AbsentAfter is how long a metric may be without a value before its alert is cleared. Until then a reading without a value
// neither raises nor clears an alert, because the problem may persist. After that the alert would be about something that is
// no longer measured, such as a closed engine.
const AbsentAfter = time.Minute

// Alerts evaluates rules on snapshots and keeps the active alerts. It is safe for concurrent use.
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

// NewAlerts returns Alerts with rules. A duplicate ID, or thresholds without hysteresis, are an error.
func NewAlerts(rules []Rule) (*Alerts, error) {
	a := &Alerts{active: map[string]Alert{}, now: time.Now}
	_, err := a.SetRules(rules)
	return a, err
}

// SetRules replaces the rules and returns the alerts that this ends: those of rules that were changed, switched off or removed.
func (a *Alerts) SetRules(rules []Rule) (ended []Alert, err error) {
	ids := map[string]bool{}
	for _, r := range rules {
		if err := r.check(); err != nil {
			return nil, err
		}
		if ids[r.ID] {
			return nil, fmt.Errorf("duplicate alert rule %q", r.ID)
		}
		ids[r.ID] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.rules
	a.rules = nil
	for _, r := range rules {
		state := ruleState{Rule: r}
		if i := slices.IndexFunc(before, func(s ruleState) bool { return s.Rule == r }); i >= 0 {
			state = before[i]
			before = slices.Delete(before, i, i+1)
		}
		if !r.Off {
			a.rules = append(a.rules, state)
		}
	}
	for i := range before {
		if alert, stood := a.end(before[i].ID, a.now(), "; withdrawn: its rule was changed"); stood {
			ended = append(ended, alert)
		}
	}
	return ended, nil
}

// Observe evaluates the rules on one snapshot and returns the alerts that it raised or cleared. Snapshots must be in
// chronological order.
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

// Active returns the active alerts, the most severe first, then the oldest.
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

// Raise raises an alert that no rule covers, such as a leak verdict. If it is already active, its text is updated and its
// time stays; changed reports whether the alert or its text is new.
func (a *Alerts) Raise(id string, level severity.Level, title, cause string) (alert Alert, changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	alert, stands := a.active[id]
	if !stands {
		alert = Alert{ID: id, Raised: a.now()}
	}
	changed = !stands || alert.Severity != level || alert.Title != title || alert.Cause != cause
	alert.Severity, alert.Title, alert.Cause = level, title, cause
	a.active[id] = alert
	return alert, changed
}

// Clear clears an alert; changed is false if it was not active.
func (a *Alerts) Clear(id string) (alert Alert, changed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end(id, a.now(), "")
}

// judge evaluates one rule on one snapshot.
func (a *Alerts) judge(r *ruleState, s *Snapshot) (Alert, bool) {
	_, stands := a.active[r.ID]
	value, unit, ok := r.level(s)
	busy, known := r.busy(s)
	if !ok || !known {
		r.beyond, r.within = time.Time{}, time.Time{} // only an uninterrupted period counts
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

// end clears an active alert; the caller holds mu.
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

// since records the time at which a condition began to hold.
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

// busy reports whether the rule's While metric is above its threshold; known is false if that metric has no value.
func (r *Rule) busy(s *Snapshot) (busy, known bool) {
	if r.While == "" {
		return true, true
	}
	v, ok := s.Value(r.While)
	return v > r.Above, ok
}
