package latency

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// stage is a part of a command buffer's life.
type stage struct {
	name string
	of   func(f *bench.Flight) (from, to float64)
}

// begins and ends return when the device begins and ends a command buffer, if there is a common clock.
func begins(f *bench.Flight) float64 { return f.Submit + f.Timing.Gap }

func ends(f *bench.Flight) float64 { return begins(f) + f.Timing.Device }

// stages lists the stages in order, for an engine whose times include when the device began, or for one without that.
func stages(clocked bool) []stage {
	submit := stage{"submit", func(f *bench.Flight) (from, to float64) { return f.Submit, f.Submitted }}
	if !clocked {
		return []stage{submit, {"in flight", func(f *bench.Flight) (from, to float64) { return f.Submitted, f.Waited }}}
	}
	return []stage{
		submit,
		// The device may begin before Submit returns.
		{"queued", func(f *bench.Flight) (from, to float64) { return min(f.Submitted, begins(f)), begins(f) }},
		{onTheDevice, func(f *bench.Flight) (from, to float64) { return begins(f), ends(f) }},
		{"completed", func(f *bench.Flight) (from, to float64) { return ends(f), max(ends(f), f.Waited) }},
	}
}

const onTheDevice = "on the device"

func timelineView() chart.View {
	var places []string
	for _, s := range slices.Concat(stages(true), stages(false)) {
		if !slices.Contains(places, s.name) {
			places = append(places, s.name)
		}
	}
	return chart.View{
		Title: "Timeline of each command buffer", Facet: "drawn", Color: "stage", Places: places,
		X: chart.Enc{Of: string(fromTime), Title: "Since the first submission"}, Y: chart.Enc{Of: "buffer"},
		Layers: []chart.Layer{chart.Spans{From: string(fromTime), To: string(toTime)}},
	}
}

// timelineCase times command buffers of one empty dispatch, and splits a typical repetition into its parts.
func timelineCase(b *bench.Bench, at workloads.Point, inFlight int) bench.Case {
	n := at.Int("drawn")
	var work *bench.Submitted
	return bench.Case{
		Name: "timeline " + strconv.Itoa(n),
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			v := submitted(s, "all", n, 1, func(buffers [][]gpu.Launch) (w *bench.Submitted, err error) {
				if w, err = s.Submitted(inFlight, buffers...); err == nil {
					w.Trace()
					work = w
				}
				return w, err
			})
			return []bench.Variant{v}, nil
		},
		Split: func(results []workloads.Result) []workloads.Result {
			if work == nil || results[0].Status != workloads.OK {
				return results
			}
			return append(results, parted(&results[0], work.Typical(), b.Engine.Info().GapWhy)...)
		},
	}
}

// parted returns results for the parts of each command buffer. If the engine's times do not include when the device begins, one result
// says why.
func parted(whole *workloads.Result, flights []bench.Flight, why string) []workloads.Result {
	var list []workloads.Result
	for i := range flights {
		for _, s := range stages(why == "") {
			from, to := s.of(&flights[i])
			if !(to > from) {
				continue // nothing is queued if the device begins before Submit returns
			}
			from, to = from-flights[0].Submit, to-flights[0].Submit
			r := partOf(whole, s.name, i)
			r.Values.Set(workloads.Time, stats.Interval{Median: to - from, Lo: math.Inf(-1), Hi: math.Inf(1)}) // a single sample
			r.Values.SetNumber(fromTime, from)
			r.Values.SetNumber(toTime, to)
			list = append(list, r)
		}
	}
	if why != "" && len(flights) > 0 {
		r := partOf(whole, onTheDevice, 0)
		r.Status = workloads.Unsupported
		r.Failure = workloads.FailureOf(gpu.Errorf(gpu.ErrUnsupported, "timeline", "", "the start on the device is not available: %s", why))
		list = append(list, r)
	}
	return list
}

// partOf returns a result for a part of command buffer i, without a time yet.
func partOf(whole *workloads.Result, name string, i int) workloads.Result {
	r := workloads.Result{
		Workload: whole.Workload, Case: whole.Case, Variant: fmt.Sprintf("buffer %d: %s", i+1, name), Started: whole.Started, Status: workloads.OK, Stop: whole.Stop,
		Settings: slices.Concat(whole.Settings, []workloads.Setting{{Name: "buffer", Value: i + 1}, {Name: "stage", Value: name}}),
	}
	if text, disturbed := whole.Disturbed(); disturbed {
		r.Warn(workloads.WarningKind(measure.Disturbed), text)
	}
	for _, m := range []metric.Name{workloads.Compared, workloads.Outputs, workloads.Clock} {
		for _, v := range whole.Values {
			if v.Name == m {
				r.Values = append(r.Values, v)
			}
		}
	}
	return r
}
