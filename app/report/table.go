package report

import (
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// Headers of Table that are not figures.
const (
	headCase    = "Case"
	headVariant = "Variant"
	headNotes   = "Notes"
)

// tableColumns names the columns of Table, in order.
func tableColumns() []string {
	return []string{
		"case", "variant", "time_s", "time_spread", "samples", "gflops", "gbps", itemsColumn, "speedup", "error_max",
		"snr_db",
		"footprint_bytes", "notes",
	}
}

const itemsColumn = "items_per_s"

// manyItems are the workloads that process more than one item a repetition; for others that rate says no more than the
// time.
func manyItems(results []workloads.Result) map[string]bool {
	many := map[string]bool{}
	for i := range results {
		if results[i].Items > 1 {
			many[results[i].Workload] = true
		}
	}
	return many
}

// known is the text of a number; empty where the number is not known.
func known(text string) string {
	if text == si.Unknown {
		return ""
	}
	return text
}

func speedupText(r *workloads.Result) string { return RatioText(r.Speedup) }

// RatioText is a ratio with its interval: "1.42× (1.40–1.44)".
func RatioText(i stats.Interval) string {
	switch {
	case !finite(i.Median):
		return ""
	case !i.Bounded():
		return si.Ratio(i.Median)
	}
	return si.Ratio(i.Median) + " (" + si.Digits(i.Lo) + "–" + si.Digits(i.Hi) + ")"
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

// StatusTitle is a status in words.
func StatusTitle(s workloads.Status) string {
	switch s {
	case workloads.OK:
		return "Verified"
	case workloads.Failed:
		return "Wrong result"
	case workloads.Errored:
		return "Error"
	case workloads.Unsupported:
		return "Not supported"
	}
	return string(s)
}

// Table is the results for people: three significant digits, with unit, in plain text. Columns that are empty in all
// rows are left out; Case and Variant are always the first two.
func Table(results []workloads.Result) (header []string, rows [][]string) {
	rows = make([][]string, len(results))
	many := manyItems(results)
	all := ResultColumns(&Meta{}, nil)
	for i, name := range tableColumns() {
		c, _ := FindColumn(all, name) // a test holds the names against the columns
		head, cell := c.short()
		texts := make([]string, len(results))
		for j := range results {
			if r := &results[j]; name != itemsColumn || many[r.Workload] {
				texts[j] = cell(r)
			}
		}
		if i > 1 && !slices.ContainsFunc(texts, func(s string) bool { return s != "" }) {
			continue
		}
		header = append(header, head)
		for j := range rows {
			rows[j] = append(rows[j], texts[j])
		}
	}
	return header, rows
}

// reasonText says why a result has no time, and says it once.
func reasonText(r *workloads.Result) string {
	title := StatusTitle(r.Status)
	reason := strings.TrimPrefix(r.Reason, strings.ToLower(title)+": ")
	if reason == "" {
		return title
	}
	return title + ": " + reason
}

func settingText(v any) string { return csvText(settingCell(v)) }

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
