package memory

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// runStudy runs a study with small buffers that are not written.
func runStudy(t *testing.T, study string, set workloads.Values) *benchtest.Rig {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	values := workloads.Values{"study": study, "size": 4, "write": false}.With(set)
	if err := b.Run(t.Context(), t, Pool(), values); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t) // also in the workload's own pools
	for i := range b.Measured {
		if r := &b.Measured[i]; r.Status != workloads.OK {
			t.Errorf("%s %s: %s %q", r.Case, r.Variant, r.Status, r.Failure.Text)
		}
	}
	return b
}

// resultOf is the result of a variant.
func resultOf(t *testing.T, b *benchtest.Rig, variant string) *workloads.Result {
	t.Helper()
	i := slices.IndexFunc(b.Measured, func(r workloads.Result) bool { return r.Variant == variant })
	if i < 0 {
		t.Fatalf("no result of %q", variant)
	}
	return &b.Measured[i]
}

// Each profile requests buffers like the work for which the bands were published: its reuse rate lies within its band.
func TestProfilesAreWithinTheirBands(t *testing.T) {
	b := runStudy(t, studyPooling, nil)
	for _, p := range profiles() {
		r := resultOf(t, b, p.name+", pooled")
		if rate := 100 * r.Number(reuseRate); !(rate >= p.band[0] && rate <= p.band[1]) {
			t.Errorf("%s: %.1f %% reused, the band is %v", p.name, rate, p.band)
		}
		if rate := resultOf(t, b, p.name+", unpooled").Number(reuseRate); rate != 0 {
			t.Errorf("%s without a pool: %g reused", p.name, rate)
		}
		if warm := resultOf(t, b, p.name+", prewarmed"); warm.Number(reuseRate) < r.Number(reuseRate) || warm.Number(poolMade) > r.Number(poolMade) {
			t.Errorf("%s prewarmed: %g reused, %g made", p.name, warm.Number(reuseRate), warm.Number(poolMade))
		}
		found := slices.IndexFunc(b.Findings, func(f workloads.Finding) bool {
			return f.Variant == r.Variant || strings.HasPrefix(f.Text, p.title+", pooled against unpooled")
		})
		if found < 0 || !strings.Contains(b.Findings[found].Text, "within the published band") {
			t.Errorf("%s: findings %+v", p.name, b.Findings)
		}
	}
}

func TestCustomBands(t *testing.T) {
	b := runStudy(t, studyPooling, workloads.Values{"profile": training, "training_from": 20.0, "training_to": 40.0})
	if text := b.Findings[0].Text; !strings.Contains(text, "above your band of 20 to 40 %") {
		t.Errorf("finding %q", text)
	}
	w := Pool()
	if err := w.Check(w.Defaults(true).With(workloads.Values{"training_from": 99.0})); err == nil || !strings.Contains(err.Error(), "above") {
		t.Errorf("a band from 99 to 95 %%: %v", err)
	}
}

func TestSizeClassesTradeReuseForWaste(t *testing.T) {
	b := runStudy(t, studyClasses, workloads.Values{"profile": oneOff})
	fine, pow2, exact := resultOf(t, b, "one-off, fine"), resultOf(t, b, "one-off, powers of two"), resultOf(t, b, "one-off, exact")
	if !(pow2.Number(reuseRate) > fine.Number(reuseRate) && fine.Number(reuseRate) > exact.Number(reuseRate)) {
		t.Errorf("reuse %g, %g, %g", pow2.Number(reuseRate), fine.Number(reuseRate), exact.Number(reuseRate))
	}
	if !(pow2.Number(poolWaste) > 0.1 && fine.Number(poolWaste) < 0.05 && exact.Number(poolWaste) == 0) {
		t.Errorf("waste %g, %g, %g", pow2.Number(poolWaste), fine.Number(poolWaste), exact.Number(poolWaste))
	}
}

// Reuse and held memory grow with the capacity, until each class keeps all that a training step needs.
func TestReuseByCapacity(t *testing.T) {
	b := runStudy(t, studyCapacity, workloads.Values{"profile": training, "min_capacity": 1, "max_capacity": 32})
	for i := 1; i < len(b.Measured); i++ {
		r, before := &b.Measured[i], &b.Measured[i-1]
		if r.Number(reuseRate) < before.Number(reuseRate) || r.Number(workloads.HeldBytes) < before.Number(workloads.HeldBytes) || r.Number(evicted) > before.Number(evicted) {
			t.Errorf("%s: %g reused, %g B held, %g evicted; before it %g, %g and %g", r.Case, r.Number(reuseRate), r.Number(workloads.HeldBytes), r.Number(evicted),
				before.Number(reuseRate), before.Number(workloads.HeldBytes), before.Number(evicted))
		}
	}
	if text := b.Findings[0].Text; b.Findings[0].Kind != workloads.KindEnough || !strings.HasPrefix(text, "Training, reuse: a capacity of 16 is enough: 93.5 %, with ") {
		t.Errorf("finding %q", text)
	}
}

func TestContentsBatchesAndCache(t *testing.T) {
	b := runStudy(t, studyContents, workloads.Values{"profile": training})
	if len(b.Measured) != 3 {
		t.Errorf("%d results of contents", len(b.Measured))
	}
	b = runStudy(t, studyBatches, workloads.Values{"write": true, "min_batch": 2, "max_batch": 2})
	if r := resultOf(t, b, cachedBatch); r.Number(reuseRate) != 1 || r.Number(poolMade) != 0 {
		t.Errorf("a cached batch: %g reused, %g made", r.Number(reuseRate), r.Number(poolMade))
	}
	if r := resultOf(t, b, coldBatch); r.Number(reuseRate) != 0 {
		t.Errorf("a cold batch: %g reused", r.Number(reuseRate))
	}
	resultOf(t, b, ownBatch)
	b = runStudy(t, studyCache, workloads.Values{"min_entries": 8, "max_entries": 64})
	last := &b.Measured[len(b.Measured)-1]
	if last.Number(cacheEvict) != 0 || last.Number(cacheHits)+last.Number(cacheMiss) != cacheRequests || last.Number(cacheMiss) > cacheKeys {
		t.Errorf("with room for all keys: %+v", last.Values)
	}
	for i := range b.Findings {
		if text := b.Findings[i].Sentence(); strings.Contains(text, "still rising") {
			t.Errorf("nothing is evicted, and yet: %s", text)
		}
	}
	if first := resultOf(t, b, keyedCache); first.Number(cacheEvict) != first.Number(cacheMiss)-8 || first.Number(hitRate) >= last.Number(hitRate) {
		t.Errorf("with 8 entries: %+v", first.Values)
	}
}

// The keyed cache keeps the most recently used keys, like a simple list.
func TestKeyedCacheAgainstAModel(t *testing.T) {
	e := gputest.NewFake(gputest.Script{})
	pool := gpu.NewPool(e, gpu.PoolOptions{})
	cache := newKeyed(pool, 5)
	var model []int // most recently used first
	r := rand.New(rand.NewPCG(3, 4))
	filled := 0
	for range 2000 {
		key := r.IntN(12)
		at := slices.Index(model, key)
		before := cache.hits
		l, err := cache.get(key, 64*(key+1), func(gpu.Lease) error { filled++; return nil })
		if err != nil || l.Size() != 64*(key+1) {
			t.Fatalf("key %d: %d B, %v", key, l.Size(), err)
		}
		if (at >= 0) != (cache.hits > before) {
			t.Fatalf("key %d hits: %v; the model holds %v", key, cache.hits > before, model)
		}
		if at >= 0 {
			model = slices.Delete(model, at, at+1)
		}
		if model = slices.Insert(model, 0, key); len(model) > 5 {
			model = model[:5]
		}
	}
	if cache.hits+cache.misses != 2000 || int64(filled) != cache.misses || cache.evictions != cache.misses-5 {
		t.Errorf("%d hits, %d misses, %d evictions, %d filled", cache.hits, cache.misses, cache.evictions, filled)
	}
	if err := cache.clear(); err != nil || pool.Stats().Live != 0 {
		t.Errorf("cleared: %v, %d live", err, pool.Stats().Live)
	}
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
}

// If the device has no memory left, the case has no time, and no buffer remains allocated.
func TestPoolWorkloadWithoutMemory(t *testing.T) {
	b := benchtest.New(t, gputest.Script{MemoryLimit: 20_000})
	if err := b.Run(t.Context(), t, Pool(), workloads.Values{"study": studyPooling, "profile": training, "size": 4}); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	for i := range b.Measured {
		if r := &b.Measured[i]; r.Status != workloads.Errored || r.Failure.Kind != workloads.OutOfMemory {
			t.Errorf("%s: %s %+v", r.Variant, r.Status, r.Failure)
		}
	}
}
