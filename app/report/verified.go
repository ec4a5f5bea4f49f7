package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// Verified says how many results have a time, and that their outputs, if any, were compared with the reference.
func Verified(results []workloads.Result) string {
	timed, compared := 0, 0
	for i := range results {
		if r := &results[i]; r.Status == workloads.OK {
			timed++
			if !math.IsNaN(r.Number(workloads.ErrorMax)) {
				compared++
			}
		}
	}
	switch n := len(results); {
	case n == 0 || timed == 0:
		return "Nothing was measured"
	case timed < n:
		return fmt.Sprintf("%d of %d results were verified; the notes say why the rest were not", timed, n)
	case compared == 0:
		return "What was measured has no outputs to verify"
	case n == 1:
		return "The one result verified"
	}
	return fmt.Sprintf("All %d results verified", len(results))
}

// Compared says how many elements of verified outputs were compared with the reference; empty if none were, or if it is not
// recorded. The sentence begins with a number.
func Compared(results []workloads.Result) string {
	compared, all := 0.0, 0.0
	for i := range results {
		c, n := results[i].Number(workloads.Compared), results[i].Number(workloads.Outputs)
		if results[i].Status == workloads.OK && !math.IsNaN(c) && !math.IsNaN(n) {
			compared, all = compared+c, all+n
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s output elements compared with a float64 reference, all checked to have been written.",
		si.Count(int(compared)), si.Count(int(all)))
}

// Precise says how many times are within the wanted interval, for a run with this precision; empty if none was measured.
func Precise(results []workloads.Result, precision float64) string {
	reached, timed := 0, 0
	for i := range results {
		if t := results[i].Time(); results[i].Status == workloads.OK && !math.IsNaN(t.Median) {
			timed++
			if t.Bounded() && t.Width() <= precision {
				reached++
			}
		}
	}
	if timed == 0 || precision <= 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s within the target of ± %s %%.", reached, si.Counted(timed, "time"), strconv.FormatFloat(50*precision, 'g', 3, 64))
}

// TakenOver says how many results were measured before the run, and in which run; empty if none was.
func TakenOver(r *bundle.Run) string {
	n := r.TakenOver()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s measured earlier, in run %s: the machine may have been in another state.", n,
		si.Counted(len(r.Results), "result"), plain.Text(r.Meta.Again))
}

// Disturbed says how many results were disturbed, and what disturbed the first of them; empty if none was.
func Disturbed(results []workloads.Result) string {
	count, first := 0, ""
	for i := range results {
		if text, disturbed := results[i].Disturbed(); disturbed {
			count++
			if first == "" {
				first = strings.TrimPrefix(text, "disturbed: ")
			}
		}
	}
	if count == 0 {
		return ""
	}
	how := ": "
	if count > 1 {
		how = "; in the first, "
	}
	return fmt.Sprintf("%d of %s disturbed%s%s. No conclusion is drawn from their times.", count, si.Counted(len(results), "result"), how, plain.Text(first))
}
