// Package report renders a loaded run as pure functions of it: tables, CSV, JSON, Go's benchmark format, Markdown, HTML, a trace,
// comparisons of runs, and replay.
package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"assay/app/bundle"
	"assay/monitor"
	"assay/workloads"
)

// Format is a format that a run is exported in.
type Format struct {
	Name      string // of the command line's flag
	Title     string
	Content   string // the content of a file, in a sentence: "write CONTENT to this file"
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
			"medians of blocks of samples in the format of Go benchmarks, for benchstat,", "txt", WriteBench,
		},
		{"perfetto", "Perfetto Trace", "a trace of workloads, cases, events and the monitor's readings, for ui.perfetto.dev,", "pftrace", WritePerfetto},
		{"columns", "Column Guide", "what the columns of the CSV mean, in Markdown,", "md", WriteColumns},
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

// columns are the columns of an exported run: those of results.csv, and the kinds of findings that point to each
// result. The workloads give a run that was never written to a bundle the axes and metrics of its cases.
func columns(r *bundle.Run, all []workloads.Workload) []bundle.Column {
	meta := r.Meta
	meta.Complete(all)
	return append(bundle.Columns(&meta), bundle.Column{Name: "marks", Cell: func(r *workloads.Result) bundle.Cell { return r.MarkText() }})
}

// markKinds is the list whose text is "marks", which stays a text as in CSV.
func markKinds() bundle.Column {
	return bundle.Column{Name: "mark_kinds", Cell: func(r *workloads.Result) bundle.Cell {
		kinds := make([]string, len(r.Marks))
		for i := range r.Marks {
			kinds[i] = r.Marks[i].Kind
		}
		return kinds
	}}
}

// WriteCSV writes the results as in results.csv, with their marks.
func WriteCSV(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	return bundle.WriteRows(w, columns(r, all), r.Results)
}

// WriteJSON writes the whole run as one object: "run" is run.json, "results" has an object per row of results.csv under
// the same names, with all samples that count, in seconds, as "samples_s", those set aside as "samples_set_aside_s" and the
// warnings as a list of objects, "events" is events.jsonl, including findings, "references", if there are any, has the external
// figures beside the run, and "monitor" has an object per row of monitor.csv. An unknown number is null. An infinite one, such as
// the snr_db of a lossless format, is the text "inf" or "-inf", as in CSV.
func WriteJSON(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	meta := r.Meta
	meta.Complete(all)
	columns := append(append(columns(r, all), markKinds()), bundle.SampleColumns()...)
	out := jsonObject{w: bufio.NewWriterSize(w, 1<<16)}
	out.field("run", &meta)
	out.list("results", func(add func(any) error) error {
		for i := range r.Results {
			o, err := bundle.RowJSON(columns, &r.Results[i])
			if err == nil {
				err = add(o)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if len(r.References) > 0 {
		out.field("references", r.References)
	}
	out.list("events", func(add func(any) error) error {
		for i := range r.Events {
			if err := add(&r.Events[i]); err != nil {
				return err
			}
		}
		return nil
	})
	out.list("monitor", func(add func(any) error) error {
		return r.EachSnapshot(func(s *monitor.Snapshot) error { return addReadings(s, add) })
	})
	return out.close()
}

func addReadings(s *monitor.Snapshot, add func(any) error) error {
	rows, err := bundle.ReadingsJSON(s)
	for _, row := range rows {
		if err == nil {
			err = add(row)
		}
	}
	return err
}

// File writes a run to path, completely or not at all. It ends early with ctx.
func (f *Format) File(ctx context.Context, r *bundle.Run, all []workloads.Workload, path string) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	var broken error
	err = bundle.WriteFile(full, func(w io.Writer) error {
		broken = f.write(until{ctx, w}, r, all)
		return broken
	})
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && errors.Is(err, broken) { // it is not the file's
		return fmt.Errorf("cannot export run %s: %w", r.Meta.ID, err)
	}
	return err
}

// Write writes a run. It ends early with ctx.
func (f *Format) Write(ctx context.Context, w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	return f.write(until{ctx, w}, r, all)
}

// until writes until ctx ends.
type until struct {
	ctx context.Context
	w   io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}
