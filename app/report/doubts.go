package report

import (
	"strconv"
	"strings"

	"assay/internal/plain"
	"assay/workloads"
)

// DoubtColumn is the column with the number of warnings about a result's times. Status is about its outputs.
func DoubtColumn() Column {
	return Column{
		Name: "doubt", Title: "Times", Default: true, Number: true,
		About: "How many warnings there are about the times, or that they were disturbed. Hover over a cell or select the row to read them.",
		text: func(r *workloads.Result) string {
			if _, disturbed := r.Disturbed(); disturbed {
				return "disturbed"
			}
			if n := doubted(r); n > 0 {
				return strconv.Itoa(n)
			}
			return ""
		},
		value: func(r *workloads.Result) float64 { return float64(doubted(r)) },
	}
}

// doubted returns how many warnings of a result are about its times.
func doubted(r *workloads.Result) (n int) {
	for _, w := range r.Warnings {
		if w.Kind != workloads.Qualified {
			n++
		}
	}
	return n
}

// Doubts are the warnings about a result, one per line.
func Doubts(r *workloads.Result) string {
	var lines []string
	for _, w := range r.Warnings {
		lines = append(lines, plain.Capitalized(plain.Text(w.Text))+".")
	}
	return strings.Join(lines, "\n")
}
