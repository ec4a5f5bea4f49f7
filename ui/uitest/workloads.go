package uitest

import (
	"fmt"
	"math"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/stats"
	"assay/ui/desk"
	"assay/workloads"
	"assay/workloads/measure"
	"assay/workloads/quant"
)

// result returns a verified result with a time that gives the rate in operations per second.
func result(workload, name, variant string, ops, gflops float64, settings ...workloads.Setting) workloads.Result {
	r := workloads.Result{
		ID: resultID(name, variant), Workload: workload, Case: name, Variant: variant, Status: workloads.OK, Started: Epoch, Stop: measure.StopPrecision,
		Settings: settings, Samples: make([]float64, 24),
	}
	measured(&r, Interval(ops/1e9/gflops, 0.008), ops, ops/8, 1, 1e-6)
	return r
}

// measured sets the values of a measurement on a result.
func measured(r *workloads.Result, time stats.Interval, ops, bytes, items, off float64) {
	v := &r.Values
	v.Set(workloads.Time, time)
	v.SetNumber(workloads.Samples, float64(len(r.Samples)))
	v.SetNumber(workloads.Outliers, 0)
	v.SetNumber(workloads.Warmups, 0)
	v.SetNumber(workloads.Repetitions, 4)
	v.SetNumber(workloads.Ops, ops)
	v.SetNumber(workloads.Bytes, bytes)
	v.SetNumber(workloads.Items, items)
	v.SetNumber(workloads.ErrorMax, off)
	v.SetNumber(workloads.ErrorRel, 3e-7)
	workloads.Metrics().Derive(v)
}

// FusionResults are fused and separate forms of two patterns over sizes, with a crossover each.
func FusionResults() []workloads.Result {
	var list []workloads.Result
	add := func(pattern, axis string, n int, ops, base, ratio float64) {
		name := fmt.Sprintf("%s %d", pattern, n)
		at := []workloads.Setting{{Name: "pattern", Value: pattern}, {Name: "operands", Value: "cache"}, {Name: axis, Value: n}}
		list = append(list, result("fusion", name, "separate", ops, base, at...))
		fused := result("fusion", name, "fused", ops, base*ratio, at...)
		fused.Baseline = "separate"
		fused.Values.Set(workloads.Speedup, Interval(ratio, 0.02))
		list = append(list, fused)
	}
	for i, ratio := range []float64{1.9, 1.45, 1.18, 1.06, 0.97} {
		n := 64 << i
		add("matmul+bias+relu", "size", n, 2*math.Pow(float64(n), 3), 60+20*float64(i), ratio)
	}
	for i, ratio := range []float64{1.2, 1.3, 1.7, 1.9, 1.85} {
		n := int(1000 * math.Pow10(i))
		add("add+relu", "elements", n, 2*float64(n), 3+float64(i), ratio)
	}
	list[9].Marks = workloads.Marks("crossover")
	list[9].Marks[0].Axis, list[9].Marks[0].Place = "size", workloads.Place{At: 813, Lo: 512, Hi: 1024}
	return list
}

// smallestFormat is the format in the findings of QuantizationResults.
var smallestFormat = quant.Format{Kind: quant.Int4, Block: 64}

// QuantizationResults are the formats applied to normally distributed weights.
func QuantizationResults() []workloads.Result {
	const rows, cols = 4096, 4096
	at := func(f quant.Format) []workloads.Setting {
		list := []workloads.Setting{
			{Name: "weights", Value: "normal"},
			{Name: "operands", Value: "memory"},
			{Name: "rows", Value: rows},
			{Name: "cols", Value: cols},
			{Name: "format", Value: f.Kind.String()},
		}
		if f.Kind.Quantized() {
			list = append(list, workloads.Setting{Name: "block", Value: f.Shared(rows, cols)})
		}
		return list
	}
	const ops = 2 * rows * cols
	list := []workloads.Result{result("quantization", "normal 4096×4096", quant.F32.String(), ops, 12, at(quant.Format{Kind: quant.F32})...)}
	for _, f := range []struct {
		quant.Format
		snr, ratio float64
	}{
		{quant.Format{Kind: quant.F16}, 73, 1.6},
		{quant.Format{Kind: quant.Int8, Block: 32}, 46, 2.4},
		{quant.Format{Kind: quant.Int8, Block: 128}, 43.5, 2.6},
		{quant.Format{Kind: quant.Int8}, 39, 2.7},
		{quant.Format{Kind: quant.Int4, Block: 32}, 21.5, 3.3},
		{smallestFormat, 20.2, 3.5},
		{quant.Format{Kind: quant.Int4, Block: 128}, 19, 3.6},
		{quant.Format{Kind: quant.Int4}, 12, 3.4},
	} {
		r := result("quantization", "normal 4096×4096", f.String(), ops, 12*f.ratio, at(f.Format)...)
		r.Baseline = quant.F32.String()
		r.Values.Set(workloads.Speedup, Interval(f.ratio, 0.015))
		r.Values.SetNumber(workloads.SNR, f.snr)
		r.Values.SetNumber(workloads.Footprint, float64(f.Bytes(rows, cols)))
		list = append(list, r)
	}
	list[6].Marks = workloads.Marks("smallest", "fastest")
	return list
}

// Results returns the results of a finished run of a workload.
func Results(workload string) []workloads.Result {
	switch workload {
	case "batching":
		return Sweep()
	case "fusion":
		return FusionResults()
	case "quantization":
		return QuantizationResults()
	}
	return nil
}

// kneeFinding returns what batching concludes about the matrix products of Sweep.
func kneeFinding() workloads.Finding {
	return workloads.Finding{
		Workload: "batching", Kind: "knee", Result: resultID("matmul 512", "f32"), Case: "matmul 512", Variant: "f32",
		Text: "Square products in f32 reach at least 90 % of their best throughput from 512 rows on; the best is " +
			"184 (183 to 185) GFLOP/s, at 2048 rows.",
	}
}

// conclusion returns a workload's finding on Results, with its sentence.
func conclusion(workload string) []workloads.Finding {
	switch workload {
	case "batching":
		return []workloads.Finding{kneeFinding(), {
			Workload: workload, Kind: "best", Result: resultID("mlp batch 128", "f32"), Case: "mlp batch 128", Variant: "f32",
			Text: "The MLP in f32 is at its best, 130 (129 to 131) GFLOP/s, at a batch of 128: no other size reaches 90 % of that.",
		}}
	case "fusion":
		return []workloads.Finding{{
			Workload: workload, Kind: "crossover", Result: resultID("matmul+bias+relu 1024", "fused"), Case: "matmul+bias+relu 1024",
			Variant: "fused",
			Text: "Matmul+bias+relu in f32, operands in cache: one fused kernel is faster than separate dispatches from 64 to 512 rows, " +
				"up to 1.90× (1.86× to 1.94×) at 64; it stops paying between 512 and 1024.",
		}, {
			Workload: workload, Kind: workloads.KindPays, Variant: "fused",
			Text: "Add+relu in f32, operands in cache: one fused kernel is faster than separate dispatches at every size measured, " +
				"1000 to 10000000 elements, up to 1.90× (1.86× to 1.94×) at 1000000.",
		}}
	case "quantization":
		return []workloads.Finding{{
			Workload: workload, Kind: "smallest", Result: resultID("normal 4096×4096", smallestFormat.String()),
			Case: "normal 4096×4096", Variant: smallestFormat.String(),
			Text: "Weights normal 4096×4096: " + smallestFormat.String() + " is the smallest measured format that keeps 20 dB SNR of the weights, with 20.2 dB at " +
				"4.25 bits a weight (7.53 times smaller than f32).",
		}, {
			Workload: workload, Kind: "fastest", Result: resultID("normal 4096×4096", smallestFormat.String()),
			Case: "normal 4096×4096", Variant: smallestFormat.String(),
			Text: "Weights normal 4096×4096: " + smallestFormat.String() + " is the fastest measured format that keeps 20 dB SNR of the weights: " +
				"3.50× (3.45× to 3.55×) the speed of f32 at batch 1, weights from memory, with 20.2 dB.",
		}}
	}
	return nil
}

// Tuned returns a point of live tuning of a result.
func Tuned(workload, moved string, v workloads.Values, r ...workloads.Result) app.Tuned {
	for i := range r {
		r[i].Samples = r[i].Samples[:min(5, len(r[i].Samples))]
	}
	narrow := v.With(nil)
	for _, s := range r[0].Settings { // a case has one value of each choice
		if word, ok := s.Value.(string); ok && v[s.Name] != nil {
			narrow[s.Name] = word
		}
	}
	return app.Tuned{
		Workload: workload, Moved: moved, Place: moved, Params: v, Case: narrow, Results: r, Engine: SweepMeta().Engine, Seed: 1, At: Epoch,
		Took: 380 * time.Millisecond,
	}
}

// tunedPoints returns two points of a workload, as if measured by moving a slider.
func tunedPoints(d *desk.Desk, workload string) []app.Tuned {
	v := func(name string, value any) workloads.Values {
		out := d.Model.Workload().Defaults(false)
		out[name] = value
		return out
	}
	switch all := Results(workload); workload {
	case "batching":
		return []app.Tuned{
			Tuned(workload, "max_size", v("max_size", 100), SweepResult("matmul", "size", 100, 44)),
			Tuned(workload, "max_size", v("max_size", 700), SweepResult("matmul", "size", 700, 171)),
		}
	case "fusion":
		return []app.Tuned{Tuned(workload, "max_size", v("max_size", 256), all[4], all[5])}
	case "quantization":
		return []app.Tuned{Tuned(workload, "max_block", v("max_block", 32), all[0], all[5])}
	}
	return nil
}

// inHand returns the progress of the case in progress after half of the results.
func inHand(workload string, results []workloads.Result) workloads.Progress {
	if len(results) == 0 {
		return workloads.Progress{Workload: workload, Case: "leak control", Total: 1, Measure: measure.Progress{Phase: "leaking"}}
	}
	next := &results[len(results)/2]
	return workloads.Progress{
		Workload: workload, Case: next.Case, Done: len(results) / 2, Total: len(results),
		Measure: measure.Progress{Phase: measure.Sampling, Variant: next.Variant, Samples: 9, Width: 0.034},
	}
}

// PlayWorkload brings a desk with the workload chosen to a state: "empty", "tuned", "running", "finished" or "failed".
func PlayWorkload(d *desk.Desk, s *Session, workload, state string) {
	d.Model.Engines = s.States
	d.Redraw(desk.ChangedEngines)
	Ticks(d, 30)
	meta := SweepMeta()
	meta.Jobs[0] = bundle.Job{Workload: workload, Params: d.Model.Workload().Defaults(false)}
	meta.ID = "20261120-120000-" + workload
	results := Results(workload)
	if workload == "leak" && state != "empty" {
		s.Curve = leakCurve(meta.ID, map[string]int{"running": 50, "finished": 160, "failed": 30}[state])
	}
	switch state {
	case "tuned":
		for _, p := range tunedPoints(d, workload) {
			s.Keep(p)
			d.Take(app.TuneUpdate{Request: app.TuneRequest{Workload: workload, Moved: p.Moved, Params: p.Params}, Point: p})
		}
	case "running":
		d.Take(app.StartUpdate{Meta: meta})
		for _, r := range results[:len(results)/2] {
			d.Take(app.ResultUpdate{Result: r})
		}
		d.Take(app.ProgressUpdate{Progress: inHand(workload, results), Fraction: 0.31, Left: 12.4})
	case "finished", "failed":
		d.Take(app.StartUpdate{Meta: meta})
		d.Take(app.EndUpdate{Run: endedRun(meta, results, state == "failed"), Err: nil})
	}
}

// endedRun returns a run of results that ended well, or was cut off after half of them.
func endedRun(meta bundle.Meta, results []workloads.Result, failed bool) *bundle.Run {
	meta.Finished = Epoch.Add(13 * time.Second)
	run := &bundle.Run{Meta: meta, Results: results, Dir: "/home/ada/.local/share/assay/runs/" + meta.ID}
	if failed {
		run.Results = results[:len(results)/2]
		run.Meta.Failure = workloads.DeviceLost
		run.Meta.Error = meta.Jobs[0].Workload + ": submit: device lost: a command buffer hung for 10 s"
		return run
	}
	for _, f := range conclusion(meta.Jobs[0].Workload) {
		run.Findings = append(run.Findings, f)
		f.Mark(run.Results)
	}
	if meta.Jobs[0].Workload == "leak" {
		run.Events = leakEvents(160)
	}
	return run
}
