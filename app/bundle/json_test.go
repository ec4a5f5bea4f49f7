package bundle

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/monitor"
)

// Infinity is a known value: it is distinguished from unknown, and finite numbers stay numbers.
func TestJSONNumbers(t *testing.T) {
	for text, c := range map[string]Cell{
		`"inf"`: math.Inf(1), `"-inf"`: math.Inf(-1), "null": math.NaN(), "0": 0.0, "1e-300": 1e-300, "null ": decimal(math.NaN()),
		`"inf" `: decimal(math.Inf(1)), "10.0": decimal(10),
	} {
		got, err := json.Marshal(jsonValue(c))
		if want := strings.TrimSpace(text); err != nil || string(got) != want {
			t.Errorf("%v is %s, %v, want %s", c, got, err, want)
		}
	}
	s := runstest.Snapshot()
	s.Readings[0].Value = math.Inf(-1)
	got, err := json.Marshal(SnapshotJSON(s))
	if err != nil || !strings.Contains(string(got), `"value":"-inf"`) {
		t.Errorf("a reading: %s, %v", got, err)
	}
}

func TestMonitorCSV(t *testing.T) {
	var buf bytes.Buffer
	m, err := NewMonitorCSV(&buf)
	runstest.Check(t, err)
	s := runstest.Snapshot()
	s.Readings[0].Late = 750 * time.Millisecond
	runstest.Check(t, m.Write(s))
	if !strings.Contains(buf.String(), "ok,,0.75\r\n") {
		t.Errorf("a late value does not say so: %s", buf.Bytes())
	}
	got, err := parseSnapshots(&buf)
	runstest.Check(t, err)
	runstest.Same(t, "snapshots", got, []monitor.Snapshot{s})
	data, err := json.Marshal(SnapshotJSON(s))
	runstest.Check(t, err)
	if !strings.Contains(string(data), `"value":null,"text":"","unit":"°C","source":"","provenance":"","status":"unavailable"`) {
		t.Errorf("JSON %s", data)
	}
}
