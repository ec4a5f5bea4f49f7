package view

import (
	"fmt"

	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/measure"
)

// Stopped says why sampling stopped, and how many samples there are.
func Stopped(r *workloads.Result) string {
	why := "Stopped: " + string(r.Stop)
	switch r.Stop {
	case measure.StopPrecision:
		why = "Stopped at the target precision"
	case measure.StopBudget:
		why = "Stopped at the time limit"
	case measure.StopSchedule:
		why = "Stopped at the end of its schedule"
	case measure.StopSamples:
		why = "Stopped at the maximum number of samples"
	}
	outliers := "no outliers"
	if n := r.Number(workloads.Outliers); n > 0 {
		outliers = si.Counted(int(n), "outlier")
	}
	repetitions := 0
	if n := r.Number(workloads.Repetitions); n > 0 {
		repetitions = int(n)
	}
	return fmt.Sprintf("%s: %s, %s each, %s.", why, si.Counted(max(len(r.Samples), int(r.Number(workloads.Samples))), "sample"), si.Counted(repetitions, "repetition"), outliers)
}
