package latency

import (
	"context"
	"fmt"
	"math"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/stream"
	"assay/workloads"
	"assay/workloads/bench"
)

// Metrics of this workload.
const (
	overlapShare metric.Name = "overlap"
	efficiency   metric.Name = "efficiency"
)

// What is measured: the values of the parameter part, and of its axis.
const (
	partPipeline = "pipeline"
	partQueues   = "queues"
)

// Overlap compares concurrent work with the same work in sequence.
func Overlap() workloads.Workload {
	return workloads.Workload{
		Name: "overlap", Title: "Overlap", Group: "Latency",
		About:    "Overlap of transfers and compute (double buffering, prefetch), and of independent work (queues, one encoder), against one after the other.",
		Question: "What can run concurrently on this device, and what does that save?",
		Params: []workloads.Param{
			{
				Name: "part", Title: "Part", Type: workloads.Choice, Role: workloads.RolePlan, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: partPipeline, Title: "Pipeline", Axis: "chunks", About: "Chunks that are uploaded, processed and read back."},
					{Value: partQueues, Title: "Queues", Axis: "jobs", Typical: true, About: "Independent jobs, each in its own queue, or all in one concurrent encoder."},
				},
				About: "What to measure, or all in turn.",
			},
			workloads.SweepEnd("min_chunks", "Fewest chunks", "chunks", 256, 2, "Chunks in the smallest case; the sweep doubles up to the maximum."),
			workloads.SweepEnd("max_chunks", "Most chunks", "chunks", 256, 16, "Chunks in the largest case."),
			workloads.SweepEnd("min_jobs", "Fewest jobs", "jobs", 32, 1, "Independent jobs in the smallest case; the sweep doubles up to the maximum."),
			workloads.SweepEnd("max_jobs", "Most jobs", "jobs", 32, 8, "Jobs in the largest case, and the queues they run in."),
			{
				Name: "chunk", Title: "Chunk", Type: workloads.Int, Unit: "KiB", Min: 1, Max: 64 << 10, Log2: true, Role: workloads.RoleCase, Default: 1024,
				Sweeps: []string{"chunks"}, About: "Bytes per chunk, moved each way.",
			},
			{
				Name: "passes", Title: "Passes", Type: workloads.Int, Unit: "dispatches", Min: 1, Max: 1024, Log2: true, Role: workloads.RoleCase, Default: 4,
				Sweeps: []string{"chunks"}, About: "GELU dispatches per chunk; more make compute longer than transfers.",
			},
			{
				Name: "job", Title: "Job", Type: workloads.Choice, Role: workloads.RoleCase, Default: "threads",
				Choices: []workloads.Option{
					{Value: "threads", Title: "One SIMD group", About: "A chain of loads by one SIMD group, which leaves the rest of the device idle."},
					{Value: "memory", Title: "Memory", About: "A triad of 4 MiB, which uses all of the device."},
				},
				Sweeps: []string{"jobs"}, About: "What each job does.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "part", Title: "Part"},
			{Name: "chunks", Title: "Chunks", Unit: "chunks"},
			{Name: "jobs", Title: "Jobs", Unit: "jobs"},
			bench.FoundOperands(),
		},
		Metrics: metric.List{
			{
				Name: overlapShare, Title: "Overlap", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true,
				About: "Time saved as a share of what could be saved: for a pipeline, all but the longest of compute, uploads and readbacks; for jobs, all but one of them.",
			},
			{
				Name: efficiency, Title: "Efficiency", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 7,
				About: "Speedup over one queue as a share of the number of jobs.",
			},
		},
		Sweeps: []workloads.Sweep{
			doubling("chunks", "Chunks", "Chunks that go through the pipeline; the sweep doubles them."),
			doubling("jobs", "Jobs", "Independent jobs; the sweep doubles them."),
		},
		Quick: overlapQuick(),
		Presets: []workloads.Preset{
			workloads.QuickLook("A few chunks and jobs; takes seconds.", overlapQuick()),
			{
				Name: "queues", Title: "Queues", About: "Jobs of one SIMD group in up to 32 queues.",
				Values: workloads.Values{"part": partQueues, "max_jobs": 32},
			},
		},
		Variants: func(workloads.Values) int { return len(pipelines()) },
		Run:      bench.Run(runOverlap),
		Views: []chart.View{
			{
				Facet: "part", X: chart.Enc{Of: "chunks", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Time)}, Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Facet: "part", X: chart.Enc{Of: "jobs", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Time)}, Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Facet: "part", X: chart.Enc{Of: "chunks", Scale: chart.Log2}, Y: chart.Enc{Of: string(overlapShare)}, Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Facet: "part", X: chart.Enc{Of: "jobs", Scale: chart.Log2}, Y: chart.Enc{Of: string(efficiency)}, Layers: []chart.Layer{chart.Lines{}},
			},
		},
	}
}

func overlapQuick() map[string]any {
	return map[string]any{"min_chunks": 8, "max_chunks": 8, "max_jobs": 4}
}

func runOverlap(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	cases := map[string]func(at workloads.Point) bench.Case{
		partPipeline: func(at workloads.Point) bench.Case { return pipelineCase(at, v.Int("chunk")<<10, v.Int("passes")) },
		partQueues:   func(at workloads.Point) bench.Case { return jobsCase(at, v.String("job")) },
	}
	err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case { return cases[at.String("part")](at) })
	if err != nil {
		return err
	}
	for _, p := range []struct{ axis, name, baseline, share string }{
		{"chunks", "A pipeline", pipelines()[0].words, "of what could be hidden behind the longest of compute, uploads and readbacks"},
		{"jobs", "Independent jobs", placements()[0].words, "of the possible overlap"},
	} {
		curve := &workloads.Curve{Axis: b.Workload.Axis(p.axis), Of: workloads.Time, Unit: "s", Subject: workloads.Subject{Name: p.name, Baseline: p.baseline}}
		curve.Readings = func(r *workloads.Result) []workloads.Reading {
			share := r.Get(overlapShare)
			if math.IsNaN(share.Median) {
				return nil
			}
			said := []workloads.Reading{{Value: share, Unit: "ratio", Per: p.share}}
			if e := r.Get(efficiency); !math.IsNaN(e.Median) {
				said = append(said, workloads.Reading{Value: e, Unit: "ratio", Per: "of a linear speedup"})
			}
			return said
		}
		for _, r := range b.Results() {
			if r.Setting(p.axis) != nil && r.Status == workloads.OK && (r.Baseline != "" || r.Variant == pipelines()[0].name || r.Variant == placements()[0].name) {
				curve.Results = append(curve.Results, r)
			}
		}
		b.Find(curve.Costs(wordsOfOverlap)...)
	}
	return nil
}

func wordsOfOverlap(variant string) string {
	for _, p := range pipelines() {
		if p.name == variant {
			return p.words
		}
	}
	for _, p := range placements() {
		if p.name == variant {
			return p.words
		}
	}
	return variant
}

// placement is where jobs run.
type placement struct {
	name, words string
	work        func(s *bench.Scope, jobs []gpu.Launch) (bench.Work, error)
}

func placements() []placement {
	return []placement{
		{"one queue", "one queue", func(s *bench.Scope, jobs []gpu.Launch) (bench.Work, error) { return s.Streams(s.Launches(jobs)) }},
		{"a queue each", "a queue each", func(s *bench.Scope, jobs []gpu.Launch) (bench.Work, error) {
			var works []bench.Work
			for _, job := range jobs {
				works = append(works, s.Launches([]gpu.Launch{job}))
			}
			return s.Streams(works...)
		}},
		{"concurrent encoder", "a concurrent encoder", func(s *bench.Scope, jobs []gpu.Launch) (bench.Work, error) {
			w, err := s.Concurrent(jobs)
			if err != nil {
				return nil, err
			}
			return s.Streams(w)
		}},
	}
}

func jobsCase(at workloads.Point, job string) bench.Case {
	n := at.Int("jobs")
	return bench.Case{
		Name: fmt.Sprintf("%s of %s", si.Counted(n, "job"), job), Settings: at, Adjust: func(results []workloads.Result) { relateJobs(results, n) },
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var list []bench.Variant
			for _, p := range placements() {
				v := bench.Variant{Name: p.name, Items: float64(n)}
				if len(list) > 0 {
					v.Baseline = list[0].Name
				}
				jobs, err := jobsOf(s, job, n)
				if err != nil {
					return nil, err
				}
				v.Work, v.Err = p.work(s, jobs)
				if v.Err != nil && !s.Tells(p.name) { // what the engine does not support is reported once
					continue
				}
				list = append(list, v)
			}
			return list, nil
		},
	}
}

// relateJobs sets the share of the possible overlap, and the efficiency: the speedup per job.
func relateJobs(results []workloads.Result, n int) {
	if results[0].Status != workloads.OK {
		return
	}
	serial := results[0].Time().Median
	for i := range results {
		r := &results[i]
		if r.Status != workloads.OK {
			continue
		}
		t := r.Time().Median
		r.Values.SetNumber(efficiency, serial/t/float64(n))
		if n > 1 && i > 0 {
			r.Values.SetNumber(overlapShare, (serial-t)/(serial-serial/float64(n)))
		}
	}
}

// jobsOf returns independent launches.
//
//go:noinline
func jobsOf(s *bench.Scope, job string, n int) ([]gpu.Launch, error) {
	makers := map[string]func(s *bench.Scope) (gpu.Launch, error){"threads": chaseJob, "memory": triadJob}
	var list []gpu.Launch
	for range n {
		d, err := makers[job](s)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

func chaseJob(s *bench.Scope) (gpu.Launch, error) {
	const places, steps = 4096, 8192
	list, _, err := s.Linked(places, 1, places, "list")
	if err != nil {
		return gpu.Launch{}, err
	}
	out, err := s.Buffer(shaders.U32, 1, "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	p := stream.ChaseParams{N: places, Steps: steps, Threads: 1}
	return s.Dispatch(shaders.Pick{Op: "chase", Type: shaders.U32}, nil, p, list, out)
}

func triadJob(s *bench.Scope) (gpu.Launch, error) {
	const n = 1 << 20 / 3
	var args []gpu.Buffer
	for _, label := range []string{"a", "b"} {
		b, err := s.Random(shaders.F32, n, label)
		if err != nil {
			return gpu.Launch{}, err
		}
		args = append(args, b)
	}
	out, err := s.Buffer(shaders.F32, n, "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	return s.Dispatch(shaders.Pick{Op: "triad", Type: shaders.F32}, nil, stream.TriadParams{N: n, S: 3}, append(args, out)...)
}
