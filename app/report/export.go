package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"assay/app/bundle"
	"assay/workloads"
)

// Format is a format that a run is exported in.
type Format struct {
	Name      string // of the command line's flag
	Title     string
	Content   string // what a file has, in a sentence: "write CONTENT to this file"
	Extension string
	write     func(io.Writer, *bundle.Run, []workloads.Workload) error
}

// Formats lists the formats of an export.
func Formats() []Format {
	return []Format{
		CSV(),
		{"json", "JSON", "the whole run as JSON", "json", WriteJSON},
		HTML(),
		{
			"bench", "Go Benchmark Format",
			"the samples in the format of Go benchmarks, for benchstat,", "txt", WriteBench,
		},
	}
}

// CSV is the format of tables.
func CSV() Format {
	return Format{"csv", "CSV", "the results as CSV", "csv", WriteCSV}
}

// HTML is the format of the report.
func HTML() Format {
	return Format{"html", "HTML Report", "the report", "html", WriteHTML}
}

// columns are the columns of an exported run: those of results.csv, and the kinds of findings that point at each
// result. The workloads give a run that was never written to a bundle the axes and metrics of its cases.
func columns(r *bundle.Run, all []workloads.Workload) []bundle.Column {
	meta := r.Meta
	meta.Complete(all)
	return append(bundle.Columns(&meta), bundle.Column{Name: "marks", Cell: func(r *workloads.Result) bundle.Cell { return r.MarkText() }})
}

// WriteCSV writes the results as in results.csv, with their marks.
func WriteCSV(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	return bundle.WriteRows(w, columns(r, all), r.Results)
}

// WriteJSON writes the whole run as one object: "run" is run.json, "results" has an object per row of results.csv under
// the same names, with all samples in seconds as "samples_s" and the warnings as a list of objects, "events" is
// events.jsonl, findings among them, and "monitor" has an object per row of monitor.csv. A number that is not known is
// null. An infinite one, such as the snr_db of a lossless format, is the text "inf" or "-inf", as in CSV.
func WriteJSON(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	meta := r.Meta
	meta.Complete(all)
	out := struct {
		Run     *bundle.Meta      `json:"run"`
		Results []json.RawMessage `json:"results"`
		Events  []bundle.Event    `json:"events"`
		Monitor []json.RawMessage `json:"monitor"`
	}{&meta, []json.RawMessage{}, append([]bundle.Event{}, r.Events...), []json.RawMessage{}}
	cols := append(columns(r, all), bundle.SamplesColumn())
	for i := range r.Results {
		o, err := bundle.RowJSON(cols, &r.Results[i])
		if err != nil {
			return err
		}
		out.Results = append(out.Results, o)
	}
	for i := range r.Snapshots {
		rows, err := bundle.ReadingsJSON(&r.Snapshots[i])
		if err != nil {
			return err
		}
		out.Monitor = append(out.Monitor, rows...)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(out)
}

// File writes a run to path, whole or not at all.
func (f *Format) File(r *bundle.Run, all []workloads.Workload, path string) error {
	var buf bytes.Buffer
	if err := f.write(&buf, r, all); err != nil {
		return fmt.Errorf("cannot export run %s: %w", r.Meta.ID, err)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return bundle.ReplaceFile(path, buf.Bytes())
}
