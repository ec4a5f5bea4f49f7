package view

import (
	"strings"

	"assay/gpu"
)

// Failure says in plain words why a run failed, what to do, and last how the error reads, for those who look for its cause.
// kept, what is left of the run, comes before what to do; it may be empty.
func Failure(failure, kept string) string {
	what, advice := explain(failure)
	details := ""
	if what == "" {
		what = sentence(failure)
	} else {
		details = "Details: " + sentence(failure)
	}
	var parts []string
	for _, p := range []string{what, kept, advice, details} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}

// sentence ends in a full stop.
func sentence(s string) string { return strings.TrimRight(s, ". ") + "." }

// explain is what a failure means and what to do about it; what is empty where only its own words tell.
func explain(failure string) (what, advice string) {
	for _, known := range []struct{ sign, what, advice string }{
		{gpu.ErrDeviceLost.Error(), "the device was lost.", "Run again; Assay reopens the engine."},
		{gpu.ErrOutOfMemory.Error(), "there was not enough memory.", "Choose smaller sizes, or close what else takes memory."},
		{
			gpu.ErrTimeout.Error(), "the device did not answer in time.",
			"Choose smaller sizes, or run again when nothing else uses the device.",
		},
		{gpu.ErrCompile.Error(), "a kernel could not be compiled.", "Choose another engine; Help, Show Log has the compiler’s text."},
		{"no space left", "the disk is full.", "Make room on it and run again."},
		{"no tensor ", "the weights have no such tensor.", "Choose one that they have."},
		{"safetensors", "the weights could not be read.", "Choose another file."},
	} {
		if strings.Contains(failure, known.sign) {
			return known.what, known.advice
		}
	}
	return "", "Run again; if it fails again, Help, Show Log has more."
}
