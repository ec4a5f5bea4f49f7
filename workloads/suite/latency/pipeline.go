package latency

import (
	"math"
	"slices"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench"
)

// pipeline is chunks that go to the device, through a kernel and back: two places for them on the device.
type pipeline struct {
	*bench.Scope
	chunks, passes    int
	in, out           gpu.Buffer    // of all chunks, where the host sees them
	placeIn, placeOut [2]gpu.Buffer // on the device
	work              [2]gpu.Launch
	bytes             int // of a chunk
	loaded, computed  [2]gpu.Event
}

// order is an order of the steps of a pipeline.
type order struct {
	name, words string
	alone       bool // a part of the work, which the others are not compared with
	plan        func(p *pipeline) []bench.Encoded
}

func pipelines() []order {
	return []order{
		{name: "serial", words: "one after the other", plan: (*pipeline).serial},
		{name: "double-buffered", words: "double buffering", plan: (*pipeline).doubled},
		{name: "prefetch", words: "prefetch of the next chunk", plan: (*pipeline).prefetched},
		{name: "compute alone", words: "compute alone", alone: true, plan: (*pipeline).computeAlone},
		{name: "uploads alone", words: "uploads alone", alone: true, plan: (*pipeline).uploadsAlone},
		{name: "readbacks alone", words: "readbacks alone", alone: true, plan: (*pipeline).readbacksAlone},
	}
}

func pipelineCase(at workloads.Point, bytes, passes int) bench.Case {
	chunks := at.Int("chunks")
	return bench.Case{
		Name: "pipeline " + si.Counted(chunks, "chunk"), Settings: at, Adjust: func(r []workloads.Result) { relatePipeline(r, chunks, passes) },
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var list []bench.Variant
			for _, o := range pipelines() {
				v := bench.Variant{Name: o.name, Items: float64(chunks)}
				if !o.alone && len(list) > 0 {
					v.Baseline = list[0].Name
				}
				p, err := newPipeline(s, chunks, passes, bytes)
				if err != nil {
					return nil, err
				}
				v.Work, v.Err = s.Scheduled(p.verified(), o.plan(p)...)
				list = append(list, v)
			}
			return list, nil
		},
	}
}

// newPipeline makes the buffers of one variant: its own, since each is verified by what it leaves.
//
//go:noinline
func newPipeline(s *bench.Scope, chunks, passes, bytes int) (*pipeline, error) {
	p := &pipeline{Scope: s, chunks: chunks, passes: passes, bytes: bytes}
	var err error
	buffer := func(storage gpu.Storage, n int, label string) gpu.Buffer {
		if err != nil {
			return nil
		}
		var b gpu.Buffer
		b, err = s.Stored(storage, n, label)
		return b
	}
	event := func() gpu.Event {
		if err != nil {
			return nil
		}
		var e gpu.Event
		e, err = s.Event("pipeline")
		return e
	}
	n := bytes / 4
	p.in, p.out = buffer(gpu.Shared, chunks*bytes, "in"), buffer(gpu.Shared, chunks*bytes, "out")
	for i := range 2 {
		p.placeIn[i], p.placeOut[i] = buffer(s.Storage(), bytes, "chunk in"), buffer(s.Storage(), bytes, "chunk out")
		p.loaded[i], p.computed[i] = event(), event()
		if err == nil {
			p.work[i], err = s.Dispatch(shaders.Pick{Op: "gelu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: uint32(n)}, p.placeIn[i], p.placeOut[i])
		}
	}
	if err != nil {
		return nil, err
	}
	for _, b := range []gpu.Buffer{p.in, p.placeIn[0], p.placeIn[1]} { // what computes alone finds its chunks there
		if err := s.FillFloats(b, shaders.F32, b.Size()/4, waves); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// waves generates numbers from -0.5 to 0.5.
func waves(dst []float32, at int) error {
	const period = 251
	for i := range dst {
		dst[i] = float32((at+i)%period)/period - 0.5
	}
	return nil
}

// verified returns the launches whose outputs are on the device at the end: those of the last two chunks.
func (p *pipeline) verified() []gpu.Launch { return p.work[:min(2, p.chunks)] }

func (p *pipeline) load(i int) gpu.Command {
	return gpu.Copy{From: gpu.Binding{Buffer: p.in, Offset: i * p.bytes}, To: gpu.Binding{Buffer: p.placeIn[i%2]}, Bytes: p.bytes}
}

func (p *pipeline) store(i int) gpu.Command {
	return gpu.Copy{From: gpu.Binding{Buffer: p.placeOut[i%2]}, To: gpu.Binding{Buffer: p.out, Offset: i * p.bytes}, Bytes: p.bytes}
}

func (p *pipeline) compute(i int) []gpu.Command {
	var list []gpu.Command
	for range p.passes {
		list = append(list, p.work[i%2])
	}
	return list
}

func (p *pipeline) serial() []bench.Encoded {
	var list []bench.Encoded
	for i := range p.chunks {
		commands := append([]gpu.Command{p.load(i)}, p.compute(i)...)
		list = append(list, bench.Encoded{Commands: append(commands, p.store(i))})
	}
	return list
}

// doubled has a transfer queue, which loads a chunk as soon as the chunk two before it is stored, and a compute queue.
func (p *pipeline) doubled() []bench.Encoded {
	var list []bench.Encoded
	for i := range p.chunks + 2 {
		var transfer []gpu.Command
		if done := i - 2; done >= 0 {
			transfer = append(transfer, gpu.Await{Event: p.computed[done%2]}, p.store(done))
		}
		if i < p.chunks {
			transfer = append(transfer, p.load(i), gpu.Signal{Event: p.loaded[i%2]})
		}
		if len(transfer) > 0 {
			list = append(list, bench.Encoded{Queue: 1, Commands: transfer})
		}
		if i < p.chunks {
			work := append([]gpu.Command{gpu.Await{Event: p.loaded[i%2]}}, p.compute(i)...)
			list = append(list, bench.Encoded{Commands: append(work, gpu.Signal{Event: p.computed[i%2]})})
		}
	}
	return list
}

// prefetched loads a chunk while the previous one is being processed; storing is part of the processing.
func (p *pipeline) prefetched() []bench.Encoded {
	var list []bench.Encoded
	for i := range p.chunks {
		var transfer []gpu.Command
		if i >= 2 {
			transfer = append(transfer, gpu.Await{Event: p.computed[i%2]})
		}
		list = append(list, bench.Encoded{Queue: 1, Commands: append(transfer, p.load(i), gpu.Signal{Event: p.loaded[i%2]})})
		work := append([]gpu.Command{gpu.Await{Event: p.loaded[i%2]}}, p.compute(i)...)
		work = append(work, p.store(i))
		if i+2 < p.chunks { // nothing waits for the last two
			work = append(work, gpu.Signal{Event: p.computed[i%2]})
		}
		list = append(list, bench.Encoded{Commands: work})
	}
	return list
}

func (p *pipeline) computeAlone() []bench.Encoded {
	var list []bench.Encoded
	for i := range p.chunks {
		list = append(list, bench.Encoded{Commands: p.compute(i)})
	}
	return list
}

// uploadsAlone computes once for the last two chunks, to verify the uploads.
func (p *pipeline) uploadsAlone() []bench.Encoded {
	var list []bench.Encoded
	for i := range p.chunks {
		list = append(list, bench.Encoded{Commands: append([]gpu.Command{p.load(i)}, p.once(i)...)})
	}
	return list
}

// readbacksAlone also computes once for the last two chunks.
func (p *pipeline) readbacksAlone() []bench.Encoded {
	var list []bench.Encoded
	for i := range p.chunks {
		list = append(list, bench.Encoded{Commands: append(p.once(i), p.store(i))})
	}
	return list
}

// once returns the work of one of the last two chunks, without repeated passes; for other chunks, nothing.
func (p *pipeline) once(i int) []gpu.Command {
	if i < p.chunks-2 {
		return nil
	}
	return []gpu.Command{p.work[i%2]}
}

// relatePipeline sets the share that is hidden of what could be hidden. No order can be shorter than the longest of compute, uploads
// and readbacks; copies in opposite directions may overlap, so their sum is not a bound. An order that is still shorter, because of
// scatter, hides everything. The compute that verifies the copy-only variants does not count toward their time.
func relatePipeline(results []workloads.Result, chunks, passes int) {
	serial, longest, compute := math.NaN(), 0.0, 0.0
	verified := float64(min(2, chunks)) / float64(chunks*passes)
	for _, o := range pipelines() {
		at := slices.IndexFunc(results, func(r workloads.Result) bool { return r.Variant == o.name && r.Status == workloads.OK })
		switch {
		case at < 0 && (o.alone || math.IsNaN(serial)):
			return // the values to compare with are not known
		case at >= 0 && o.alone:
			t := results[at].Time().Median
			longest = max(longest, t-verified*compute) // compute comes first
			if compute == 0 {
				compute = t
			}
		case at >= 0 && math.IsNaN(serial):
			serial = results[at].Time().Median
		}
	}
	for i := range results {
		r := &results[i]
		t := r.Time().Median
		if bound := min(longest, t); r.Baseline != "" && r.Status == workloads.OK && serial > bound {
			r.Values.SetNumber(overlapShare, (serial-t)/(serial-bound))
		}
	}
}
