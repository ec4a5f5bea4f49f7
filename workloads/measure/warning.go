package measure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Warning is what a reader must know before trusting a result.
type Warning struct {
	Kind WarningKind
	Text string
}

// WarningKind classifies warnings.
type WarningKind string

// Kinds of warnings.
const (
	Unsettled        WarningKind = "warm-up"  // warm-up did not stabilize in time
	FewSamples       WarningKind = "samples"  // too few for an interval
	Wide             WarningKind = "interval" // wider than wanted
	ManyOutliers     WarningKind = "outliers"
	Drifting         WarningKind = "drift" // the interval mixes states
	RareModes        WarningKind = "modes" // the median may be from either of two levels
	ShortMeasurement WarningKind = "short"
	Disturbed        WarningKind = "disturbed"  // for example by other programs: no conclusion is drawn from it
	DutyCycle        WarningKind = "duty"       // the device was idle between bursts of samples, as requested
	Slowed           WarningKind = "throttled"  // by the anchor, in a series, whose purpose is to show it
	SlowedBusy       WarningKind = "slower"     // by the anchor too, during a disturbance: it need not be throttling
	OwnOutput        WarningKind = "own-output" // running repetitions on their own output may change the time
)

// wide is the width, end to end and relative, above which an interval deserves a warning. Tables show every interval, and a run
// reports how many were as narrow as wanted.
const wide = 0.06

// Warnings returns the warnings about the samples of a result, given in the order taken.
func Warnings(r *Result, o Options) []Warning {
	samples, w := r.Samples, []Warning(nil)
	add := func(kind WarningKind, format string, args ...any) {
		w = append(w, Warning{kind, fmt.Sprintf(format, args...)})
	}
	e := stats.Median(samples)
	if !e.Bounded() {
		add(FewSamples, "%s", tooFew(e))
	} else if o.Schedule.Fixed() && e.Width() > wide {
		add(Wide, "± %s %%", percent(e.Width()/2))
	} else if e.Width() > max(wide, o.Precision) {
		add(Wide, "± %s %% (target ± %s %%)", percent(e.Width()/2), percent(o.Precision/2))
	}
	if n := stats.Outliers(samples); 10*n > len(samples) {
		add(ManyOutliers, "%s of %s samples are far outliers", si.Count(n), si.Count(len(samples)))
	}
	if change, ok := stats.Drift(samples); ok {
		add(Drifting, "drifted by %s%s %%%s", sign(change), percent(math.Abs(change)), o.driftCause(r))
	}
	if low, high, ok := stats.Modes(samples); ok && high-low > o.Precision*low {
		add(RareModes, "times stay at one of two levels, %s %% apart, for long stretches: the median may be at either", percent(high/low-1))
	}
	return w
}

// tooFew explains why a median has no interval.
func tooFew(e stats.Estimate) string {
	if e.Tau < 2 {
		return fmt.Sprintf("only %s: too few for an interval", si.Counted(e.N, "sample"))
	}
	return fmt.Sprintf("%s are so correlated that they count as %.0f: too few for an interval", si.Counted(e.N, "sample"), max(1, e.Effective()))
}

// sign returns a minus or a plus.
func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return "+"
}

// percent formats a share so that it visibly differs from a limit just below it: "0.51", "3.2", "46".
func percent(share float64) string {
	p := 100 * share
	switch {
	case p < 1:
		return strings.TrimSuffix(strconv.FormatFloat(p, 'f', 2, 64), "0")
	case p < 10:
		return strconv.FormatFloat(p, 'f', 1, 64)
	}
	return strconv.FormatFloat(p, 'f', 0, 64)
}
