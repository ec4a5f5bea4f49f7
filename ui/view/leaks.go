package view

import (
	"fmt"
	"strings"

	"assay/app/bundle"
	"assay/workloads"
)

// Detection is the outcome of a run of controls.
type Detection int

// Detections.
const (
	NoControl  Detection = iota // not a control's run, or not over, or failed
	Detected                    // the detectors were right
	Undetected                  // they were not: a failure
	Undecided                   // they could not tell, or the run ended before
)

// DetectionOf reports whether a run of controls proved the detectors, in a sentence.
func DetectionOf(all []workloads.Workload, run *bundle.Run) (d Detection, words string) {
	if run == nil || run.Meta.Error != "" || len(run.Meta.Jobs) == 0 {
		return NoControl, ""
	}
	for _, j := range run.Meta.Jobs {
		if w, err := workloads.Find(all, j.Workload); err != nil || !w.Control {
			return NoControl, ""
		}
	}
	if proofs := Proofs(run); len(proofs) > 0 {
		return detectedBy(proofs, len(run.Meta.Jobs))
	}
	return leakDetection(run)
}

// Proofs are what the controls of a run concluded, worst first.
func Proofs(run *bundle.Run) (out []workloads.Finding) {
	for _, kind := range workloads.Proofs() {
		for _, f := range run.Findings {
			if f.Kind == kind {
				out = append(out, f)
			}
		}
	}
	return out
}

// detectedBy returns the worst of what controls concluded, and how many of them passed if there are several.
func detectedBy(proofs []workloads.Finding, jobs int) (d Detection, words string) {
	d = map[string]Detection{workloads.KindPassed: Detected, workloads.KindMissed: Undetected, workloads.KindUndecided: Undecided}[proofs[0].Kind]
	words = proofs[0].Text
	if jobs == 1 {
		return d, words
	}
	passed := 0
	for _, f := range proofs {
		if f.Kind == workloads.KindPassed {
			passed++
		}
	}
	count := fmt.Sprintf("%d of %d controls passed.", passed, jobs)
	switch {
	case d == Detected && passed < jobs:
		return Undecided, count
	case d == Detected:
		return Detected, "All " + count
	}
	return d, count + " " + words
}

// leakDetection judges a run of the leak control without a conclusion: an older version wrote it, or it was stopped.
func leakDetection(run *bundle.Run) (Detection, string) {
	leaks := false
	for _, j := range run.Meta.Jobs {
		rate, known := j.Params["rate"].(float64)
		leaks = leaks || rate > 0 || !known
	}
	switch found := len(run.Leaks()) > 0; {
	case leaks && found:
		return Detected, "The detectors work: they found the deliberate leak."
	case found:
		return Undetected, "A leak was found although none was introduced."
	case !leaks:
		return Detected, "The detectors work: no leak was introduced, and none was found."
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
		for _, j := range run.Meta.Jobs { // a single workload need not be named
			if rest, ok := strings.CutPrefix(text, j.Workload+": "); ok && len(run.Meta.Jobs) == 1 {
				text = rest
			}
		}
		lines = append(lines, e.Title+": "+text)
	}
	return lines
}
