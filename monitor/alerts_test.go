package monitor

import (
	"math"
	"strings"
	"testing"
	"time"

	"assay/internal/severity"
)

// observer feeds alerts with one metric, a second apart.
type observer struct {
	*Alerts
	now time.Time
}

func newObserver(t *testing.T, rules ...Rule) *observer {
	t.Helper()
	a, err := NewAlerts(rules)
	if err != nil {
		t.Fatal(err)
	}
	return &observer{Alerts: a, now: time.Unix(1000, 0)}
}

func (o *observer) next(readings ...Reading) []Alert {
	o.now = o.now.Add(time.Second)
	return o.Observe(Snapshot{Time: o.now, Readings: readings})
}

func value(metric string, v float64) Reading { return Reading{Metric: metric, Unit: "ratio"}.ok(v) }

var full = Rule{
	ID: "full", Metric: "m", Severity: severity.Warning, Title: "Full", Cause: "is in use",
	Raise: 0.9, Clear: 0.8, RaiseAfter: 2 * time.Second, ClearAfter: 3 * time.Second,
}

func TestAlertRaisesAndClearsWithHysteresis(t *testing.T) {
	o := newObserver(t, full)
	// ↑ raised, ↓ cleared, · no change; one value a second.
	script := []struct {
		value  float64
		change string
	}{
		{0.95, "·"},
		{0.95, "·"},
		{0.5, "·"}, // too short
		{0.9, "·"},
		{0.9, "·"},
		{0.93, "↑"}, // at the threshold for 2 s
		{0.99, "·"},
		{0.85, "·"},
		{0.85, "·"},
		{0.85, "·"},
		{0.85, "·"}, // between the thresholds it stays
		{0.8, "·"},
		{0.8, "·"},
		{0.85, "·"}, // below Clear for too short
		{0.7, "·"},
		{0.7, "·"},
		{0.7, "·"},
		{0.7, "↓"},
		{0.7, "·"},
	}
	for i, step := range script {
		changes := o.next(value("m", step.value))
		got := "·"
		if len(changes) == 1 && changes[0].Active() {
			got = "↑"
		} else if len(changes) == 1 {
			got = "↓"
		}
		if got != step.change || len(changes) > 1 {
			t.Fatalf("second %d, value %v: %s, want %s", i, step.value, got, step.change)
		}
	}
}

func TestAlertTellsCauseAndTimes(t *testing.T) {
	o := newObserver(t, full)
	o.next(value("m", 0.95))
	o.next(value("m", 0.95))
	raised := o.next(value("m", 0.931))
	if len(raised) != 1 || raised[0].Cause != "93.1 % is in use (limit 90 %)" || !raised[0].Raised.Equal(o.now) {
		t.Fatalf("raised %+v", raised)
	}
	if active := o.Active(); len(active) != 1 || active[0] != raised[0] {
		t.Errorf("active %+v", active)
	}
	var cleared []Alert
	for range 4 {
		cleared = o.next(value("m", 0.1))
	}
	if len(cleared) != 1 || !cleared[0].Cleared.Equal(o.now) || !cleared[0].Raised.Equal(raised[0].Raised) {
		t.Errorf("cleared %+v", cleared)
	}
	if len(o.Active()) != 0 {
		t.Error("still active")
	}
}

func TestMissingReadingsNeitherRaiseNorClear(t *testing.T) {
	o := newObserver(t, full)
	gone := Reading{Metric: "m"}.unavailable("gone")
	for range 5 { // a gap in the evidence begins the wait again
		if c := append(o.next(value("m", 1)), append(o.next(gone), o.next(value("m", math.NaN()))...)...); len(c) != 0 {
			t.Fatalf("raised over a gap: %+v", c)
		}
	}
	o.next(value("m", 1))
	o.next(value("m", 1))
	if c := o.next(value("m", 1)); len(c) != 1 {
		t.Fatal("not raised")
	}
	for range 59 {
		if c := o.next(gone); len(c) != 0 {
			t.Fatalf("changed by absence: %+v", c)
		}
	}
	c := o.next()
	if len(c) != 1 || c[0].Active() || !strings.HasSuffix(c[0].Cause, "no longer measured") {
		t.Errorf("after %v of absence: %+v", AbsentAfter, c)
	}
}

func TestRuleForLowValuesWhileBusy(t *testing.T) {
	rule := Rule{
		ID: "reuse", Metric: "m", Severity: severity.Info, Raise: 0.5, Clear: 0.7, While: "busy",
	}
	o := newObserver(t, rule)
	if c := o.next(value("m", 0.1), value("busy", 0)); len(c) != 0 {
		t.Fatalf("raised while idle: %+v", c)
	}
	if c := o.next(value("m", 0.1)); len(c) != 0 {
		t.Fatalf("raised while it is not known whether busy: %+v", c)
	}
	if c := o.next(value("m", 0.1), value("busy", 1)); len(c) != 1 || !c[0].Active() {
		t.Fatalf("not raised while busy: %+v", c)
	}
	if c := o.next(value("m", 0.1), value("busy", 0)); len(c) != 1 || c[0].Active() {
		t.Fatalf("not cleared when idle: %+v", c)
	}
}

func TestRuleAboveAThreshold(t *testing.T) {
	o := newObserver(t, Rule{ID: "waste", Metric: "m", Severity: severity.Info, Raise: 0.5, Clear: 0.4, While: "bytes", Above: 100})
	if c := o.next(value("m", 0.9), value("bytes", 100)); len(c) != 0 {
		t.Fatalf("raised for little: %+v", c)
	}
	if c := o.next(value("m", 0.9), value("bytes", 101)); len(c) != 1 || !c[0].Active() {
		t.Fatalf("not raised: %+v", c)
	}
}

func TestThermalRules(t *testing.T) {
	o := newObserver(t, Rules()...)
	state := func(text State) Reading { return Template(ThermalState, "test").state(text) }
	var raised []Alert
	for range 5 {
		raised = append(raised, o.next(state(Critical))...)
	}
	if len(raised) != 2 || raised[0].ID != "thermal.critical" || raised[1].ID != "thermal.serious" {
		t.Fatalf("raised %+v", raised)
	}
	if !strings.HasPrefix(raised[0].Cause, "Critical thermal state") {
		t.Errorf("cause %q", raised[0].Cause)
	}
	for range 15 {
		o.next(state(Serious))
	}
	if active := o.Active(); len(active) != 1 || active[0].ID != "thermal.serious" {
		t.Errorf("when serious, active are %+v", active)
	}
	for range 15 {
		o.next(state(Fair))
	}
	if active := o.Active(); len(active) != 0 {
		t.Errorf("when fair, active are %+v", active)
	}
}

// Every default rule must be able to raise, and to clear.
func TestDefaultRulesRaiseAndClear(t *testing.T) {
	for _, r := range Rules() {
		o := newObserver(t, r)
		reading, calm := value(r.Metric, r.Raise), value(r.Metric, r.Clear)
		if m, _ := Lookup(r.Metric); m.Show == AsWord {
			reading = Template(m.ID, "test").state([]State{Nominal, Fair, Serious, Critical}[int(r.Raise)])
			calm = Template(m.ID, "test").state([]State{Nominal, Fair, Serious, Critical}[int(r.Clear)])
		}
		changes := 0
		for _, now := range []Reading{reading, calm} {
			for range 30 {
				changes += len(o.next(now, value(EngineBytes, 1), value(PoolWasted, 2*minWasted)))
			}
		}
		if changes != 2 || len(o.Active()) != 0 {
			t.Errorf("%s: %d changes, want one raise and one clear", r.ID, changes)
		}
		if r.Title == "" || r.Cause == "" || r.RaiseAfter <= 0 || r.ClearAfter <= 0 {
			t.Errorf("%s: incomplete: %+v", r.ID, r)
		}
	}
}

func TestRaiseAndClearByCode(t *testing.T) {
	o := newObserver(t)
	first, changed := o.Raise("leak", severity.Critical, "Leak", "1 MB")
	if !changed || first.Raised.IsZero() {
		t.Fatalf("first raise: %+v, %v", first, changed)
	}
	again, changed := o.Raise("leak", severity.Critical, "Leak", "2 MB")
	if !changed || again.Cause != "2 MB" || !again.Raised.Equal(first.Raised) {
		t.Errorf("second raise: %+v, %v", again, changed)
	}
	if _, changed := o.Raise("leak", severity.Critical, "Leak", "2 MB"); changed {
		t.Error("the same words are a change")
	}
	o.Raise("hint", severity.Info, "Hint", "x")
	o.Raise("warn", severity.Warning, "Warn", "x")
	if a := o.Active(); len(a) != 3 || a[0].ID != "leak" || a[1].ID != "warn" || a[2].ID != "hint" {
		t.Errorf("order %+v", a)
	}
	if ended, changed := o.Clear("leak"); !changed || ended.Active() {
		t.Errorf("clear: %+v, %v", ended, changed)
	}
	if _, changed := o.Clear("leak"); changed {
		t.Error("cleared twice")
	}
}

func TestNewAlertsRefusesBadRules(t *testing.T) {
	flat, unnamed, unknown, past := full, full, full, full
	flat.Clear = flat.Raise
	unnamed.ID = ""
	unknown.Severity = "dire"
	past.ClearAfter = -1
	for _, rules := range [][]Rule{{flat}, {unnamed}, {unknown}, {past}, {full, full}} {
		if _, err := NewAlerts(rules); err == nil {
			t.Errorf("accepted %+v", rules)
		}
	}
}
