// Package runstest provides a run for tests of packages that write and read runs: a workload, results of every kind, a tick
// of the monitor. It does not import bundle, whose tests use it too.
package runstest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// Began is when the run began.
func Began() time.Time { return time.Date(2026, 11, 20, 21, 45, 1, 250_000_000, time.UTC) }

// Workload has one axis, which is also a parameter, and texts that a spreadsheet would run.
func Workload() workloads.Workload {
	return workloads.Workload{
		Name: "sweep", Title: "Sweep", About: "A sweep.",
		Params: []workloads.Param{
			{Name: "size", Title: "Size", Type: workloads.Int, Unit: "rows", Min: 1, Max: 4096, Default: 64},
			{Name: "rate", Title: "Rate", Type: workloads.Float, Max: 100, Default: 10.0},
			{Name: "note", Title: "Note", Type: workloads.Text, Default: ""},
		},
		Axes: []workloads.Axis{{Name: "size", Title: "Matrix side", Unit: "rows"}, {Name: "kind", Title: "Kind"}},
		Metrics: metric.List{
			{Name: "fidelity_db", Title: "Fidelity", Unit: "dB", Shape: metric.Scalar, Better: metric.More, About: "Of the outputs.", Shown: true},
			{Name: "grade", Title: "Grade", Shape: metric.Text, About: "In words."},
		},
		Views: []chart.View{{
			X: chart.Enc{Of: "size", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Throughput), Scale: chart.Log10},
			Layers: []chart.Layer{chart.Lines{}},
		}},
	}
}

// Engine is the engine of the run.
func Engine() gpu.Info {
	return gpu.Info{Engine: "cpu", Device: "Test, \"quoted\" device", Features: []string{"avx2"}, MaxBuffer: 1 << 40}
}

// Host is the machine.
func Host() monitor.HostInfo {
	return monitor.HostInfo{OS: "linux", CPU: "Test CPU", Threads: 2, MemoryBytes: 1 << 33}
}

// Params are the workload's parameters in the run.
func Params() workloads.Values { return workloads.Values{"size": 64, "rate": 10.0, "note": "=1+1"} }

// Verified is a verified result with n samples.
func Verified(size, n int) workloads.Result {
	r := workloads.Result{
		Workload: "sweep", Case: fmt.Sprintf("size %d", size), Variant: "f32", Started: Began(), Status: workloads.OK,
		Settings: []workloads.Setting{{Name: "size", Value: size}, {Name: "kind", Value: "-odd\tkind"}},
		Stop:     measure.StopPrecision,
		Warnings: []workloads.Warning{{Kind: workloads.WarningKind(measure.Wide), Text: "interval ± 1.5 %, wanted ± 0.5 %"}, {Text: "busy"}},
	}
	for i := range n {
		r.Samples = append(r.Samples, (1+0.001*float64(i%7))/3*float64(size)*1e-6)
	}
	v := &r.Values
	v.Set(workloads.Time, stats.Median(r.Samples).Interval)
	if n > 4 {
		r.SetAside = []measure.SetAside{
			{At: 0, Samples: []float64{2e-5, 2.5e-5}, Why: "other programs used 63.0 % of the CPU"},
			{At: 4, Samples: []float64{3e-5}, Why: "throttled by 7.00 %, 30.0 MB/s went to and from swap"},
		}
		v.SetNumber(workloads.SetAside, 3)
	}
	if n > 0 {
		v.SetNumber(workloads.Samples, float64(n))
		v.SetNumber(workloads.Outliers, 0)
		v.SetNumber(workloads.Warmups, 8)
	}
	v.SetNumber(workloads.Repetitions, 3)
	v.SetNumber(workloads.ErrorMax, 1.0/3)
	v.SetNumber(workloads.ErrorRel, 0)
	v.SetNumber(workloads.Ops, 2e6*float64(size))
	v.SetNumber(workloads.Bytes, 1.5e6)
	v.SetNumber(workloads.Items, 1)
	v.SetNumber(workloads.Dispatches, 2)
	v.SetNumber("fidelity_db", math.Inf(1))
	workloads.Metrics().Derive(v)
	return r
}

// Failed is a wrong result, with a text that a spreadsheet would run.
func Failed() workloads.Result {
	r := workloads.Result{
		Workload: "sweep", Case: "size 128", Variant: "@f16", Started: Began(), Status: workloads.Failed,
		Settings: []workloads.Setting{{Name: "size", Value: 128}, {Name: "kind", Value: 0.5}},
		Failure:  workloads.Failure{Kind: workloads.WrongOutput, Text: "=HYPERLINK(\"x\")\nwrong result, line 2"},
	}
	r.Values.SetNumber(workloads.Dispatches, 1)
	return r
}

// Compared is a result with a baseline and too few samples for an interval.
func Compared() workloads.Result {
	r := Verified(256, 3)
	r.Variant, r.Baseline = "fused", "f32"
	r.Values.SetNumber(workloads.BytesSaved, 0)
	r.Values.Set(workloads.Speedup, stats.Interval{Median: 1.5, Lo: math.Inf(-1), Hi: math.Inf(1)})
	return r
}

// Snapshot is a tick one second after the start.
func Snapshot() monitor.Snapshot {
	return monitor.Snapshot{Time: Began().Add(time.Second), Readings: []monitor.Reading{
		{Metric: monitor.HostCPU, Value: 0.25, Unit: "ratio", Source: "/proc/stat", Provenance: monitor.Measured, Status: monitor.OK},
		{Metric: monitor.ThermalState, Text: monitor.Fair, Provenance: monitor.Estimated, Status: monitor.OK},
		{Metric: monitor.Temperature, Unit: "°C", Status: monitor.Unavailable, Reason: "no sensor, not one"},
	}}
}

// Check ends a test on an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Same compares two values by their Printed form, in which NaN equals NaN.
func Same(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := Printed(got), Printed(want); g != w {
		t.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}

// Printed writes a value with all its content. Times are in UTC, and nil is an empty slice.
func Printed(v any) string { return printValue(reflect.ValueOf(v)) }

func printValue(v reflect.Value) string {
	if v.IsValid() && v.Type() == reflect.TypeFor[time.Time]() {
		return v.Interface().(time.Time).UTC().Format(time.RFC3339Nano)
	}
	if v.IsValid() && v.Type() == reflect.TypeFor[metric.Values]() { // sorted by name
		list := slices.SortedFunc(slices.Values(v.Interface().(metric.Values)), func(a, b metric.Value) int {
			return strings.Compare(string(a.Name), string(b.Name))
		})
		v = reflect.ValueOf([]metric.Value(list))
	}
	switch v.Kind() {
	case reflect.Slice:
		s := "["
		for i := range v.Len() {
			s += printValue(v.Index(i)) + " "
		}
		return s + "]"
	case reflect.Struct:
		s := "{"
		for i := range v.NumField() {
			s += v.Type().Field(i).Name + ":" + printValue(v.Field(i)) + " "
		}
		return s + "}"
	case reflect.Interface:
		return printValue(v.Elem())
	}
	return fmt.Sprintf("%#v", v)
}
