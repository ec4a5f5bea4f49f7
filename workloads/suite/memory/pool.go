package memory

import (
	"context"
	"fmt"
	"strings"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/workloads"
	"assay/workloads/bench"
)

// Metrics of this workload.
const (
	reuseRate  metric.Name = "reuse_rate"
	poolWaste  metric.Name = "pool_waste"
	timeSaved  metric.Name = "time_saved"
	poolMade   metric.Name = "buffers_created"
	evicted    metric.Name = "buffers_evicted"
	cacheHits  metric.Name = "cache_hits"
	cacheMiss  metric.Name = "cache_misses"
	cacheEvict metric.Name = "cache_evictions"
	hitRate    metric.Name = "hit_rate"
)

// Values of the parameter study.
const (
	studyPooling  = "pooling"
	studyClasses  = "classes"
	studyContents = "contents"
	studyCapacity = "capacity"
	studyBatches  = "batches"
	studyCache    = "cache"
)

// Pool measures what a buffer pool saves, and the effect of its settings, on separate pools.
func Pool() workloads.Workload {
	return workloads.Workload{
		Name: "pool", Title: "Buffer pool", Group: "Memory",
		About:    "Allocation with and without a pool, by kind of work: size classes, capacity, prewarming, contents, cached batches and a keyed cache.",
		Question: "What does a buffer pool save, and how should it be set?",
		Params:   poolParams(),
		Axes: []workloads.Axis{
			{Name: "study", Title: "Study"},
			{Name: "profile", Title: "Profile"},
			{Name: "way", Title: "Way"},
			{Name: "capacity", Title: "Capacity", Unit: "buffers", Phrase: "a capacity of %s"},
			{Name: "batch", Title: "Batch", Unit: "items", Phrase: "a batch of %s"},
			{Name: "entries", Title: "Entries", Unit: "entries"},
		},
		Metrics: poolMetrics(),
		Quick:   poolQuick(),
		Presets: poolPresets(),
		Sweeps: []workloads.Sweep{
			{Axis: "capacity", From: "min_capacity", To: "max_capacity", Steps: workloads.Doubling, Title: "Capacity", About: "Buffers that each size class keeps; the sweep doubles them."},
			{Axis: "batch", From: "min_batch", To: "max_batch", Steps: workloads.Doubling, Title: "Batch", About: "Items of a batch; the sweep doubles them."},
			{Axis: "entries", From: "min_entries", To: "max_entries", Steps: workloads.Doubling, Title: "Entries", About: "Entries that the keyed cache keeps; the sweep doubles them."},
		},
		Valid:    poolValid,
		Variants: func(v workloads.Values) int { return 3 * len(chosenProfiles(v)) },
		Run:      bench.Run(runPool),
		Views: []chart.View{
			{
				Facet: "study", X: chart.Enc{Of: "profile", Scale: chart.Category}, Y: chart.Enc{Of: string(workloads.Time)}, Color: "way", Places: poolWays(),
				Layers: []chart.Layer{chart.Bars{}},
			},
			{
				Facet: "study", X: chart.Enc{Of: "profile", Scale: chart.Category}, Y: chart.Enc{Of: string(reuseRate)}, Color: "way", Places: poolWays(),
				Layers: []chart.Layer{chart.Bars{}},
			},
			sweptView("capacity", reuseRate), sweptView("capacity", workloads.HeldBytes), sweptView("capacity", poolWaste),
			sweptView("batch", workloads.Time), sweptView("entries", hitRate), sweptView("entries", workloads.Time),
		},
	}
}

func sweptView(axis string, of metric.Name) chart.View {
	return chart.View{X: chart.Enc{Of: axis, Scale: chart.Log2}, Y: chart.Enc{Of: string(of)}, Layers: []chart.Layer{chart.Lines{}}}
}

func poolParams() []workloads.Param {
	end := func(name, title, unit, about string, most float64, value int) workloads.Param {
		return workloads.Param{
			Name: name, Title: title, Type: workloads.Int, Unit: unit, Min: 1, Max: most, Log2: true, Role: workloads.RoleSweep, Default: value, About: about,
		}
	}
	list := []workloads.Param{
		{
			Name: "study", Title: "Study", Type: workloads.Choice, Role: workloads.RolePlan, All: all, Default: all, Choices: studies(),
			About: "What to compare, or all in turn.",
		},
		{
			Name: "profile", Title: "Profile", Type: workloads.Choice, Role: workloads.RoleVariant, All: all, Default: all, Choices: profileOptions(),
			About: "The kind of work that requests buffers, or all in turn.",
		},
		{
			Name: "size", Title: "Size", Type: workloads.Int, Unit: "KiB", Min: 1, Max: 1 << 16, Log2: true, Role: workloads.RoleCase, Default: 256,
			About: "Size of a typical buffer; the largest are eight times as large.",
		},
		{
			Name: "steps", Title: "Steps", Type: workloads.Int, Unit: "steps", Min: 1, Max: 1000, Log2: true, Role: workloads.RoleCase, Default: 10,
			About: "Training steps, and groups of four requests, that start with an empty pool.",
		},
		{
			Name: "write", Title: "Write buffers", Type: workloads.Bool, Role: workloads.RoleCase, Default: true,
			About: "Fills every buffer once, as real work would; otherwise only allocation is timed.",
		},
		end("min_capacity", "Smallest capacity", "buffers", "Buffers that each size class keeps in the first case.", 1000, 1),
		end("max_capacity", "Largest capacity", "buffers", "Buffers that each size class keeps in the last case.", 1000, 16),
		end("min_batch", "Smallest batch", "items", "Items of the smallest batch.", 256, 1),
		end("max_batch", "Largest batch", "items", "Items of the largest batch.", 256, 32),
		end("min_entries", "Smallest cache", "entries", "Entries that the keyed cache keeps in the first case.", 256, 4),
		end("max_entries", "Largest cache", "entries", "Entries that the keyed cache keeps in the last case; there are 64 keys.", 256, 64),
	}
	for _, p := range profiles() {
		list = append(list, bandParam(p, "from", p.band[0]), bandParam(p, "to", p.band[1]))
	}
	return list
}

// bandParam is one end of a profile's band of good reuse rates, in percent.
func bandParam(p profile, end string, value float64) workloads.Param {
	return workloads.Param{
		Name: p.param + "_" + end, Title: p.title + ", " + end, Type: workloads.Float, Unit: "%", Min: 0, Max: 100, Default: value, Role: workloads.RoleFinding,
		About: fmt.Sprintf("%s end of the band of good reuse rates for %s; the default is as published.", map[string]string{"from": "Lower", "to": "Upper"}[end], strings.ToLower(p.title)),
	}
}

func studies() []workloads.Option {
	return []workloads.Option{
		{Value: all},
		{Value: studyPooling, Title: "Pooling", About: "Without a pool, with one that starts empty, and with one that was prewarmed.", Typical: true},
		{Value: studyClasses, Title: "Size classes", About: "Fine size classes, powers of two and exact sizes."},
		{Value: studyContents, Title: "Contents", About: "Reused buffers as they are, zeroed and poisoned."},
		{Value: studyCapacity, Title: "Capacity", Axis: "capacity", About: "Reuse, memory and waste by how many buffers each size class keeps."},
		{Value: studyBatches, Title: "Batches", Axis: "batch", About: "A batch that allocates its buffers, one that finds them in the pool, and one that has its own."},
		{Value: studyCache, Title: "Keyed cache", Axis: "entries", About: "A cache of buffers by key, which evicts the least recently used."},
	}
}

func poolMetrics() metric.List {
	return metric.List{
		{Name: reuseRate, Title: "Reuse rate", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, About: "Share of requests served from the pool’s cache."},
		{Name: poolWaste, Title: "Waste", Unit: "ratio", Shape: metric.Scalar, Better: metric.Less, Shown: true, About: "Share of the granted bytes that were not requested."},
		workloads.HeldMetric("Peak bytes that the pool held, live and cached."),
		{Name: timeSaved, Title: "Time saved", Unit: "ratio", Shape: metric.Interval, Better: metric.More, Shown: true, About: "Share of the baseline’s time that this variant saves, from paired samples."},
		{Name: poolMade, Title: "Buffers created", Shape: metric.Count, Better: metric.Less, About: "Buffers that the engine allocated for one repetition, excluding prewarmed ones."},
		{Name: evicted, Title: "Buffers evicted", Shape: metric.Count, Better: metric.Less, About: "Cached buffers that a repetition freed because the pool was at capacity."},
		{Name: hitRate, Title: "Hit rate", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, About: "Share of requests that the keyed cache answers."},
		{Name: cacheHits, Title: "Hits", Shape: metric.Count, Better: metric.More, About: "Requests that the keyed cache answers in a repetition."},
		{Name: cacheMiss, Title: "Misses", Shape: metric.Count, Better: metric.Less, About: "Requests for which the keyed cache makes a buffer."},
		{Name: cacheEvict, Title: "Cache evictions", Shape: metric.Count, Better: metric.Less, About: "Entries that the keyed cache evicts for others."},
	}
}

func poolQuick() map[string]any {
	return map[string]any{"size": 64, "max_capacity": 8, "max_batch": 8, "min_entries": 8, "max_entries": 32}
}

func poolPresets() []workloads.Preset {
	return []workloads.Preset{
		workloads.QuickLook("All studies with small buffers; takes a minute.", poolQuick()),
		{Name: "is-it-worth-it", Title: "Is it worth it?", About: "What a pool saves for each kind of work.", Values: workloads.Values{"study": studyPooling}},
		{Name: "capacity", Title: "Which capacity?", About: "Reuse and memory of training by capacity.", Values: workloads.Values{"study": studyCapacity, "profile": training}},
		{Name: "large-buffers", Title: "Large buffers", About: "Buffers of 8 MiB and more, whose pages cost more than their allocation.", Values: workloads.Values{"study": studyPooling, "size": 8192, "steps": 4}},
	}
}

// maxPoolBytes is the maximum that a case may hold at once, in bytes.
const maxPoolBytes = 4 << 30

func poolValid(v workloads.Values) error {
	for _, p := range profiles() {
		from, to := p.param+"_from", p.param+"_to"
		if v.Float(from) > v.Float(to) {
			return &workloads.ParamError{Params: []string{from, to}, Text: fmt.Sprintf("{%s} is %g %%, above {%s}, which is %g %%", from, v.Float(from), to, v.Float(to))}
		}
	}
	held := float64(peakSizes) * float64(v.Int("size")) * 1024
	if most := float64(max(v.Int("max_batch"), v.Int("max_entries"))) * 16 * float64(v.Int("size")) * 1024 / 8; most > held {
		held = most
	}
	return within([]string{"size", "max_batch", "max_entries"}, limit{held, maxPoolBytes, "B", "of buffers"})
}

func runPool(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	r := &poolRun{bench: b, v: v, unit: v.Int("size") * 1024, profiles: chosenProfiles(v)}
	if err := b.MeasurePoints(ctx, v, r.measured); err != nil {
		return err
	}
	r.find()
	return nil
}

// poolRun is a run of the workload.
type poolRun struct {
	bench    *bench.Bench
	v        workloads.Values
	unit     int // size of a typical buffer in bytes
	profiles []profile
}

// measured returns the case at a point.
func (r *poolRun) measured(at workloads.Point) bench.Case {
	study := at.String("study")
	c := bench.Case{Name: "pool " + study, Settings: at}
	switch study {
	case studyCapacity:
		n := at.Int("capacity")
		c.Name += fmt.Sprintf(" %d", n)
		c.Build = func(s *bench.Scope) ([]bench.Variant, error) { return r.byCapacity(s, n), nil }
	case studyBatches:
		n := at.Int("batch")
		c.Name += fmt.Sprintf(" %d", n)
		c.Build = func(s *bench.Scope) ([]bench.Variant, error) { return r.batches(s, n) }
	case studyCache:
		n := at.Int("entries")
		c.Name += fmt.Sprintf(" %d", n)
		c.Build = func(s *bench.Scope) ([]bench.Variant, error) { return r.cached(n), nil }
	default:
		c.Build = func(*bench.Scope) ([]bench.Variant, error) { return r.compared(study), nil }
	}
	return c
}

// poolWay is one of the ways that a study compares on every profile, the baseline first.
type poolWay struct {
	study, name string
	options     gpu.PoolOptions
	warm        bool // the pool was prewarmed
}

// ways lists them all.
func ways() []poolWay {
	usual := gpu.PoolOptions{Mode: gpu.ModeDirty}
	with := func(change func(*gpu.PoolOptions)) gpu.PoolOptions {
		o := usual
		change(&o)
		return o
	}
	return []poolWay{
		{study: studyPooling, name: "unpooled", options: with(func(o *gpu.PoolOptions) { o.Disabled = true })},
		{study: studyPooling, name: "pooled", options: usual},
		{study: studyPooling, name: "prewarmed", options: usual, warm: true},
		{study: studyClasses, name: "fine", options: usual},
		{study: studyClasses, name: "powers of two", options: with(func(o *gpu.PoolOptions) { o.Policy = gpu.PolicyPow2 })},
		{study: studyClasses, name: "exact", options: with(func(o *gpu.PoolOptions) { o.Policy = gpu.PolicyExact })},
		{study: studyContents, name: "dirty", options: usual},
		{study: studyContents, name: "zeroed", options: with(func(o *gpu.PoolOptions) { o.Mode = gpu.ModeZero })},
		{study: studyContents, name: "poisoned", options: with(func(o *gpu.PoolOptions) { o.Mode = gpu.ModePoison })},
	}
}

func poolWays() []string {
	var names []string
	for _, w := range ways() {
		names = append(names, w.name)
	}
	return names
}
