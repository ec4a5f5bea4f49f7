package app

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/metric"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// Name names what the point measured: "mlp batch 512, width 128, 7 layers, f32".
func (p *Tuned) Name(w *workloads.Workload) string {
	parts := []string{"", w.Setting(p.Case), ""}
	if r := p.Headline(); r != nil {
		parts[0], parts[2] = r.Case, r.Variant
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Against compares a point of live tuning with another, named by called, in one sentence: by throughput if both have it, else by
// time.
func (p *Tuned) Against(w *workloads.Workload, other *Tuned, called string) string {
	of := " " + called + ", " + other.Name(w)
	now, base := p.Headline(), other.Headline()
	if now == nil || base == nil || now.Status != workloads.OK || base.Status != workloads.OK {
		return "It cannot be compared with" + of + "."
	}
	for _, r := range []*workloads.Result{now, base} {
		if _, disturbed := r.Disturbed(); disturbed {
			return "No conclusion against" + of + ": a disturbed time cannot be compared."
		}
	}
	a, b, what := now.Get(workloads.Throughput), base.Get(workloads.Throughput), "throughput"
	if !(a.Median > 0 && b.Median > 0) {
		a, b, what = now.Time(), base.Time(), "time"
	}
	ratio := si.Ratio(a.Median / b.Median)
	if !a.Bounded() || !b.Bounded() {
		return fmt.Sprintf("%s the %s of%s (no interval: too few samples).", ratio, what, of)
	}
	lo, hi := a.Lo/b.Hi, a.Hi/b.Lo
	if lo <= 1 && 1 <= hi {
		return fmt.Sprintf("No measurable difference in %s from%s: %s (%s to %s).", what, of, ratio, si.Digits(lo), si.Digits(hi))
	}
	return fmt.Sprintf("%s the %s of%s (%s to %s).", ratio, what, of, si.Digits(lo), si.Digits(hi))
}

// Sentence describes the comparison: its progress, or how B compared with A.
func (u *ABUpdate) Sentence(w *workloads.Workload) string {
	a, b := u.Request.A.Name(w), u.Request.B.Name(w)
	s := u.Speedup
	switch {
	case u.Rounds+u.Disturbed == 0:
		return fmt.Sprintf("Measuring both alternately: A, %s, and B, %s…", a, b)
	case !u.Done && u.Disturbed > 0:
		return fmt.Sprintf("Measuring both alternately, round %d of %d. Disturbed and measured again: %d.", u.Rounds+1, u.Of, u.Disturbed)
	case !u.Done:
		return fmt.Sprintf("Measuring both alternately, round %d of %d. So far, B is %s.", u.Rounds+1, u.Of,
			si.ChangeFrom(s.Median, s.Median, s.Median, "A"))
	case u.Rounds < u.Of:
		return fmt.Sprintf("B, %s, against A, %s: no conclusion. %d of %s disturbed: measure again on a quiet machine.", b, a,
			u.Disturbed, si.Counted(u.Rounds+u.Disturbed, "round"))
	}
	times := si.ChangeFrom(s.Median, s.Lo, s.Hi, "A, "+a)
	if !s.Bounded() {
		return fmt.Sprintf("B, %s, against A, %s: no conclusion. The rounds differ too much for an interval: measure again.", b, a)
	}
	times += ", " + si.Counted(u.Rounds, "round") + " of A B B A"
	if s.Lo <= 1 && 1 <= s.Hi {
		return fmt.Sprintf("No measurable difference: B, %s, is %s.", b, times)
	}
	return fmt.Sprintf("B, %s, is %s.", b, times)
}

// Sentence describes the point in one sentence, and reports whether its output was correct.
func (p *Tuned) Sentence(w *workloads.Workload) (sentence string, ok bool) {
	r := p.Headline()
	switch {
	case r == nil:
		return "No result.", false
	case r.Status != workloads.OK:
		return fmt.Sprintf("%s has no time: %s.", p.Name(w), r.Failure.Text), false
	}
	values := append(speedTexts(r, w), si.Time(r.Time().Median))
	for _, m := range Told(w) {
		if v := r.Number(m.Name); !math.IsNaN(v) && !math.IsInf(v, 0) && m.Per != workloads.Time {
			values = append(values, fmt.Sprintf(m.Phrase, si.Format(v, m.Unit)))
		}
	}
	sentence = fmt.Sprintf("%s: %s. A short measurement: %s in %.2f s.", p.Name(w), strings.Join(values, ", "),
		si.Counted(len(r.Samples), "sample"), p.Took.Seconds())
	if why, disturbed := r.Disturbed(); disturbed {
		sentence += " " + plain.Capitalized(why) + "."
	}
	return sentence, true
}

// Told are the metrics of a workload that sentences include.
func Told(w *workloads.Workload) metric.List {
	return slices.DeleteFunc(workloads.Metrics().With(w.Metrics...), func(m metric.Metric) bool { return m.Phrase == "" })
}

// Rates returns a result's rates for sentences, with intervals if any.
func Rates(r *workloads.Result, w *workloads.Workload) []string {
	var out []string
	for _, m := range Told(w) {
		if v := r.Get(m.Name); m.Per == workloads.Time && v.Median > 0 {
			out = append(out, fmt.Sprintf(m.Phrase, si.Range(v.Median, v.Lo, v.Hi, m.Unit)))
		}
	}
	return out
}

// speedTexts returns a result's speed, relative to its baseline or absolute, and its uncertainty.
func speedTexts(r *workloads.Result, w *workloads.Workload) []string {
	s := r.Speedup()
	if r.Baseline == "" || math.IsNaN(s.Median) {
		texts := Rates(r, w)
		if !hasInterval(r.Time()) {
			for i := range texts {
				texts[i] += " (" + noInterval(r) + ")"
			}
		}
		return texts
	}
	if !hasInterval(s) {
		return []string{si.ChangeFrom(s.Median, s.Median, s.Median, r.Baseline) + " (" + noInterval(r) + ")"}
	}
	if none := workloads.NoDifference(s); none != "" {
		return []string{fmt.Sprintf("%s from %s, %s (%s–%s)", none, r.Baseline, si.Ratio(s.Median), si.Digits(s.Lo), si.Digits(s.Hi))}
	}
	return []string{si.ChangeFrom(s.Median, s.Lo, s.Hi, r.Baseline)}
}

// hasInterval reports whether a median has an interval with two ends.
func hasInterval(v stats.Interval) bool {
	return v.Lo <= v.Median && v.Median <= v.Hi && !math.IsInf(v.Lo, 0) && !math.IsInf(v.Hi, 0)
}

// noInterval says why there is no interval.
func noInterval(r *workloads.Result) string {
	if len(r.Samples) == 1 {
		return "no interval: one sample"
	}
	return "no interval: too few samples"
}
