package bundle

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"assay/monitor"
)

// monitorColumns are the columns of monitor.csv: one row per reading, so that metrics can come and go without changing
// columns.
func monitorColumns() []string {
	return []string{"time", "metric", "value", "text", "unit", "source", "provenance", "status", "reason", "late_s"}
}

// readingCells returns a row of monitor.csv. A reading without a value has an empty value and the reason; a late value has
// its age.
func readingCells(s *monitor.Snapshot, r *monitor.Reading) []Cell {
	return []Cell{
		s.Time, r.Metric, readingValue(r), string(r.Text), r.Unit, r.Source, string(r.Provenance), string(r.Status), r.Reason,
		lateness(r),
	}
}

// maxLate bounds the lateness accepted from a file.
const maxLate = 24 * time.Hour

// lateness is a value's age relative to its snapshot, in seconds; empty if it is not late.
func lateness(r *monitor.Reading) Cell {
	if r.Late == 0 {
		return nil
	}
	return r.Late.Seconds()
}

func snapshotLines(s *monitor.Snapshot) []byte {
	var lines []byte
	for i := range s.Readings {
		lines = append(lines, flatLine(readingCells(s, &s.Readings[i])...)...)
	}
	return lines
}

// ReadingsJSON is a row of monitor.csv per reading, as JSON objects.
func ReadingsJSON(s *monitor.Snapshot) ([]json.RawMessage, error) {
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
	rows, err := ReadingsJSON((*monitor.Snapshot)(&s))
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

func readingValue(r *monitor.Reading) Cell {
	if r.Status != monitor.OK || r.Text != "" {
		return nil
	}
	return r.Value
}

// parseSnapshots reads monitor.csv.
func parseSnapshots(r io.Reader) (out []monitor.Snapshot, err error) {
	err = eachSnapshot(r, func(s monitor.Snapshot) { out = append(out, s) })
	return out, err
}

// eachSnapshot reads monitor.csv one snapshot at a time: the rows of one time. Titles are not in the file.
func eachSnapshot(in io.Reader, each func(monitor.Snapshot)) error {
	t, err := openTable(monitorFile, in, "time", "metric", "status")
	if err != nil {
		return err
	}
	t.reader.ReuseRecord = true
	texts, last := interner{}, lasting{}
	var s monitor.Snapshot
	whole := func() {
		last.complete(&s)
		each(s)
	}
	for {
		err := t.next()
		if err != nil {
			if len(s.Readings) > 0 {
				whole()
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		at, err := t.time("time")
		if err != nil {
			return err
		}
		reading, err := parseReading(t, texts)
		if err != nil {
			return err
		}
		if !s.Time.Equal(at) && len(s.Readings) > 0 {
			whole()
			s.Readings = make([]monitor.Reading, 0, len(s.Readings))
		}
		s.Time = at
		s.Readings = append(s.Readings, reading)
	}
}

func parseReading(t *table, texts interner) (monitor.Reading, error) {
	value, err := t.float("value")
	if err != nil {
		return monitor.Reading{}, err
	}
	late, err := t.float("late_s")
	if err != nil {
		return monitor.Reading{}, err
	}
	text := func(column string) string { return texts.one(t.text(column)) }
	r := monitor.Reading{
		Metric: text("metric"), Text: monitor.State(text("text")), Unit: text("unit"), Source: text("source"),
		Provenance: monitor.Provenance(text("provenance")), Status: monitor.Status(text("status")), Reason: text("reason"),
	}
	if readingValue(&r) != nil {
		r.Value = value
	}
	if late > 0 && late < maxLate.Seconds() {
		r.Late = time.Duration(late * float64(time.Second))
	}
	return r, nil
}

// interner keeps one copy of each text: a run of hours repeats a few hundred of them a million times.
type interner map[string]string

func (in interner) one(s string) string {
	if known, ok := in[s]; ok {
		return known
	}
	const most = 1 << 16 // a file with arbitrary texts must not double its memory use
	s = strings.Clone(s)
	if len(in) < most {
		in[s] = s
	}
	return s
}
