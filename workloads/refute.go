package workloads

import (
	"fmt"
	"slices"

	"assay/internal/si"
	"assay/internal/stats"
)

// Later is a result measured after a run, with the values of its case.
type Later struct {
	Result *Result
	Case   Values
}

// Standing returns what remains of a finding of a run, with the run's results and values, after later measurements: the finding itself, or the
// finding that the newest measurement that contradicts it with certainty does so.
func (w *Workload) Standing(f Finding, results []Result, ran Values, later []Later) Finding {
	k := kindOf(f.Kind)
	i := slices.IndexFunc(results, func(r Result) bool { return len(f.Facts.Evidence) > 0 && r.ID == f.Facts.Evidence[0] })
	if k == nil || k.against == nil || i < 0 || several(f.Facts.Evidence, results) {
		return f
	}
	f.Facts.Axis = w.Axis(f.Facts.Axis.Name) // complete, even if it was read from a file
	for _, l := range slices.Backward(later) {
		at, ok := Number(l.Result.Setting(f.Facts.Axis.Name))
		v := l.Result.Get(f.Facts.Metric)
		if !ok || !v.Bounded() || !(v.Lo > 0) || !w.likened(&results[i], l.Result, f.Facts.Axis.Name) || !w.SameSetting(ran, l.Case) {
			continue
		}
		if why := k.against(&f.Facts, at, v); why != "" {
			return w.refuted(f, why, Extreme{at, v}, ran)
		}
	}
	return f
}

// several reports whether the evidence covers several variants: a later result of one of them says nothing about the others.
func several(evidence []string, results []Result) bool {
	variants := map[string]bool{}
	for i := range results {
		if slices.Contains(evidence, results[i].ID) {
			variants[results[i].Variant] = true
		}
	}
	return len(variants) > 1
}

// likened reports whether two results differ only along an axis, and the later one was not disturbed.
func (w *Workload) likened(r, later *Result, axis string) bool {
	if _, disturbed := later.Disturbed(); disturbed || later.Status != OK || later.Workload != r.Workload || later.Variant != r.Variant {
		return false
	}
	return !slices.ContainsFunc(r.Settings, func(s Setting) bool {
		return s.Name != axis && !w.Axis(s.Name).Measured && later.Setting(s.Name) != s.Value
	})
}

// refuted returns the finding that a measurement at some value contradicts another finding.
func (w *Workload) refuted(f Finding, why string, what Extreme, ran Values) Finding {
	f.Kind, f.Facts.Reason = KindRefuted, why
	f.Facts.Place, f.Facts.Value, f.Facts.Extend = Place{what.At, what.At, what.At}, what.Value, Extension{}
	f.Facts.AtLimit = false
	if s := w.Sweep(f.Facts.Axis.Name); s != nil && what.At > float64(ran.Int(s.To)) {
		f.Facts.Extend = Extension{s.To, int(what.At)}
	}
	f.Text = f.Sentence()
	return f
}

// outdone says that a value is certainly above the best, by more than a curve may rise at its end.
func (f *Facts) outdone(_ float64, v stats.Interval) string {
	if v.Median > maxRise(f.Limit)*f.Best.Value.Median && v.Lo > f.Best.Value.Hi {
		return "above the best of the run, " + f.bestText()
	}
	return ""
}

// missed says that a value above the knee certainly does not reach its share of the best, or is above the best.
func (f *Facts) missed(at float64, v stats.Interval) string {
	if at >= f.Place.At && v.Hi < f.Limit*f.Best.Value.Lo {
		return fmt.Sprintf("below %.0f %% of the best of the run, %s", 100*f.Limit, f.bestText())
	}
	return f.outdone(at, v)
}

// off says that a value is on the other side of a limit than its place suggests.
func (f *Facts) off(at float64, v stats.Interval) string {
	switch {
	case at > f.Place.At && v.Hi <= f.Limit:
		return "within " + si.Time(f.Limit)
	case at <= f.Place.At && v.Lo > f.Limit:
		return "more than " + si.Time(f.Limit)
	}
	return ""
}

// turned says that a value is on the other side of a crossover than its place suggests.
func (f *Facts) turned(at float64, v stats.Interval) string {
	switch {
	case at >= f.Place.Hi && difference().Judge(v) == stats.Faster:
		return "faster than " + f.Subject.Baseline
	case at <= f.Place.Lo && difference().Judge(v) == stats.Slower && f.Holds.Count == f.Holds.Of:
		return "slower than " + f.Subject.Baseline
	}
	return ""
}

func (f *Facts) bestText() string { return f.value(f.Best.Value) + " at " + f.at(f.Best.At) }

// refutation says how a later measurement contradicts a finding.
func (f *Facts) refutation() string {
	next := "Measure the sweep again."
	if f.Extend.Param != "" {
		next = f.larger()
	}
	return fmt.Sprintf("%s: %s measured %s, %s. %s", f.Subject.Name, f.at(f.Place.At), f.value(f.Value), f.Reason, next)
}
