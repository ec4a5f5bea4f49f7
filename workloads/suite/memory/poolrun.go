package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/bench"
)

// errorsJoin ends the leases left over by a failed trace, and joins any errors of that.
func errorsJoin(err error, leases []gpu.Lease) error {
	for i, l := range leases {
		if l != (gpu.Lease{}) {
			err = errors.Join(err, l.Release())
		}
		leases[i] = gpu.Lease{}
	}
	return err
}

// job is a trace on its own pools, which are created and closed with each repetition.
type job struct {
	engine  gpu.Engine
	options gpu.PoolOptions
	trace   trace
	leases  []gpu.Lease
	write   bool
	warm    map[int]int // buffers created in advance, by size
	stats   gpu.Stats   // from the last repetition, before its pool was cleared
	keep    bool        // the buffers remain in the pool at the end: freeing them is not timed
}

// newJob returns the job of a profile. All of its ways do the same work, from the same seed.
func (r *poolRun) newJob(p profile, o gpu.PoolOptions, warm bool) *job {
	t := p.trace(r.unit, r.v.Int("steps"), rand.New(rand.NewPCG(r.bench.Seed, 1)))
	o.Storage = r.bench.Engine.Info().Storage()
	j := &job{engine: r.bench.Engine, options: o, trace: t, leases: make([]gpu.Lease, t.buffers), write: r.v.Bool("write")}
	if warm {
		j.warm = t.peaks(o.Policy.Granted)
	}
	return j
}

// run repeats the job; the time runs from the first request until everything is free again, without prewarming.
func (j *job) run(ctx context.Context, reps int) (float64, error) {
	var spent time.Duration
	for range reps {
		took, err := j.once(ctx)
		if err != nil {
			return 0, err
		}
		spent += took
	}
	return spent.Seconds() / float64(reps), nil
}

func (j *job) once(ctx context.Context) (took time.Duration, err error) {
	pool := gpu.NewPool(j.engine, j.options)
	defer func() { err = errors.Join(err, pool.Close()) }()
	for bytes, n := range j.warm {
		if _, err := pool.Prewarm(ctx, bytes, min(n, pool.Stats().Capacity)); err != nil {
			return 0, err
		}
	}
	pool.ResetStats()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	began := time.Now()
	if err := j.trace.play(pool, j.leases, j.write); err != nil {
		return 0, err
	}
	took = time.Since(began)
	j.stats = pool.Stats()
	if !j.keep {
		began = time.Now()
		_, err = pool.Clear()
		took += time.Since(began)
	}
	if want := int64(j.trace.acquires()); j.stats.Acquires != want {
		err = errors.Join(err, bench.Wrong("the pool counts %d requests of %d", j.stats.Acquires, want))
	}
	return took, err
}

// variant returns the job as a variant of a case.
func (j *job) variant(name, baseline string, settings ...workloads.Setting) bench.Variant {
	return bench.Variant{
		Name: name, Baseline: baseline, Settings: settings, Work: bench.Host(j.run), Items: float64(j.trace.acquires()),
		Adjust: func(r *workloads.Result) {
			j.tell(r)
			saved(r)
		},
	}
}

// tell sets the values counted by the pool.
func (j *job) tell(r *workloads.Result) {
	if r.Status != workloads.OK {
		return
	}
	if rate, ok := j.stats.ReuseRate(); ok {
		r.Values.SetNumber(reuseRate, rate)
	}
	r.Values.SetNumber(poolWaste, j.waste())
	r.Values.SetNumber(workloads.HeldBytes, float64(j.stats.HighWater))
	r.Values.SetNumber(poolMade, float64(j.stats.Creates))
	r.Values.SetNumber(evicted, float64(j.stats.Evictions))
}

// waste returns the share of granted bytes that were not requested.
func (j *job) waste() float64 {
	granted, asked := 0, 0
	for _, a := range j.trace.acts {
		if a.bytes == 0 {
			continue
		}
		asked += a.bytes
		if j.options.Disabled {
			granted += a.bytes
		} else {
			granted += j.options.Policy.Granted(a.bytes)
		}
	}
	return 1 - float64(asked)/float64(max(granted, 1))
}

// saved sets how much less time than the baseline a result took.
func saved(r *workloads.Result) {
	if s := r.Speedup(); r.Baseline != "" && s.Median > 0 {
		r.Values.Set(timeSaved, workloads.Saving(s))
	}
}

// compared returns the ways of a study on each profile.
func (r *poolRun) compared(study string) []bench.Variant {
	var list []bench.Variant
	for _, p := range r.profiles {
		baseline := ""
		for _, w := range ways() {
			if w.study != study {
				continue
			}
			j := r.newJob(p, w.options, w.warm)
			name := p.name + ", " + w.name
			list = append(list, j.variant(name, baseline, workloads.Setting{Name: "profile", Value: p.name}, workloads.Setting{Name: "way", Value: w.name}))
			if baseline == "" {
				baseline = name
			}
		}
	}
	return list
}

// byCapacity runs each profile on a pool that keeps up to a number of buffers per class.
func (r *poolRun) byCapacity(_ *bench.Scope, capacity int) []bench.Variant {
	var list []bench.Variant
	for _, p := range r.profiles {
		j := r.newJob(p, gpu.PoolOptions{Mode: gpu.ModeDirty, Capacity: capacity}, false)
		list = append(list, j.variant(p.name, ""))
	}
	return list
}

// find reports what pooling saves on each profile, and which capacity suffices.
func (r *poolRun) find() {
	results := r.bench.Results()
	of := func(study, variant string) []workloads.Result {
		var list []workloads.Result
		for i := range results {
			if x := &results[i]; x.Setting("study") == study && (variant == "" || x.Variant == variant) {
				list = append(list, *x)
			}
		}
		return list
	}
	for _, p := range r.profiles {
		r.findPairs(of(studyPooling, ""), p)
		r.findPairs(of(studyClasses, ""), p)
		r.findPairs(of(studyContents, ""), p)
		r.findEnough("capacity", reuseRate, p.title+", reuse", of(studyCapacity, p.name), poolWaste)
	}
	r.findBatches(of(studyBatches, ""))
	r.findEnough("entries", hitRate, "The keyed cache, hits", of(studyCache, keyedCache))
	r.findCached(of(studyCache, ""))
}

// findEnough reports from which point along an axis a share stays at its maximum, with the memory held there and other shares.
func (r *poolRun) findEnough(axis string, share metric.Name, about string, results []workloads.Result, more ...metric.Name) {
	c := workloads.Curve{
		Axis: r.bench.Workload.Axis(axis), Of: share, Unit: "ratio", Results: results, Subject: workloads.Subject{Name: about},
		Full: func(x *workloads.Result) bool { return x.Number(cacheEvict) == 0 },
		Readings: func(x *workloads.Result) []workloads.Reading {
			list := []workloads.Reading{{Value: stats.Exact(x.Number(workloads.HeldBytes)), Unit: "B", Per: "held"}}
			for _, name := range more {
				list = append(list, workloads.Reading{Value: stats.Exact(x.Number(name)), Unit: "ratio", Per: "wasted"})
			}
			return list
		},
	}
	r.bench.Find(c.Enough()...)
}

// findPairs compares each way on a profile with the baseline of its study.
func (r *poolRun) findPairs(results []workloads.Result, p profile) {
	for i := range results {
		x := &results[i]
		if x.Setting("profile") != p.name || x.Baseline == "" {
			continue
		}
		way, _ := x.Setting("way").(string)
		for j := range results {
			if base := &results[j]; base.Variant == x.Baseline && base.Case == x.Case {
				from, _ := base.Setting("way").(string)
				r.bench.Find(workloads.Saved(base, x, workloads.Subject{Name: p.title, Way: way, Baseline: from}, r.beside(x, p, way))...)
			}
		}
	}
}

// beside returns what to add to the time of a way: reuse compared with the band, and a guide's claims.
func (r *poolRun) beside(x *workloads.Result, p profile, way string) string {
	if x.Setting("study") == studyContents {
		return ""
	}
	rate := x.Number(reuseRate)
	served, wasted := fmt.Sprintf("%.1f %% of the requests are served from the cache", 100*rate), fmt.Sprintf("%.1f %% of the bytes are wasted.", 100*x.Number(poolWaste))
	if way != "pooled" {
		return served + ", and " + wasted
	}
	from, to := r.v.Float(p.param+"_from"), r.v.Float(p.param+"_to")
	where, source := "within", "your"
	switch {
	case 100*rate < from:
		where = "below"
	case 100*rate > to:
		where = "above"
	}
	if [2]float64{from, to} == p.band {
		source = "the published"
	}
	return fmt.Sprintf("%s, %s %s band of %g to %g %%, and %s Published: 20 to 30 %% less overhead by pooling, in the Metal GPU Optimization Guide (TensorLogic), "+
		"which does not state for what work.", served, where, source, from, to, wasted)
}
