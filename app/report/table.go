package report

import (
	"slices"
	"strconv"
	"strings"

	"assay/workloads"
)

// Headers of Table that are not figures.
const (
	headCase    = "Case"
	headVariant = "Variant"
	headNotes   = "Notes"
)

// tableColumn is a column of the table for people. Its cell is empty where there is nothing to say.
type tableColumn struct {
	head string
	cell func(r *workloads.Result) string
}

// tableColumns are those of a table of results. One item a repetition says no more than the time, so that only
// workloads with more than one have a rate of items, and then in all rows.
func tableColumns(results []workloads.Result) []tableColumn {
	many := map[string]bool{}
	for i := range results {
		if results[i].Items > 1 {
			many[results[i].Workload] = true
		}
	}
	per := func(head, unit string, scale float64, f func(*workloads.Result) float64) tableColumn {
		return tableColumn{head, func(r *workloads.Result) string { return known(Digits(f(r)*scale), unit) }}
	}
	return []tableColumn{
		{headCase, func(r *workloads.Result) string { return Plain(r.Case) }},
		{headVariant, func(r *workloads.Result) string { return Plain(r.Variant) }},
		{"Time", func(r *workloads.Result) string { return known(FormatTime(r.Time.Median), "") }},
		{"± %", func(r *workloads.Result) string {
			return known(strings.TrimSuffix(FormatSpread(r.Time), " %"), "")
		}},
		{"Samples", func(r *workloads.Result) string {
			if len(r.Samples) == 0 {
				return ""
			}
			return strconv.Itoa(len(r.Samples))
		}},
		per("GFLOP/s", "", 1, (*workloads.Result).GFLOPS),
		per("GB/s", "", 1, (*workloads.Result).GBps),
		{"Items/s", func(r *workloads.Result) string {
			if !many[r.Workload] {
				return ""
			}
			return known(FormatSI(r.ItemsPerS(), ""), "")
		}},
		{"Speed-up", speedupText},
		per("Max error", "", 1, func(r *workloads.Result) float64 { return r.ErrorMax }),
		per("SNR, dB", "", 1, func(r *workloads.Result) float64 { return r.SNR }),
		{"Size", func(r *workloads.Result) string { return known(FormatBytes(r.Footprint), "") }},
		{headNotes, func(r *workloads.Result) string { return strings.Join(Notes(r), "; ") }},
	}
}

func known(text, unit string) string {
	if text == Unknown {
		return ""
	}
	return text + unit
}

// speedupText is the ratio with its interval: "1.42× (1.40–1.44)".
func speedupText(r *workloads.Result) string {
	switch {
	case !finite(r.Speedup.Median):
		return ""
	case !r.Speedup.Bounded():
		return FormatRatio(r.Speedup.Median)
	}
	return FormatRatio(r.Speedup.Median) + " (" + Digits(r.Speedup.Lo) + "–" + Digits(r.Speedup.Hi) + ")"
}

// Notes is what a reader must know beside the figures: the mark, why there is no time, and the warnings; in plain text.
func Notes(r *workloads.Result) []string {
	var notes []string
	if r.Mark != "" {
		notes = append(notes, "◆ "+r.Mark)
	}
	if r.Status != workloads.OK {
		notes = append(notes, reasonText(r))
	}
	notes = append(notes, r.Warnings...)
	for i := range notes {
		notes[i] = Plain(notes[i])
	}
	return notes
}

// statusTitle is a status in words.
func statusTitle(s workloads.Status) string {
	switch s {
	case workloads.OK:
		return "OK"
	case workloads.Failed:
		return "Wrong result"
	case workloads.Errored:
		return "Error"
	case workloads.Unsupported:
		return "Not supported"
	}
	return string(s)
}

// Table is the results for people: three significant digits, with unit, in plain text. Columns that are empty in all rows are left
// out; Case and Variant are always the first two.
func Table(results []workloads.Result) (header []string, rows [][]string) {
	rows = make([][]string, len(results))
	for i, c := range tableColumns(results) {
		texts := make([]string, len(results))
		for j := range results {
			texts[j] = c.cell(&results[j])
		}
		if i > 1 && !slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
			continue
		}
		header = append(header, c.head)
		for j := range rows {
			rows[j] = append(rows[j], texts[j])
		}
	}
	return header, rows
}

// reasonText says why a result has no time, and says it once.
func reasonText(r *workloads.Result) string {
	title := statusTitle(r.Status)
	reason := strings.TrimPrefix(r.Reason, strings.ToLower(title)+": ")
	if reason == "" {
		return title
	}
	return title + ": " + reason
}
