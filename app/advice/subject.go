package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// way is what distinguishes two results of one case: the value of an axis or, with an empty axis, the variant.
func way(r *workloads.Result, axis string) string {
	if axis == "" {
		return r.Variant
	}
	if v := r.Setting(axis); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

// fit reports whether the time of a result supports conclusions.
func fit(r *workloads.Result) bool {
	_, disturbed := r.Disturbed()
	return r.Status == workloads.OK && !disturbed && r.Time().Median > 0
}

// doubted reports whether the result of that ID was disturbed.
func (s *Subject) doubted(id string) bool {
	return slices.ContainsFunc(s.Run.Results, func(r workloads.Result) bool {
		_, disturbed := r.Disturbed()
		return r.ID == id && disturbed
	})
}

// gain returns how many times faster one result is than another of the same case: from paired samples if one is the other's
// baseline.
func gain(slow, fast *workloads.Result) stats.Interval {
	switch {
	case fast.Baseline == slow.Variant && !math.IsNaN(fast.Speedup().Median):
		return fast.Speedup()
	case slow.Baseline == fast.Variant && !math.IsNaN(slow.Speedup().Median):
		s := slow.Speedup()
		return stats.Interval{Median: 1 / s.Median, Lo: 1 / s.Hi, Hi: 1 / s.Lo}
	}
	return stats.Quotient(slow.Time(), fast.Time())
}

// key returns the case of a result without one axis, and the variant if results differ only in that axis.
func (s *Subject) key(r *workloads.Result, but string) string {
	var b strings.Builder
	fmt.Fprint(&b, r.Job, r.Workload)
	for _, set := range r.Settings {
		if set.Name != but && s.Run.Meta.Matches(r.Workload, set.Name) {
			fmt.Fprintf(&b, "|%s=%v", set.Name, set.Value)
		}
	}
	return b.String()
}

// cases groups the results of a workload by case; an empty name means all workloads.
func (s *Subject) cases(workload, but string) [][]*workloads.Result {
	at := map[string]int{}
	var groups [][]*workloads.Result
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		if workload != "" && r.Workload != workload {
			continue
		}
		k := s.key(r, but)
		n, known := at[k]
		if !known {
			n = len(groups)
			at[k], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], r)
	}
	return groups
}

// has reports whether a result has all of these settings; a setting that ends in * matches as a prefix.
func has(r *workloads.Result, where map[string]string) bool {
	for axis, want := range where {
		is := fmt.Sprint(r.Setting(axis))
		if begin, any := strings.CutSuffix(want, "*"); any && !strings.HasPrefix(is, begin) || !any && is != want {
			return false
		}
	}
	return true
}

// job returns the job of the run that a result comes from; nil if unknown.
func (s *Subject) job(r *workloads.Result) *bundle.Job {
	jobs := s.Run.Meta.Jobs
	if r.Job < 0 || r.Job >= len(jobs) || jobs[r.Job].Workload != r.Workload {
		return nil
	}
	return &jobs[r.Job]
}

// at returns the parameters that lead to the case of a result alone; nil if it cannot be measured separately.
func (s *Subject) at(r *workloads.Result) workloads.Values {
	job := s.job(r)
	w, err := workloads.Find(s.Workloads, r.Workload)
	if job == nil || err != nil || !w.Tunable() {
		return nil
	}
	there := workloads.Values{}
	for _, set := range r.Settings {
		if sweep := w.Sweep(set.Name); sweep != nil {
			there[sweep.From], there[sweep.To] = set.Value, set.Value
		} else if p, err := w.Param(set.Name); err == nil && p.Check(set.Value) == nil {
			there[set.Name] = set.Value
		}
	}
	v := job.Params.With(there)
	if w.Check(v) != nil {
		return nil
	}
	return v
}

// trial compares two variants of a result's case.
func (s *Subject) trial(slow, fast *workloads.Result) *Trial {
	before, after := s.at(slow), s.at(fast)
	if before == nil || after == nil {
		return nil
	}
	return &Trial{
		Workload: slow.Workload, Before: Side{Params: before, Variant: slow.Variant}, After: Side{Params: after, Variant: fast.Variant},
		What: [2]string{slow.Case + ", " + slow.Variant, fast.Case + ", " + fast.Variant},
	}
}

// values returns the readings of a metric during the run while another metric, if there is one, was above a value.
func (s *Subject) values(metric, while string, above float64) (list []float64, source string) {
	for i := range s.Run.Snapshots {
		snap := &s.Run.Snapshots[i]
		if busy, ok := snap.Value(while); while != "" && !(ok && busy > above) {
			continue
		}
		r, ok := snap.Find(metric)
		if !ok || r.Status != monitor.OK || r.Text != "" || math.IsNaN(r.Value) {
			continue
		}
		list, source = append(list, r.Value), r.Source
	}
	return list, source
}

// mean returns the mean of values.
func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// monitored names the source of a figure from readings.
func monitored(source string, n int) string {
	return fmt.Sprintf("monitor, %s: %s", si.Counted(n, "reading"), source)
}

// placeable reports whether the peaks that a result is compared with were measured on a quiet machine; otherwise its shares may
// be too high.
func placeable(r *workloads.Result) bool {
	return !slices.ContainsFunc(r.Warnings, func(w workloads.Warning) bool { return w.Kind == workloads.PeaksDisturbed })
}

// boundBy returns what bounds a result; empty if unknown.
func boundBy(r *workloads.Result) string {
	if !placeable(r) {
		return ""
	}
	return r.Values.Text(workloads.BoundBy)
}

// placed returns how close a result comes to the measured peaks; ok is false if they are unknown.
func placed(r *workloads.Result) (compute, bandwidth float64, ok bool) {
	if !placeable(r) {
		return math.NaN(), math.NaN(), false
	}
	compute, bandwidth = r.Number(workloads.OfCompute), r.Number(workloads.OfBandwidth)
	return compute, bandwidth, compute > 0 || bandwidth > 0
}

// fastest returns the fastest of the results that support conclusions; nil: there is none.
func fastest(results []*workloads.Result) *workloads.Result {
	fits := slices.DeleteFunc(slices.Clone(results), func(r *workloads.Result) bool { return !fit(r) })
	if len(fits) == 0 {
		return nil
	}
	return slices.MinFunc(fits, func(a, b *workloads.Result) int {
		if a.Time().Median < b.Time().Median {
			return -1
		}
		return 1
	})
}

// percent formats a share for people.
func percent(share float64) string { return monitor.Format(share, "ratio") }
