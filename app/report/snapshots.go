package report

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"assay/monitor"
)

// monitorColumns are those of monitor.csv: a row per reading, so that a metric that comes or goes changes no column.
func monitorColumns() []string {
	return []string{"time", "metric", "value", "text", "unit", "source", "provenance", "status", "reason"}
}

// readingCells is a row of monitor.csv. A reading without a value has an empty value and says why.
func readingCells(s *monitor.Snapshot, r *monitor.Reading) []cell {
	return []cell{
		s.Time, r.Metric, readingValue(r), r.Text, r.Unit, r.Source, string(r.Provenance), string(r.Status), r.Reason,
	}
}

func snapshotLines(s *monitor.Snapshot) []byte {
	var lines []byte
	for i := range s.Readings {
		lines = append(lines, flatLine(readingCells(s, &s.Readings[i])...)...)
	}
	return lines
}

func readingsJSON(s *monitor.Snapshot) ([]json.RawMessage, error) {
	var rows []json.RawMessage
	for i := range s.Readings {
		o, err := object(monitorColumns(), readingCells(s, &s.Readings[i]))
		if err != nil {
			return nil, err
		}
		rows = append(rows, o)
	}
	return rows, nil
}

// SnapshotJSON is a snapshot to encode as JSON: "time", "cost_s", and "readings" with the fields of monitor.csv.
func SnapshotJSON(s monitor.Snapshot) any { return snapshotJSON(s) }

type snapshotJSON monitor.Snapshot

// MarshalJSON is part of json.Marshaler.
func (s snapshotJSON) MarshalJSON() ([]byte, error) {
	rows, err := readingsJSON((*monitor.Snapshot)(&s))
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Time     time.Time         `json:"time"`
		Cost     float64           `json:"cost_s"`
		Readings []json.RawMessage `json:"readings"`
	}{s.Time.UTC(), s.Cost.Seconds(), rows})
}

// MonitorCSV writes snapshots in the layout of monitor.csv, each in one write.
type MonitorCSV struct{ w io.Writer }

// NewMonitorCSV writes the header.
func NewMonitorCSV(w io.Writer) (*MonitorCSV, error) {
	_, err := w.Write(csvLine(cells(monitorColumns())...))
	return &MonitorCSV{w}, err
}

// Write writes a row per reading.
func (m *MonitorCSV) Write(s monitor.Snapshot) error {
	_, err := m.w.Write(snapshotLines(&s))
	return err
}

func readingValue(r *monitor.Reading) cell {
	if r.Status != monitor.OK || r.Text != "" {
		return nil
	}
	return r.Value
}

// parseSnapshots reads monitor.csv: rows of one time are one snapshot. Titles are not in the file.
func parseSnapshots(r io.Reader) ([]monitor.Snapshot, error) {
	t, err := openTable(monitorFile, r, "time", "metric", "status")
	if err != nil {
		return nil, err
	}
	var out []monitor.Snapshot
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		at, err := t.time("time")
		if err != nil {
			return out, err
		}
		value, err := t.float("value")
		if err != nil {
			return out, err
		}
		reading := monitor.Reading{
			Metric: t.text("metric"), Text: t.text("text"), Unit: t.text("unit"), Source: t.text("source"),
			Provenance: monitor.Provenance(t.text("provenance")), Status: monitor.Status(t.text("status")), Reason: t.text("reason"),
		}
		if readingValue(&reading) != nil {
			reading.Value = value
		}
		if n := len(out); n == 0 || !out[n-1].Time.Equal(at) {
			out = append(out, monitor.Snapshot{Time: at})
		}
		last := &out[len(out)-1]
		last.Readings = append(last.Readings, reading)
	}
}
