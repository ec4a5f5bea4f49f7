package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// Flows lists all flows. Their steps follow the troubleshooting of the Metal GPU Optimization Guide of TensorLogic.
func Flows() []Flow { return []Flow{slowFlow(), memoryFlow(), transfersFlow()} }

// vectorSum is a short job that uses memory and device, for reading the state of the machine.
func vectorSum() Job {
	return Job{"elementwise", workloads.Values{"op": "add", "compare": "width", "min_elements": 1000000, "max_elements": 1000000}}
}

// slowFlow looks for the cause of low speed.
func slowFlow() Flow {
	return Flow{
		Name: "slow", Title: "Low speed", Symptom: "Operations are slower than expected.",
		Otherwise: "Measure the peaks of the device (assay run peaks), then the kernel in question: its share of them shows what bounds it.",
		Steps: []Step{
			{
				ID: "machine", Title: "The machine", Measures: "A vector sum, while the machine is monitored: is a GPU used, and is anything throttled or busy?",
				Job: vectorSum(), judge: machine,
			},
			{
				ID: "launches", Title: "The cost of launches", Measures: "Empty dispatches in one command buffer and in one each: what does a launch cost?",
				Job: Job{"latency", workloads.Values{"part": "dispatches"}}, judge: launches,
			},
			{
				ID: "batch", Title: "The size of batches", Measures: "A small network at batches of 1 to 64: does an item get cheaper?",
				Job: Job{"batching", workloads.Values{"sweep": "mlp", "min_batch": 1, "max_batch": 64}}, judge: batches,
			},
			{
				ID: "fusion", Title: "Fused operations", Measures: "A matrix product with its activation, in one kernel and in two.",
				Job: Job{"fusion", workloads.Values{"pattern": "matmul+relu"}}, judge: contrasting("unfused"),
			},
			{
				ID: "pool", Title: "Reuse of buffers", Measures: "The buffers of a training step: new ones, and from a pool.",
				Job: Job{"pool", workloads.Values{"study": "pooling", "profile": "training"}}, judge: contrasting("unpooled"),
			},
			{
				ID: "resident", Title: "Data that stays on the GPU", Measures: "Data that kernels use once to many times, uploaded and in place.",
				Job: Job{"transfers", workloads.Values{"part": "reuse"}}, judge: contrasting("copied"),
			},
		},
	}
}

// machine judges the state of the machine: if something is wrong there, there is no need to look further.
func machine(s *Subject) Outcome {
	var busy *Piece
	for _, p := range Advise(s) {
		switch {
		case p.Rule == "throttled", p.Rule == "gpu-throttled", p.Rule == "swapping":
			return ofPiece(&p, Cause)
		case p.Rule == "no-gpu" && len(s.GPUs) > 0:
			return ofPiece(&p, Cause)
		case p.Rule == "not-quiet":
			busy = &p
		}
	}
	switch {
	case busy != nil && !s.Run.Meta.Engine.GPU: // they take the cores that the run measures
		return ofPiece(busy, Cause)
	case busy != nil:
		return ofPiece(busy, Loss)
	}
	return clean(fmt.Sprintf("nothing throttles %s, and no other program is busy", s.Run.Meta.Engine.Device),
		words("Engine", s.Run.Meta.Engine.Engine+" on "+s.Run.Meta.Engine.Device, "run.json"))
}

// launches judges the cost of command buffers. If it is small, batches and fusion save little.
func launches(s *Subject) Outcome {
	out := contrasting("one-dispatch-each")(s)
	if out.Branch == Clear {
		out.Skip = []string{"batch", "fusion"}
	}
	return out
}

// batches judges the curve over the batch size.
func batches(s *Subject) Outcome {
	if list := smallBatches(s); len(list) > 0 {
		p := list[0]
		p.Do = ruleNamed("small-batch").Do
		return ofPiece(&p, Loss)
	}
	if curves := s.curves("batch"); len(curves) > 0 {
		first, last := curves[0][0], curves[0][len(curves[0])-1]
		return clean("an item takes about as long in "+first.Case+" as in larger ones",
			ofResult("Items per second, smallest", first.Get(workloads.ItemRate), "1/s", first), ofResult("Items per second, largest", last.Get(workloads.ItemRate), "1/s", last))
	}
	return missing(s.lacksAlong("batch", "no curve over the batch was measured"))
}

// memoryFlow looks for what takes up memory.
func memoryFlow() Flow {
	return Flow{
		Name: "memory", Title: "High memory", Symptom: "Memory pressure, or allocations that fail.",
		Otherwise: "Plan what the model needs (assay run plan): weights in a smaller format, or a shorter context.",
		Steps: []Step{
			{
				ID: "pressure", Title: "Memory in use", Measures: "A vector sum, while memory is monitored: is it full at all?",
				Job: vectorSum(), judge: pressed,
			},
			{
				ID: "leak", Title: "Memory that is not released", Measures: "Buffers of a training step, again and again; then the ledger of live buffers.",
				Job: Job{"pool", workloads.Values{"study": "pooling", "profile": "training"}}, judge: leaking,
			},
			{
				ID: "pool", Title: "What the pool keeps", Measures: "The pool’s capacity: how much memory it holds for how much reuse.",
				Job: Job{"pool", workloads.Values{"study": "capacity", "profile": "training", "max_capacity": 32}}, judge: holding,
			},
			{
				ID: "batch", Title: "Concurrent requests", Measures: "A network with 1 to 8 concurrent requests: how much memory does each one add?",
				Job: Job{"concurrency", workloads.Values{"min_requests": 1, "max_requests": 8}}, judge: growing,
			},
			{
				ID: "activations", Title: "Activations that are kept", Measures: "A step of training that keeps all activations, and one with checkpoints.",
				Job:   Job{"training", workloads.Values{"compare": "checkpoints"}},
				judge: lighter("all activations", "checkpoints", "Keep only the activations of every few layers, and recompute the others; the times show what that costs."),
			},
			{
				ID: "epochs", Title: "The pool between epochs", Measures: "Epochs of training that keep the pool’s buffers, and that clear it.",
				Job:   Job{"training", workloads.Values{"compare": "epochs"}},
				judge: lighter("pool kept", "pool cleared", "Clear the pool between epochs whose sizes differ; the times show what that costs."),
			},
		},
	}
}

// pressed judges whether memory is full; if it is not, the flow could end, but the user may still want to know what holds it.
func pressed(s *Subject) Outcome {
	for _, p := range Advise(s) {
		if p.Rule == "working-set" || p.Rule == "memory-full" || p.Rule == "swapping" {
			out := ofPiece(&p, Loss)
			out.Saves = math.NaN()
			return out
		}
	}
	var figures []Figure
	for _, of := range []struct{ metric, words string }{
		{monitor.HostMemoryFull, "memory"}, {monitor.EngineWorkingSet, "the engine’s working set"},
	} {
		if list, source := s.values(of.metric, "", 0); len(list) > 0 {
			figures = append(figures, number("Highest share of "+of.words+" in use", slices.Max(list), "ratio", "limit "+percent(fullShare), monitored(source, len(list))))
		}
	}
	if len(figures) == 0 {
		return unsure("no reading shows how full memory is")
	}
	return clean("memory is not full: the "+lowered(figures[0].What)+" was "+figures[0].Words(), figures...)
}

// leaking judges whether buffers were left.
func leaking(s *Subject) Outcome {
	if list := leaks(s); len(list) > 0 {
		p := list[0]
		p.Do = ruleNamed("leak").Do
		return ofPiece(&p, Cause)
	}
	live, source := s.values(monitor.EngineLive, "", 0)
	figures := []Figure{words("Leaks", "none", "the ledger of the run")}
	if len(live) > 0 {
		figures = append(figures, number("Highest, live bytes", slices.Max(live), "B", "", monitored(source, len(live))))
	}
	return clean("every buffer was released at the end", figures...)
}

// holding judges the capacity of a pool: beyond the smallest sufficient one, it only holds memory.
func holding(s *Subject) Outcome {
	var enough, top *workloads.Result
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		rate, held := r.Number("reuse_rate"), r.Number(workloads.HeldBytes)
		if r.Setting("capacity") == nil || math.IsNaN(rate) || math.IsNaN(held) {
			continue
		}
		if top == nil || held > top.Number(workloads.HeldBytes) {
			top = r
		}
		if enough == nil || rate > enough.Number("reuse_rate")+0.01 {
			enough = r
		}
	}
	if enough == nil {
		return unsure("no capacity of a pool was measured")
	}
	saves := top.Number(workloads.HeldBytes) - enough.Number(workloads.HeldBytes)
	figures := []Figure{
		ofResult("Held with the smallest capacity that is enough", enough.Get(workloads.HeldBytes), "B", enough), ofResult("Held at most", top.Get(workloads.HeldBytes), "B", top),
		ofResult("Reuse there", enough.Get("reuse_rate"), "ratio", enough),
	}
	capacity := fmt.Sprint(enough.Setting("capacity"))
	if saves <= 0 {
		return clean("the pool holds no more than its reuse needs, up to a capacity of "+capacity, figures...)
	}
	out := clean(fmt.Sprintf("a capacity of %s reuses as much as larger ones, and holds %s less", capacity, si.Bytes(saves)), figures...)
	out.Branch, out.Saves, out.Do = Loss, saves, "Set the pool’s capacity to what its reuse needs, and shrink it to fit (Memory page, or --pool-capacity)."
	return out
}

// growing judges how much memory each concurrent request holds.
func growing(s *Subject) Outcome {
	for i := range s.Run.Findings {
		f := &s.Run.Findings[i]
		if f.Kind != workloads.KindGrowth || !(f.Facts.Value.Median > 0) {
			continue
		}
		half := 0.5 * f.Facts.Value.Median * largest(s, f.Facts.Axis.Name)
		e := Figure{What: "For each additional one", Value: f.Facts.Value, Unit: f.Facts.Unit, Source: "finding of " + f.Workload, Result: f.Result}
		out := clean(strings.TrimSuffix(f.Text, ".")+fmt.Sprintf("; half as many would save %s", si.Bytes(half)), e)
		out.Branch, out.Saves, out.Do = Loss, half, "Halve the batch, or the concurrent requests, until they fit into memory; “adaptive” finds the largest that fits."
		return out
	}
	return unsure("how much each request holds was not found")
}

// largest returns the largest value of an axis among the results.
func largest(s *Subject, axis string) float64 {
	top := 0.0
	for i := range s.Run.Results {
		if n, is := workloads.Number(s.Run.Results[i].Setting(axis)); is {
			top = max(top, n)
		}
	}
	return top
}

// lighter judges two ways by the memory that they hold, in the case with the largest difference.
func lighter(heavy, light, do string) func(*Subject) Outcome {
	return func(s *Subject) Outcome {
		var most, least *workloads.Result
		saves := math.Inf(-1)
		for _, group := range s.cases("", "") {
			a, b := holder(group, heavy), holder(group, light)
			if a == nil || b == nil {
				continue
			}
			if d := a.Number(workloads.HeldBytes) - b.Number(workloads.HeldBytes); d > saves {
				most, least, saves = a, b, d
			}
		}
		if most == nil {
			return unsure("the memory that both hold was not measured")
		}
		figures := []Figure{
			ofResult("Held, "+heavy, most.Get(workloads.HeldBytes), "B", most), ofResult("Held, "+light, least.Get(workloads.HeldBytes), "B", least),
			ofResult("Time, "+heavy, most.Time(), "s", most), ofResult("Time, "+light, least.Time(), "s", least),
		}
		if !(saves > 0) {
			return clean(light+" holds as much as "+heavy, figures...)
		}
		out := clean(fmt.Sprintf("%s: holds %s less than %s, in %s", light, si.Bytes(saves), heavy, most.Case), figures...)
		out.Branch, out.Saves, out.Do = Loss, saves, do
		return out
	}
}

// holder returns the result of a variant that says what it holds; nil: there is none.
func holder(group []*workloads.Result, variant string) *workloads.Result {
	for _, r := range group {
		if r.Variant == variant && r.Status == workloads.OK && !math.IsNaN(r.Number(workloads.HeldBytes)) {
			return r
		}
	}
	return nil
}

// transfersFlow looks for the cause of slow transfers.
func transfersFlow() Flow {
	return Flow{
		Name: "transfers", Title: "Slow transfers", Symptom: "Moving data between host and device is slow.",
		Otherwise: "The transfers run as fast as this device moves data: move less.",
		Steps: []Step{
			{
				ID: "pieces", Title: "Many small transfers", Measures: "The same data in one upload and in many small ones.",
				Job: Job{"transfers", workloads.Values{"part": "moves"}}, judge: contrasting("small-uploads"),
			},
			{
				ID: "copies", Title: "Copies that shared memory saves", Measures: "Data that a kernel uses once, uploaded and in place.",
				Job: Job{"transfers", workloads.Values{"part": "once"}}, judge: contrasting("copied"),
			},
			{
				ID: "stay", Title: "Data that stays on the GPU", Measures: "Data that kernels use again, uploaded for each use and once.",
				Job: Job{"transfers", workloads.Values{"part": "reuse"}}, judge: staying,
			},
			{
				ID: "prepare", Title: "Buffers made for each transfer", Measures: "Buffers for batches: new, from a pool, and preallocated.",
				Job: Job{"pool", workloads.Values{"study": "batches"}}, judge: contrasting("allocating"),
			},
			{
				ID: "overlap", Title: "Transfers that wait for compute", Measures: "Upload, compute and readback, one after the other and overlapped.",
				Job: Job{"overlap", workloads.Values{"part": "pipeline"}}, judge: contrasting("serial"),
			},
		},
	}
}

// staying judges what is saved if data stays on the device.
func staying(s *Subject) Outcome {
	t := resident(s)
	switch t.State {
	case NotAvailable, NotCertain:
		out := unsure(strings.TrimSuffix(t.Why, "."), t.Evidence...)
		out.Busy = t.State == NotCertain
		return out
	case NotDone:
		return clean(strings.TrimSuffix(t.Why, "."), t.Evidence...)
	}
	out := clean(strings.TrimSuffix(t.Why, "."), t.Evidence...)
	out.Branch, out.Speedup = Loss, stats.Quotient(t.Evidence[0].Value, t.Evidence[1].Value)
	out.Do = "Upload once, and keep what the next operation needs in buffers on the device; read back only the last result."
	return out
}
