package view

import (
	"strings"

	"assay/app/bundle"
	"assay/workloads"
)

// Detection is the outcome of a run that leaks on purpose.
type Detection int

// Detections.
const (
	NoControl  Detection = iota // not a control's run, or not over, or failed
	Detected                    // the detectors were right
	Undetected                  // they were not: a failure
	Undecided                   // the run ended before they could decide
)

// DetectionOf reports whether a run of controls proved the leak detectors, in a sentence.
func DetectionOf(all []workloads.Workload, run *bundle.Run) (d Detection, words string) {
	if run == nil || run.Meta.Error != "" || len(run.Meta.Jobs) == 0 {
		return NoControl, ""
	}
	leaks := false
	for _, j := range run.Meta.Jobs {
		if w, err := workloads.Find(all, j.Workload); err != nil || !w.Control {
			return NoControl, ""
		}
		rate, known := j.Params["rate"].(float64)
		leaks = leaks || rate > 0 || !known
	}
	switch found := len(run.Leaks()) > 0; {
	case leaks && found:
		return Detected, "The detectors work: they found the deliberate leak."
	case found:
		return Undetected, "A leak was found although none was made on purpose."
	case !leaks:
		return Detected, "The detectors work: no leak was made and none was found."
	case run.Meta.State == bundle.Stopped:
		return Undecided, "Stopped before a detector could tell."
	}
	return Undetected, "The detectors failed: they missed the deliberate leak."
}

// Leaks describes each leak of a run in a line.
func Leaks(run *bundle.Run) []string {
	var lines []string
	for _, e := range run.Leaks() {
		text := e.Text
		for _, j := range run.Meta.Jobs { // one workload need not be named
			if rest, ok := strings.CutPrefix(text, j.Workload+": "); ok && len(run.Meta.Jobs) == 1 {
				text = rest
			}
		}
		lines = append(lines, e.Title+": "+text)
	}
	return lines
}
