package view

import (
	"strings"

	"assay/workloads"
)

// Failure says in plain words why a run failed, what to do, and finally the error's own text, for diagnosis. kept,
// what is left of the run, comes before what to do; it may be empty.
func Failure(failure workloads.Failure, kept string) string {
	what, advice := explain(failure.Kind)
	details := ""
	if what == "" {
		what = sentence(failure.Text)
	} else {
		details = "Details: " + sentence(failure.Text)
	}
	var parts []string
	for _, p := range []string{what, kept, advice, details} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// sentence ends a text with a period.
func sentence(s string) string { return strings.TrimRight(s, ". ") + "." }

// explain returns what a kind of failure means and what to do; what is empty if only the error's text explains it.
func explain(kind workloads.FailureKind) (what, advice string) {
	switch kind {
	case workloads.DeviceLost:
		return "the device was lost.", "Run again; Assay reopens the engine."
	case workloads.OutOfMemory:
		return "out of memory.", "Choose smaller sizes, or close other programs."
	case workloads.TimedOut:
		return "the device did not answer in time.", "Choose smaller sizes, or run again when the device is idle."
	case workloads.CompileFailed:
		return "a kernel could not be compiled.", "Choose another engine; Help, Show Log has the compiler’s output."
	case workloads.NotExecuted:
		return "a command buffer failed.", "Run again; if it fails again, see Help, Show Log."
	case workloads.DiskFull:
		return "the disk is full.", "Free disk space and run again."
	case workloads.NoTensor:
		return "the weights have no such tensor.", "Choose one of its tensors."
	case workloads.BadWeights:
		return "the weights could not be read.", "Choose another file."
	}
	return "", "Run again; if it fails again, see Help, Show Log."
}
