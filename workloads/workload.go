// Package workloads owns what is measured: it describes workloads, which run in bench and are listed in suite. Forms, flags
// and CSV columns are derived from a workload's parameters.
package workloads

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/chart"
	"assay/internal/meant"
	"assay/internal/metric"
)

// Workload is one thing to measure.
type Workload struct {
	Name  string // on the command line and in files
	Title string
	Group string
	About string // one plain sentence
	// Question is a newcomer's question that the workload answers: "Which batch size?".
	Question string
	// The user sets Params; Axes vary between the cases, some through Sweeps.
	Params []Param
	Axes   []Axis
	// Metrics are those of its results, in addition to the function Metrics.
	Metrics metric.List
	Sweeps  []Sweep
	// Quick gives some parameters smaller values, for a run of a few seconds.
	Quick map[string]any
	// Presets are sets of values for a purpose.
	Presets []Preset
	// Needs are what a device must have to measure any of it; what a device lacks is reported before a run. See Option.Needs.
	Needs []Need
	// Valid rejects inconsistent values; nil accepts all.
	Valid func(v Values) error
	// Ready rejects values that name something unreadable, such as a file; nil: they name nothing.
	Ready func(v Values) error
	// Variants returns how many variants a case has, from which its time is estimated; nil: about two.
	Variants func(v Values) int
	// Control is true for a workload that tests a detector and measures nothing itself.
	Control bool
	// Prove draws the conclusion from what a job of a control observed; nil if Control is false.
	Prove func(Seen) Proof
	// Series is true for a workload that follows one case over time, so that no single setting is a point on a chart.
	Series bool
	// Run measures. It returns ctx's error when stopped, and any error that makes continuing pointless.
	Run func(ctx context.Context, env *Env, v Values) error
	// Judge draws the conclusions that parameters of RoleFinding decide, from results of a run; Run does so too. They can be
	// drawn again for other values; nil: they cannot.
	Judge func(results []Result, v Values) []Finding
	// Views say how its results are drawn; a view's fields are metrics or names of axes.
	Views []chart.View
	// Pairs puts two of its variants side by side in a separate table; nil: there is none.
	Pairs *Pairs
}

// Axis is a setting that differs between the cases of a run.
type Axis struct {
	Name  string // lower_snake; its CSV column is param_NAME
	Title string
	Unit  string
	About string // what the values are, in one sentence, where the title does not say
	// Phrase is how a sentence names a value, such as "a batch of %s", or "this size" if there is only one; empty: the value and its unit.
	Phrase string
	// Measured is set if the measurement finds the value and nobody chooses it: results of two runs are not matched by it.
	Measured bool
}

// KernelAxis names the measured axis of the kernels that a variant ran, each with why it was chosen.
const KernelAxis = "kernel"

// Measuring lists the workloads that a run without names runs: those that measure, except those that follow one case
// for minutes.
func Measuring(all []Workload) []string {
	var names []string
	for _, w := range all {
		if !w.Control && !w.Series {
			names = append(names, w.Name)
		}
	}
	return names
}

// Find returns the workload with that name, or an error that lists the existing names.
func Find(all []Workload, name string) (*Workload, error) {
	var names []string
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
		names = append(names, all[i].Name)
	}
	return nil, fmt.Errorf("no workload %q%s; there are %s", name, meant.Hint(name, names), strings.Join(names, ", "))
}
