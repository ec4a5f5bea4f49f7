package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"assay/workloads"
)

// Filter selects results. Empty fields match all.
type Filter struct {
	// Text is words that must all occur in the workload, the case, the variant, the status or the notes, in any order
	// and regardless of case.
	Text     string
	Workload string
	Variant  string
	Status   workloads.Status
	Marked   bool // only results that a finding points at
}

// Rows are the indices of the matching results, in order; never nil.
func (f Filter) Rows(results []workloads.Result) []int {
	words := searchWords(f.Text)
	rows := make([]int, 0, len(results))
	for i := range results {
		if f.picks(&results[i], words) {
			rows = append(rows, i)
		}
	}
	return rows
}

func (f Filter) picks(r *workloads.Result, words []string) bool {
	if f.Workload != "" && r.Workload != f.Workload || f.Variant != "" && r.Variant != f.Variant ||
		f.Status != "" && r.Status != f.Status || f.Marked && len(r.Marks) == 0 {
		return false
	}
	return len(words) == 0 || containsAll(strings.ToLower(resultText(r)), words)
}

// resultText is the text that a search looks in.
func resultText(r *workloads.Result) string {
	parts := append([]string{r.Workload, r.Case, r.Variant, r.Status.Title()}, Notes(r)...)
	return strings.Join(parts, "\n")
}

// searchWords returns the words of a query in lower case.
func searchWords(query string) []string { return strings.Fields(strings.ToLower(query)) }

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// SortRows sorts indices of results by a column: numbers by value, texts in natural order, so that "case 9" is before
// "case 10". Unknown values are last in both directions. The sort is stable.
func SortRows(results []workloads.Result, rows []int, c *Column, descending bool) {
	type entry struct {
		row  int
		kind int // 0 number, 1 text, 2 not known
		num  float64
		text string
	}
	entries := make([]entry, len(rows))
	for i, row := range rows {
		e := entry{row: row, num: c.Value(&results[row])}
		if math.IsNaN(e.num) {
			e.kind, e.num, e.text = 1, 0, strings.ToLower(c.Text(&results[row]))
			if e.text == "" {
				e.kind = 2
			}
		}
		entries[i] = e
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		if a.kind != b.kind {
			return cmp.Compare(a.kind, b.kind)
		}
		order := cmp.Or(cmp.Compare(a.num, b.num), naturalOrder(a.text, b.text))
		if descending {
			return -order
		}
		return order
	})
	for i, e := range entries {
		rows[i] = e.row
	}
}

// naturalOrder compares texts with their whole numbers by value.
func naturalOrder(a, b string) int {
	for a != "" && b != "" {
		x, y := digitsAt(a), digitsAt(b)
		if x > 0 && y > 0 {
			if order := compareDigits(a[:x], b[:y]); order != 0 {
				return order
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digitsAt counts the digits that s begins with.
func digitsAt(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// compareDigits compares numbers of any length.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
