package memory

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// Variants of the studies of batches and of the keyed cache.
const (
	coldBatch   = "cold"
	cachedBatch = "from the pool"
	ownBatch    = "preallocated"
	noCache     = "no cache"
	keyedCache  = "keyed cache"
)

// keyed is a cache of buffers by key that evicts the least recently used.
type keyed struct {
	pool                    *gpu.Pool
	capacity                int
	order                   *list.List // of *keyedEntry, most recently used first
	at                      map[int]*list.Element
	hits, misses, evictions int64
}

type keyedEntry struct {
	key   int
	lease gpu.Lease
}

func newKeyed(pool *gpu.Pool, capacity int) *keyed {
	return &keyed{pool: pool, capacity: capacity, order: list.New(), at: map[int]*list.Element{}}
}

// get returns the buffer of a key: the cached one, or a new one that fill writes. It is valid until the next get.
func (k *keyed) get(key, bytes int, fill func(gpu.Lease) error) (gpu.Lease, error) {
	if e, ok := k.at[key]; ok {
		k.hits++
		k.order.MoveToFront(e)
		return e.Value.(*keyedEntry).lease, nil
	}
	k.misses++
	if k.order.Len() >= k.capacity {
		if err := k.drop(k.order.Back()); err != nil {
			return gpu.Lease{}, err
		}
		k.evictions++
	}
	l, err := k.pool.Acquire(bytes, fmt.Sprintf("key %d", key))
	if err != nil {
		return l, err
	}
	k.at[key] = k.order.PushFront(&keyedEntry{key, l})
	return l, fill(l)
}

func (k *keyed) drop(e *list.Element) error {
	entry := k.order.Remove(e).(*keyedEntry)
	delete(k.at, entry.key)
	return entry.lease.Release()
}

// clear ends all leases.
func (k *keyed) clear() error {
	var err error
	for e := k.order.Front(); e != nil; e = k.order.Front() {
		err = errors.Join(err, k.drop(e))
	}
	return err
}

// Requests of the keyed cache: a few keys are requested often, most of them rarely.
const (
	cacheKeys     = 64
	cacheRequests = 400
)

// requests returns the keys in order, and the bytes of each.
func (r *poolRun) requests() (keys []int, bytes []int) {
	random := rand.New(rand.NewPCG(r.bench.Seed, 2))
	zipf := rand.NewZipf(random, 1.2, 4, cacheKeys-1)
	for range cacheRequests {
		keys = append(keys, int(zipf.Uint64()))
	}
	for range cacheKeys {
		bytes = append(bytes, max(r.unit*(1+random.IntN(16))/8, 1))
	}
	return keys, bytes
}

// cached answers requests by key with a cache of the given number of entries, and without one.
func (r *poolRun) cached(entries int) []bench.Variant {
	keys, bytes := r.requests()
	answer := func(capacity int) *answering {
		return &answering{
			engine: r.bench.Engine, keys: keys, bytes: bytes, capacity: capacity, write: r.v.Bool("write"),
		}
	}
	none, some := answer(0), answer(entries)
	return []bench.Variant{
		{Name: noCache, Items: cacheRequests, Work: bench.Host(none.run), Adjust: none.tell},
		{Name: keyedCache, Items: cacheRequests, Work: bench.Host(some.run), Adjust: func(x *workloads.Result) {
			some.tell(x)
			saved(x)
		}, Baseline: noCache},
	}
}

// answering answers all requests once, starting with an empty cache on its own pool.
type answering struct {
	engine                  gpu.Engine
	keys, bytes             []int
	capacity                int // 0: no cache
	write                   bool
	hits, misses, evictions int64
	held                    int64
}

func (a *answering) run(ctx context.Context, reps int) (float64, error) {
	var spent time.Duration
	for range reps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		took, err := a.once()
		if err != nil {
			return 0, err
		}
		spent += took
	}
	return spent.Seconds() / float64(reps), nil
}

func (a *answering) once() (took time.Duration, err error) {
	pool := gpu.NewPool(a.engine, gpu.PoolOptions{Mode: gpu.ModeDirty, Storage: a.engine.Info().Storage()})
	defer func() { err = errors.Join(err, pool.Close()) }()
	cache := newKeyed(pool, max(a.capacity, 1))
	began := time.Now()
	for _, key := range a.keys {
		if _, err := cache.get(key, a.bytes[key], a.fill); err != nil {
			return 0, errors.Join(err, cache.clear())
		}
		if a.capacity == 0 {
			if err := cache.clear(); err != nil {
				return 0, err
			}
		}
	}
	err = cache.clear()
	took = time.Since(began)
	a.hits, a.misses, a.evictions, a.held = cache.hits, cache.misses, cache.evictions, pool.Stats().HighWater
	return took, err
}

func (a *answering) fill(l gpu.Lease) error {
	if !a.write {
		return nil
	}
	return l.Fill(1)
}

func (a *answering) tell(x *workloads.Result) {
	if x.Status != workloads.OK {
		return
	}
	x.Values.SetNumber(hitRate, float64(a.hits)/float64(max(a.hits+a.misses, 1)))
	x.Values.SetNumber(cacheHits, float64(a.hits))
	x.Values.SetNumber(cacheMiss, float64(a.misses))
	x.Values.SetNumber(cacheEvict, float64(a.evictions))
	x.Values.SetNumber(workloads.HeldBytes, float64(a.held))
}

// batches are a batch whose buffers are allocated, one whose buffers come from the pool, and one with its own buffers.
func (r *poolRun) batches(s *bench.Scope, items int) ([]bench.Variant, error) {
	unit := max(items*r.unit/8, 1)
	sizes := []int{unit, 4 * unit, 4 * unit, unit}
	job := func(o gpu.PoolOptions) *job {
		var t trace
		var held []int
		for _, bytes := range sizes {
			held = append(held, t.take(bytes))
		}
		for _, at := range held {
			t.give(at)
		}
		o.Storage = r.bench.Engine.Info().Storage()
		return &job{engine: r.bench.Engine, options: o, trace: t, leases: make([]gpu.Lease, t.buffers), write: r.v.Bool("write")}
	}
	cold, warm := job(gpu.PoolOptions{Mode: gpu.ModeDirty}), job(gpu.PoolOptions{Mode: gpu.ModeDirty})
	warm.keep = true
	warm.warm = warm.trace.peaks(warm.options.Policy.Granted)
	list := []bench.Variant{cold.variant(coldBatch, ""), warm.variant(cachedBatch, coldBatch)}
	if !cold.write { // otherwise such a batch does nothing
		return list, nil
	}
	own, err := ownBuffers(s, sizes)
	return append(list, bench.Variant{Name: ownBatch, Baseline: coldBatch, Items: float64(len(sizes)), Work: bench.Host(own), Adjust: saved}), err
}

// ownBuffers is a batch on buffers that are kept from batch to batch.
func ownBuffers(s *bench.Scope, sizes []int) (func(context.Context, int) (float64, error), error) {
	var buffers []gpu.Buffer
	for _, bytes := range sizes {
		b, err := s.Buffer(shaders.U32, (bytes+3)/4, "preallocated")
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, b)
	}
	return func(ctx context.Context, reps int) (float64, error) {
		began := time.Now()
		for range reps {
			for _, b := range buffers {
				if err := b.Fill(1); err != nil {
					return 0, err
				}
			}
		}
		return time.Since(began).Seconds() / float64(reps), ctx.Err()
	}, nil
}

// findCached reports the savings of the largest keyed cache.
func (r *poolRun) findCached(results []workloads.Result) {
	for i := len(results) - 1; i > 0; i-- {
		base, way := &results[i-1], &results[i]
		if way.Variant == keyedCache && base.Variant == noCache && base.Case == way.Case {
			entries, _ := way.Setting("entries").(int)
			s := workloads.Subject{Name: fmt.Sprintf("%d requests for %d keys", cacheRequests, cacheKeys), Way: fmt.Sprintf("a keyed cache of %d entries", entries), Baseline: "none"}
			r.bench.Find(workloads.Saved(base, way, s, "A cache saves more where a buffer is more expensive to rewrite.")...)
			return
		}
	}
}

// findBatches reports the savings of a cached and of a preallocated batch, over all batches.
func (r *poolRun) findBatches(results []workloads.Result) {
	for _, way := range [][2]string{{cachedBatch, "buffers from the pool"}, {ownBatch, "preallocated buffers"}} {
		s := workloads.Subject{Name: "Getting buffers for all measured batches", Way: way[1], Baseline: "new buffers"}
		r.bench.Find(workloads.Totals(results, s, coldBatch, way[0])...)
	}
}
