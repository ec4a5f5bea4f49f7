package monitor

import (
	"strings"
	"testing"
	"time"

	"assay/internal/severity"
)

// Each field of each rule reads what it writes, so that a form and the file lose nothing.
func TestRuleFieldsReadWhatTheyWrite(t *testing.T) {
	for _, r := range Rules() {
		texts := map[string]string{}
		for _, f := range RuleFields() {
			if !f.Own {
				texts[f.Name] = f.Get(r)
			}
		}
		same, err := RuleChanges{r.ID: texts}.find(r.ID)
		if err != nil || len(same.texts()) > 0 {
			t.Errorf("%s: %v gives %+v, %v", r.ID, texts, same, err)
		}
		if c, err := (RuleChanges{}).Set(r.ID, texts); err != nil || len(c) > 0 {
			t.Errorf("%s with its own values counts as changed: %v, %v", r.ID, c, err)
		}
	}
}

func TestRuleIsChangedAndReset(t *testing.T) {
	c, err := RuleChanges{}.Set("memory.full", map[string]string{"raise": "75%", "for": "1 min", "severity": "critical"})
	if err != nil {
		t.Fatal(err)
	}
	c, err = c.Set("memory.full", map[string]string{"state": "off"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.find("memory.full")
	if err != nil || r.Level(r.Raise) != "75 %" || r.Level(r.Clear) != "70 %" || r.RaiseAfter != time.Minute || r.Severity != severity.Critical || !r.Off {
		t.Errorf("%+v, %v", r, err)
	}
	if got, want := r.Condition(), "Raised at 75 % or more for 1 min, cleared at 70 % or less for 5 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if len(c["memory.full"]) != 5 { // raise and clear, for, severity, state
		t.Errorf("kept %v", c)
	}
	if c = c.Reset("memory.full"); len(c) > 0 {
		t.Errorf("after a reset %v", c)
	}
}

// A user's own rule may be about high or low values, of numbers and of states.
func TestOwnRules(t *testing.T) {
	c := RuleChanges{}
	for id, texts := range map[string]map[string]string{
		"hot":   {"metric": TemperatureGPU, "raise": "80 °C", "title": "GPU hot"},
		"idle":  {"metric": HostCPU, "raise": "5 %", "clear": "10 %"},
		"heat":  {"metric": ThermalState, "raise": "fair"},
		"bytes": {"metric": HostSwap, "raise": "1.5 GiB"},
	} {
		var err error
		if c, err = c.Set(id, texts); err != nil {
			t.Fatal(err)
		}
	}
	rules, err := c.Apply()
	if err != nil || len(rules) != len(Rules())+4 {
		t.Fatalf("%d rules, %v", len(rules), err)
	}
	o := newObserver(t, rules...)
	snap := func() []Alert {
		return o.next(
			Template(TemperatureGPU, "").ok(91), Template(HostCPU, "").ok(0.01),
			Template(ThermalState, "").reported(Fair), Template(HostSwap, "").ok(1.7e9))
	}
	snap()
	var raised []string
	for range 4 {
		for _, a := range snap() {
			raised = append(raised, a.ID+": "+a.Cause)
		}
	}
	want := "bytes: Swap used: 1.7 GB (limit 1.61 GB)|heat: Thermal state: fair (limit fair)|hot: Temperature (GPU): 91 °C (limit 80 °C)|idle: Host CPU: 1 % (limit 5 %)"
	if got := strings.Join(raised, "|"); got != want {
		t.Errorf("raised %s, want %s", got, want)
	}
}

// Invalid values are reported with the rule, the field and the allowed values.
func TestBadRules(t *testing.T) {
	for _, c := range []struct{ id, field, text, want string }{
		{"memory.full", "raise", "120 %", "rule memory.full: raise: must be between 0 and 100 % (you entered \"120 %\")"},
		{"memory.full", "raise", "90", "must be between 0 and 100 %"},
		{"memory.full", "clear", "95 %", "want a value below raise, 90 %"},
		{"memory.full", "clear", "90 %", "the same as raise"},
		{"pool.reuse", "clear", "10 %", "want a value above raise, 50 %"},
		{"memory.full", "for", "2h", "must be between 0 and 60 min"},
		{"memory.full", "severity", "loud", "must be info, warning or critical"},
		{"memory.full", "metric", HostCPU, "only custom rules"},
		{"memory.full", "color", "red", "unknown fields"},
		{"thermal.serious", "raise", "90 %", "must be nominal, fair, serious or critical"},
		{"swap.growth", "raise", "-5 MB/s", "must be 0 or more, with its unit, B/s"},
		{"swap.growth", "raise", "5 MB", "must be 0 or more, with its unit, B/s"},
		{"memory.ful", "raise", "90 %", "metric: choose a metric"},
		{"mine", "metric", GPUClockLimit, "must be a metric with a number"},
		{"mine", "metric", HostCPU, "enter the value at which the alert is raised"},
		{"Not a name", "metric", HostCPU, "want 1 to 60 lowercase letters"},
	} {
		if _, err := (RuleChanges{}).Set(c.id, map[string]string{c.field: c.text}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s=%q: %v, want %q", c.id, c.field, c.text, err, c.want)
		}
	}
	bad := RuleChanges{"memory.full": {"raise": "x"}, "throttling": {"raise": "20 %"}, "mine": {}}
	rules, err := bad.Apply()
	if err == nil || len(rules) != len(Rules()) {
		t.Fatalf("%d rules, %v", len(rules), err)
	}
	for _, r := range rules {
		if r.Changed() != (r.ID == "throttling") {
			t.Errorf("%+v", r)
		}
	}
}

// Rules can change while alerts are active: alerts of changed rules are withdrawn, others continue.
func TestRulesChangeWhileAlertsStand(t *testing.T) {
	other := full
	other.ID, other.Metric = "other", "n"
	o := newObserver(t, full, other)
	for range 4 {
		o.next(value("m", 0.95), value("n", 0.95))
	}
	if len(o.Active()) != 2 {
		t.Fatalf("%+v", o.Active())
	}
	off := full
	off.Off = true
	ended, err := o.SetRules([]Rule{off, other})
	if err != nil || len(ended) != 1 || ended[0].ID != "full" || ended[0].Active() || !strings.HasSuffix(ended[0].Cause, "; withdrawn: its rule was changed") {
		t.Errorf("%+v, %v", ended, err)
	}
	for range 4 {
		if changes := o.next(value("m", 0.95), value("n", 0.95)); len(changes) > 0 {
			t.Errorf("%+v", changes)
		}
	}
	if active := o.Active(); len(active) != 1 || active[0].ID != "other" {
		t.Errorf("%+v", active)
	}
	if _, err := o.SetRules([]Rule{other, other}); err == nil || len(o.Active()) != 1 {
		t.Errorf("a duplicate rule: %v", err)
	}
}
