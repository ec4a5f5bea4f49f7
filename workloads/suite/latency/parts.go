package latency

import (
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench"
)

// Metrics of what it takes to start work: the parts of a time.
const (
	eachTime    metric.Name = "each_s"
	gapTime     metric.Name = "gap_s"
	deviceTime  metric.Name = "device_s"
	outsideTime metric.Name = "outside_s"
	stageTime   metric.Name = "stage_s"
	fromTime    metric.Name = "from_s"
	toTime      metric.Name = "to_s"
)

func latencyMetrics() metric.List {
	return metric.List{
		{
			Name: eachTime, Title: "Each", Unit: "s", Shape: metric.Interval, Better: metric.Less, Shown: true,
			About: "Median time of a dispatch, a command buffer or a load: a repetition’s time divided by their number.",
		},
		{
			Name: stageTime, Title: "By counters", Unit: "s", Shape: metric.Interval, Better: metric.Less, Shown: true,
			About: "Median time of one dispatch by its own counters, which slow the repetition down.",
		},
		{
			Name: gapTime, Title: "Before start", Unit: "s", Shape: metric.Interval, Better: metric.Less,
			About: "Median time from the first submission until the device started, where one clock covers both.",
		},
		{
			Name: deviceTime, Title: "On the device", Unit: "s", Shape: metric.Interval, Better: metric.Less,
			About: "Median time of the first command buffer on the device's clock.",
		},
		{
			Name: outsideTime, Title: "Before and after", Unit: "s", Shape: metric.Interval, Better: metric.Less,
			About: "Median time of the first command buffer from submission to completion, minus the device’s time.",
		},
		{
			Name: fromTime, Title: "Begins", Unit: "s", Shape: metric.Scalar, Shown: true,
			About: "When this phase of a command buffer begins, after the repetition’s first submission.",
		},
		{
			Name: toTime, Title: "Ends", Unit: "s", Shape: metric.Scalar,
			About: "When this phase of a command buffer ends, after the repetition’s first submission.",
		},
	}
}

// made sets how the time of the first command buffer is made up.
func made(r *workloads.Result, w *bench.Submitted, gaps bool) {
	var gap, device, outside []float64
	for _, t := range w.Timings() {
		gap, device, outside = append(gap, t.Gap), append(device, t.Device), append(outside, t.Wall-t.Device)
	}
	r.Values.Set(deviceTime, stats.Median(device).Interval)
	r.Values.Set(outsideTime, stats.Median(outside).Interval)
	if gaps {
		r.Values.Set(gapTime, stats.Median(gap).Interval)
	}
	if times := w.Stages(); len(times) > 0 {
		r.Values.Set(stageTime, stats.Median(times).Interval)
	}
}

// part is a metric and what it is of the whole.
type part struct {
	of  metric.Name
	per string
}

// readings are how the time of one command buffer is made up, as far as it is known.
func readings(r *workloads.Result) []workloads.Reading {
	first := part{gapTime, "before the device starts"}
	if !(r.Number(gapTime) > 0) {
		first = part{outsideTime, "before and after the device’s time"}
	}
	var list []workloads.Reading
	for _, m := range []part{first, {deviceTime, "on the device"}} {
		if v := r.Get(m.of); v.Median > 0 {
			list = append(list, workloads.Reading{Value: v, Unit: "s", Per: m.per})
		}
	}
	return list
}

// counted are readings of a case from the result in which each dispatch is timed.
func counted(timed []workloads.Result) func(r *workloads.Result) []workloads.Reading {
	return func(r *workloads.Result) []workloads.Reading {
		for i := range timed {
			t := &timed[i]
			if v := t.Get(stageTime); t.Case == r.Case && v.Median > 0 {
				return []workloads.Reading{{Value: v, Unit: "s", Per: "timed alone by counters, one takes", Apart: true}}
			}
		}
		return nil
	}
}
