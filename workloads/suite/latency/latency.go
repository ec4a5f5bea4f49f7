package latency

import (
	"context"
	"strconv"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/shaders"
	"assay/shaders/stream"
	"assay/workloads"
	"assay/workloads/bench"
)

// all is the value of a choice that means each of the others.
const all = "all"

// What is measured: the values of the parameter part, and of its axis.
const (
	partDispatches = "dispatches"
	partSync       = "sync"
	partChase      = "chase"
	partTimeline   = "timeline"
)

// Launch measures the cost of starting work, and the latency of a load from memory.
func Launch() workloads.Workload {
	return workloads.Workload{
		Name: "latency", Title: "Launch latency", Group: "Latency",
		About:    "Empty dispatches in one command buffer or in many, ways to wait for them, and a chain of loads through memory.",
		Question: "What does a dispatch cost before it does anything?",
		Params: []workloads.Param{
			{
				Name: "part", Title: "Part", Type: workloads.Choice, Role: workloads.RolePlan, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: partDispatches, Title: "Dispatches", Axis: "count", Typical: true, About: "Empty dispatches, in one command buffer or in one each."},
					{Value: partSync, Title: "Waiting", Axis: "buffers", About: "Ways to wait for command buffers with one empty dispatch each."},
					{Value: partTimeline, Title: "Timeline", Axis: "drawn", About: "When each command buffer is submitted, starts, ends and is waited for."},
					{Value: partChase, Title: "Pointer chase", Axis: "set", About: "Dependent loads, each waiting for the one before, by working set."},
				},
				About: "What to measure, or all in turn.",
			},
			workloads.SweepEnd("min_count", "Fewest dispatches", "dispatches", 4096, 1, "Empty dispatches in the smallest case; the sweep doubles up to the maximum."),
			workloads.SweepEnd("max_count", "Most dispatches", "dispatches", 4096, 256, "Empty dispatches in the largest case."),
			workloads.SweepEnd("min_buffers", "Fewest command buffers", "command buffers", 4096, 64, "Command buffers to wait for in the smallest case; the sweep doubles up to the maximum."),
			workloads.SweepEnd("max_buffers", "Most command buffers", "command buffers", 4096, 64, "Command buffers to wait for in the largest case."),
			{
				Name: "in_flight", Title: "In flight", Type: workloads.Int, Unit: "submissions", Min: 1, Max: gpu.QueueDepth, Log2: true,
				Role: workloads.RoleVariant, Default: 2, Sweeps: []string{"buffers", "drawn"},
				About: "Submissions in flight, for the bounded way to wait and for the timeline; a queue takes up to 256.",
			},
			workloads.SweepEnd("min_drawn", "Shortest timeline", "command buffers", 64, 4, "Command buffers, with one empty dispatch each, in the shortest timeline; the sweep doubles up to the longest."),
			workloads.SweepEnd("max_drawn", "Longest timeline", "command buffers", 64, 4, "Command buffers in the longest timeline."),
			workloads.SweepEnd("min_set", "Smallest working set", "KiB", 4<<20, 4, "Bytes that the chain of loads covers in the smallest case; the sweep doubles up to the largest."),
			workloads.SweepEnd("max_set", "Largest working set", "KiB", 4<<20, 256<<10, "Bytes in the largest case; a size beyond the last-level cache shows memory itself."),
			{
				Name: "spacing", Title: "Spacing", Type: workloads.Int, Unit: "B", Min: 16, Max: 4096, Log2: true, Role: workloads.RoleCase, Default: 64, Sweeps: []string{"set"},
				About: "Bytes between consecutive loads of the chain in memory, a multiple of 4; a cache line or more.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "part", Title: "Part"},
			{Name: "count", Title: "Dispatches", Unit: "dispatches"},
			{Name: "buffers", Title: "Command buffers", Unit: "command buffers"},
			{Name: "drawn", Title: "Timeline", Unit: "command buffers"},
			{Name: "buffer", Title: "Command buffer"},
			{Name: "stage", Title: "Stage"},
			{Name: "set", Title: "Working set", Unit: "KiB"},
			bench.FoundOperands(),
		},
		Metrics: latencyMetrics(),
		Sweeps: []workloads.Sweep{
			doubling("count", "Dispatches", "Empty dispatches per repetition; the sweep doubles them."),
			doubling("buffers", "Command buffers", "Command buffers per repetition, with one empty dispatch each; the sweep doubles them."),
			doubling("drawn", "Timeline", "Command buffers whose phases are drawn; the sweep doubles them."),
			doubling("set", "Working set", "Bytes that the chain covers; the sweep doubles them."),
		},
		Quick: latencyQuick(),
		Presets: []workloads.Preset{
			workloads.QuickLook("Few dispatches and small working sets; takes seconds.", latencyQuick()),
			{
				Name: "caches", Title: "Caches", About: "The latency of each level of caches and of memory, up to 1 GiB.",
				Values: workloads.Values{"part": partChase, "max_set": 1 << 20},
			},
		},
		Valid:    validLatency,
		Variants: func(workloads.Values) int { return 5 },
		Run:      bench.Run(runLatency),
		Views: []chart.View{
			{X: chart.Enc{Of: "count", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Time), Scale: chart.Log10}, Layers: []chart.Layer{chart.Lines{}}},
			{X: chart.Enc{Of: "buffers", Scale: chart.Log2}, Y: chart.Enc{Of: string(eachTime), Title: "Time of a command buffer", Scale: chart.Log10}, Layers: []chart.Layer{chart.Lines{}}},
			{X: chart.Enc{Of: "set", Scale: chart.Log2}, Y: chart.Enc{Of: string(eachTime), Title: "Time of a load", Scale: chart.Log10}, Layers: []chart.Layer{chart.Lines{}}},
			timelineView(),
		},
	}
}

func doubling(axis, title, about string) workloads.Sweep {
	return workloads.Sweep{Axis: axis, From: "min_" + axis, To: "max_" + axis, Steps: workloads.Doubling, Title: title, About: about}
}

func latencyQuick() map[string]any {
	return map[string]any{"max_count": 64, "min_set": 16, "max_set": 16 << 10}
}

func validLatency(v workloads.Values) error {
	if n := v.Int("spacing"); n%4 != 0 {
		return workloads.NewParamError([]string{"spacing"}, "{spacing} is %v, want a multiple of 4", n)
	}
	return nil
}

func runLatency(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	cases := map[string]func(at workloads.Point) bench.Case{
		partDispatches: func(at workloads.Point) bench.Case { return dispatchesCase(at) },
		partSync:       func(at workloads.Point) bench.Case { return syncCase(at, v.Int("in_flight")) },
		partTimeline:   func(at workloads.Point) bench.Case { return timelineCase(b, at, v.Int("in_flight")) },
		partChase:      func(at workloads.Point) bench.Case { return chaseCase(at, v.Int("spacing")) },
	}
	err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case {
		c := cases[at.String("part")](at)
		c.Settings, c.Adjust = at, each
		if at.String("part") != partChase {
			c.Adjust = eachEmpty
		}
		return c
	})
	if err == nil {
		findLatency(b)
	}
	return err
}

// each sets the time per item of a repetition.
func each(results []workloads.Result) {
	for i := range results {
		if t, n := results[i].Time(), results[i].Number(workloads.Items); n > 0 {
			results[i].Values.Set(eachTime, stats.Interval{Median: t.Median / n, Lo: t.Lo / n, Hi: t.Hi / n})
		}
	}
}

// eachEmpty is each for dispatches that only write a number, which does not count as traffic.
func eachEmpty(results []workloads.Result) {
	each(results)
	for i := range results {
		for _, m := range []metric.Name{workloads.Ops, workloads.Bytes, workloads.BytesSaved} {
			results[i].Values.Set(m, stats.Unknown())
		}
	}
}

// The variants.
const (
	inOne      = "one command buffer"
	inMany     = "one each"
	onDevice   = "device clock"
	byCounters = "timed one by one"
	chained    = "chain of loads"
)

// findLatency reports the cost of one more dispatch, the effect of ways to wait, and the latencies of the memory levels.
func findLatency(b *bench.Bench) {
	of := func(axis, variant string) *workloads.Curve {
		c := &workloads.Curve{Axis: b.Workload.Axis(axis), Of: workloads.Time, Unit: "s"}
		for _, r := range b.Results() {
			if r.Status == workloads.OK && r.Setting(axis) != nil && (variant == "" || r.Variant == variant) {
				c.Results = append(c.Results, r)
			}
		}
		return c
	}
	one := of("count", inOne)
	one.Subject.Name = "Submit and wait for one command buffer of empty dispatches"
	one.Readings = readings
	gap := b.Engine.Info().GapWhy
	if gap != "" {
		gap = "The time before the device starts is not available: " + gap + "."
	}
	b.Find(one.Slope(gap)...)
	many := of("count", inMany)
	many.Subject.Name = "One command buffer per empty dispatch, waited for at the end"
	b.Find(many.Slope("")...)
	device := of("count", onDevice)
	device.Subject.Name = "Empty dispatches by the device’s clock"
	device.Readings = counted(of("count", byCounters).Results)
	b.Find(device.Slope("")...)
	sync := of("buffers", "")
	sync.Subject = workloads.Subject{Name: "Waiting for command buffers with one empty dispatch each", Baseline: waits()[0].words}
	b.Find(sync.Costs(wordsOf)...)
	chase := of("set", chained)
	chase.Of, chase.Subject.Name = eachTime, "A dependent load"
	b.Find(chase.Levels("")...)
}

// stamps returns n empty dispatches, each with its own output, in groups of the given size.
//
//go:noinline
func stamps(s *bench.Scope, n, group int) ([][]gpu.Launch, error) {
	var groups [][]gpu.Launch
	for i := range n {
		out, err := s.Buffer(shaders.U32, 1, "out")
		if err != nil {
			return nil, err
		}
		d, err := s.Dispatch(shaders.Pick{Op: "stamp", Type: shaders.U32}, nil, stream.StampParams{N: 1, Value: uint32(i)}, out)
		if err != nil {
			return nil, err
		}
		if i%group == 0 {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], d)
	}
	return groups, nil
}

// submitted is a variant of command buffers with `group` empty dispatches each.
func submitted(s *bench.Scope, name string, n, group int, work func(buffers [][]gpu.Launch) (*bench.Submitted, error)) bench.Variant {
	v := bench.Variant{Name: name, Items: float64(n)}
	buffers, err := stamps(s, n, group)
	if err != nil {
		v.Err = err
		return v
	}
	w, err := work(buffers)
	if err != nil {
		v.Err = err
		return v
	}
	v.Work = w
	v.Adjust = func(r *workloads.Result) {
		if r.Status == workloads.OK {
			made(r, w, s.Clocked())
		}
	}
	return v
}

func dispatchesCase(at workloads.Point) bench.Case {
	n := at.Int("count")
	return bench.Case{
		Name: "dispatches " + strconv.Itoa(n),
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			submit := func(buffers [][]gpu.Launch) (*bench.Submitted, error) { return s.Submitted(n, buffers...) }
			many := submitted(s, inMany, n, 1, submit)
			many.Baseline = inOne
			device := bench.Variant{Name: onDevice, Items: float64(n)}
			groups, err := stamps(s, n, n)
			if err != nil {
				return nil, err
			}
			device.Work = s.Launches(groups[0])
			list := []bench.Variant{submitted(s, inOne, n, n, submit), many, device}
			alone := submitted(s, byCounters, n, n, func(buffers [][]gpu.Launch) (*bench.Submitted, error) {
				return s.Scheduled(buffers[0], bench.Encoded{Commands: gpu.Launches(buffers[0]...), Stages: true})
			})
			alone.Baseline = inOne
			if alone.Err == nil || s.Tells(byCounters) {
				list = append(list, alone)
			}
			return list, nil
		},
	}
}

// waiting is a way to wait for command buffers.
type waiting struct {
	name, words string
	group       func(n int) int // dispatches per command buffer
	work        func(s *bench.Scope, inFlight int, buffers [][]gpu.Launch) (*bench.Submitted, error)
}

func waits() []waiting {
	alone := func(int) int { return 1 }
	flying := func(of func(n, inFlight int) int) func(*bench.Scope, int, [][]gpu.Launch) (*bench.Submitted, error) {
		return func(s *bench.Scope, inFlight int, buffers [][]gpu.Launch) (*bench.Submitted, error) {
			return s.Submitted(of(len(buffers), inFlight), buffers...)
		}
	}
	return []waiting{
		{"wait for each", "waiting for each", alone, flying(func(int, int) int { return 1 })},
		{"some in flight", "keeping some in flight", alone, flying(func(_, inFlight int) int { return inFlight })},
		{"wait at the end", "waiting at the end", alone, flying(func(n, _ int) int { return n })},
		{"one command buffer", "one command buffer for all", func(n int) int { return n }, flying(func(n, _ int) int { return n })},
		{"events", "two queues in turn, each awaiting the other by events", alone, func(s *bench.Scope, _ int, buffers [][]gpu.Launch) (*bench.Submitted, error) {
			return s.Relayed(buffers...)
		}},
	}
}

// wordsOf returns the words for a way to wait in sentences.
func wordsOf(variant string) string {
	for _, w := range waits() {
		if w.name == variant {
			return w.words
		}
	}
	return variant
}

func syncCase(at workloads.Point, inFlight int) bench.Case {
	n := at.Int("buffers")
	return bench.Case{
		Name: "waiting " + strconv.Itoa(n),
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			var list []bench.Variant
			for i, w := range waits() {
				v := submitted(s, w.name, n, w.group(n), func(buffers [][]gpu.Launch) (*bench.Submitted, error) {
					return w.work(s, inFlight, buffers)
				})
				if i > 0 {
					v.Baseline = waits()[0].name
				}
				list = append(list, v)
			}
			return list, nil
		},
	}
}

// maxSteps is the number of loads per dispatch: few enough to take a tenth of a second at a microsecond per load.
const maxSteps = 1 << 15

// chaseCase walks a list in random order. Each dispatch continues where the previous one ended, until all entries were visited.
func chaseCase(at workloads.Point, spacing int) bench.Case {
	kib := at.Int("set")
	return bench.Case{
		Name: "chase " + si.Format(float64(kib)*si.Size("KiB"), "iB"),
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			every := spacing / shaders.U32.Bytes(1)
			places := max(1, kib<<10/spacing)
			list, visited, err := s.Linked(places, every, maxSteps, "list")
			if err != nil {
				return nil, err
			}
			steps := min(maxSteps, max(places, maxSteps/8))
			v := bench.Variant{Name: chained, Items: float64(steps)}
			var sets [][]gpu.Launch
			for _, first := range visited {
				out, err := s.Buffer(shaders.U32, 1, "out")
				if err != nil {
					return nil, err
				}
				p := stream.ChaseParams{N: uint32(places * every), First: first, Steps: uint32(steps), Threads: 1}
				d, err := s.Dispatch(shaders.Pick{Op: "chase", Type: shaders.U32}, nil, p, list, out)
				if err != nil {
					return nil, err
				}
				sets = append(sets, []gpu.Launch{d})
			}
			v.Work = s.Launches(sets...)
			return []bench.Variant{v}, nil
		},
	}
}
