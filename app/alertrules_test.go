package app

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/severity"
	"assay/monitor"
)

// A changed rule applies from the next reading on, even in a session of another process.
func TestChangedRulesAreInForceAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "alerts.json")
	open := func() *Session {
		s, err := New(Config{AlertFile: file, RunsDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s, other := open(), open()
	rec := &recorder{}
	s.Subscribe(rec.take)
	now := time.Now()
	tick := func() {
		now = now.Add(10 * time.Second)
		full := monitor.Template(monitor.HostMemoryFull, "test")
		full.Value, full.Status = 0.6, monitor.OK
		s.tick(monitor.Snapshot{Time: now, Readings: []monitor.Reading{full}})
	}
	tick()
	tick()
	if a := s.Alerts(); len(a) > 0 {
		t.Fatalf("%+v", a)
	}
	if err := other.AlertRules().Set("memory.full", map[string]string{"raise": "50 %", "severity": "critical"}); err != nil {
		t.Fatal(err)
	}
	tick() // takes it over
	tick()
	tick()
	if a := s.Alerts(); len(a) != 1 || a[0].ID != "memory.full" || a[0].Severity != severity.Critical || !strings.Contains(a[0].Cause, "limit 50 %") {
		t.Fatalf("%+v", a)
	}
	if err := s.AlertRules().Reset(); err != nil {
		t.Fatal(err)
	}
	if a := s.Alerts(); len(a) > 0 {
		t.Errorf("after the reset %+v", a)
	}
	var words []string
	for _, u := range rec.updates {
		if a, ok := u.(AlertUpdate); ok {
			words = append(words, a.Alert.Cause)
		}
	}
	if len(words) != 2 || !strings.HasSuffix(words[1], "withdrawn: its rule was changed") {
		t.Errorf("told %q", words)
	}
}

func TestRulesWithoutAFolder(t *testing.T) {
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(v, "")
	}
	s, err := New(Config{RunsDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // nothing was opened
	if rules, err := s.AlertRules().List(); err != nil || len(rules) != len(monitor.Rules()) {
		t.Errorf("%d rules, %v", len(rules), err)
	}
	if err := s.AlertRules().Set("memory.full", map[string]string{"raise": "50 %"}); err == nil || !strings.Contains(err.Error(), "home folder is unknown") {
		t.Errorf("%v", err)
	}
}
