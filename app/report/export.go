package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"assay/workloads"
)

// Formats of an export.
const (
	CSV   = "csv"
	JSON  = "json"
	HTML  = "html"
	Bench = "bench" // Go's benchmark format, for benchstat
)

// WriteCSV writes results.csv. The workloads give a run that was never written to a bundle the axes of its cases.
func WriteCSV(w io.Writer, r *Run, all []workloads.Workload) error {
	var buf bytes.Buffer
	meta := withAxes(r, all).Meta
	writeRows(&buf, &meta, columns(&meta), r.Results)
	_, err := w.Write(buf.Bytes())
	return err
}

// withAxes is the run with its axes, which one that was not read from a bundle may lack.
func withAxes(r *Run, all []workloads.Workload) *Run {
	if r.Meta.Axes != nil {
		return r
	}
	c := *r
	c.Meta.Axes = axes(c.Meta.Jobs, all)
	return &c
}

// WriteJSON writes the whole run as one object: "run" is run.json, "results" has an object per row of results.csv
// under the same names, with all samples in seconds as "samples_s", "events" is events.jsonl, findings among them, and
// "monitor" has an object per row of monitor.csv. A number that is not known is null. One that is infinite, such as the
// snr_db of a format that loses nothing, is the text "inf" or "-inf", as in CSV.
func WriteJSON(w io.Writer, r *Run) error {
	out := struct {
		Run     *Meta             `json:"run"`
		Results []json.RawMessage `json:"results"`
		Events  []Event           `json:"events"`
		Monitor []json.RawMessage `json:"monitor"`
	}{&r.Meta, []json.RawMessage{}, append([]Event{}, r.Events...), []json.RawMessage{}}
	cols := columns(&r.Meta)
	for i := range r.Results {
		o, err := resultJSON(&row{&r.Results[i], &r.Meta}, cols)
		if err != nil {
			return err
		}
		out.Results = append(out.Results, o)
	}
	for i := range r.Snapshots {
		rows, err := readingsJSON(&r.Snapshots[i])
		if err != nil {
			return err
		}
		out.Monitor = append(out.Monitor, rows...)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

func resultJSON(x *row, cols []column) (json.RawMessage, error) {
	names := make([]string, 0, len(cols)+1)
	values := make([]cell, 0, len(cols)+1)
	for _, c := range cols {
		v := c.get(x)
		if c.name == "warnings" {
			v = append([]string{}, x.Warnings...)
		}
		names, values = append(names, c.name), append(values, v)
	}
	samples := make([]any, len(x.Samples))
	for i, s := range x.Samples {
		samples[i] = jsonValue(s)
	}
	return object(append(names, "samples_s"), append(values, samples))
}

// object is a JSON object whose fields keep their order.
func object(names []string, values []cell) (json.RawMessage, error) {
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(name) // a string never fails
		value, err := json.Marshal(jsonValue(values[i]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), nil
}

// Formats lists the formats of an export.
func Formats() []string { return []string{CSV, JSON, HTML, Bench} }

// ExportFile writes a run to path in one of Formats, whole or not at all.
func ExportFile(r *Run, all []workloads.Workload, format, path string) error {
	var buf bytes.Buffer
	var err error
	switch strings.ToLower(format) {
	case CSV:
		err = WriteCSV(&buf, r, all)
	case JSON:
		err = WriteJSON(&buf, withAxes(r, all))
	case HTML:
		err = WriteHTML(&buf, r, all)
	case Bench:
		err = WriteBench(&buf, r)
	default:
		return fmt.Errorf("no export format %q; there are %s", format, strings.Join(Formats(), ", "))
	}
	if err != nil {
		return fmt.Errorf("cannot export run %s: %w", r.Meta.ID, err)
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return err
	}
	return replaceFile(path, buf.Bytes())
}
