package gpu_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// modelPool is what a Pool should do, in the simplest way: live leases in a map, cached sizes in the order of release.
type modelPool struct {
	class    func(int) int
	capacity int
	budget   int64
	live     map[gpu.Lease]int // granted bytes
	cached   []int
	creates  int
}

func sum(sizes []int) (total int64) {
	for _, n := range sizes {
		total += int64(n)
	}
	return total
}

func (m *modelPool) liveBytes() (total int64) {
	for _, n := range m.live {
		total += int64(n)
	}
	return total
}

func count(sizes []int, n int) (found int) {
	for _, s := range sizes {
		if s == n {
			found++
		}
	}
	return found
}

// acquire reports whether the request fits.
func (m *modelPool) acquire(n int) bool {
	size := m.class(n)
	for i := len(m.cached) - 1; i >= 0; i-- { // the newest of its class
		if m.cached[i] == size {
			m.cached = slices.Delete(m.cached, i, i+1)
			return true
		}
	}
	if m.budget > 0 && m.liveBytes()+int64(size) > m.budget {
		return false
	}
	m.creates++
	for m.budget > 0 && m.liveBytes()+sum(m.cached)+int64(size) > m.budget {
		m.cached = m.cached[1:]
	}
	return true
}

func (m *modelPool) release(l gpu.Lease) {
	size := m.live[l]
	delete(m.live, l)
	m.cached = append(m.cached, size)
	m.fit()
}

// fit evicts the oldest of full classes, and what exceeds the budget.
func (m *modelPool) fit() {
	for i := 0; i < len(m.cached); {
		if count(m.cached, m.cached[i]) > m.capacity {
			m.cached = slices.Delete(m.cached, i, i+1)
		} else {
			i++
		}
	}
	for m.budget > 0 && len(m.cached) > 0 && m.liveBytes()+sum(m.cached) > m.budget {
		m.cached = m.cached[1:]
	}
}

func (m *modelPool) shrink(limit int64) int64 {
	before := sum(m.cached)
	for sum(m.cached) > limit {
		m.cached = m.cached[1:]
	}
	return before - sum(m.cached)
}

func (m *modelPool) clearSize(n int) int64 {
	before := sum(m.cached)
	size := m.class(n)
	m.cached = slices.DeleteFunc(m.cached, func(s int) bool { return s == size })
	return before - sum(m.cached)
}

// modelClass rounds up by search instead of arithmetic.
func modelClass(policy gpu.Policy) func(int) int {
	return func(n int) int {
		size := n
		switch policy {
		case gpu.PolicyPow2:
			for size = 1; size < n; size *= 2 {
			}
		case gpu.PolicyFine:
			granule := 16
			for granule*64 <= n {
				granule *= 2
			}
			for size%granule != 0 {
				size++
			}
		}
		return size
	}
}

// modelRun drives a pool and its model with the same operations and compares them after each.
type modelRun struct {
	t      *testing.T
	pool   *gpu.Pool
	engine *gputest.Fake
	model  modelPool
	order  []gpu.Lease // live leases, the oldest first
	stale  []gpu.Lease
}

func runModel(t *testing.T, seed uint64, ops []byte) {
	r := rand.New(rand.NewPCG(seed, 3))
	policy := gpu.Policy(r.IntN(3))
	o := gpu.PoolOptions{Policy: policy, Mode: gpu.ModeDirty, Capacity: 1 + r.IntN(3), Budget: int64(r.IntN(3)) * 6000}
	p, e := newPool(t, o)
	run := &modelRun{t: t, pool: p, engine: e, model: modelPool{
		class: modelClass(policy), capacity: o.Capacity, budget: o.Budget, live: map[gpu.Lease]int{},
	}}
	for _, op := range ops {
		run.step(op, r)
		run.compare(op)
	}
	for _, l := range run.order {
		release(t, l)
	}
}

func (m *modelRun) step(op byte, r *rand.Rand) {
	n := 1 + r.IntN(6)*397
	switch op % 16 {
	case 0:
		m.same("ShrinkToFit", freed(m.pool.ShrinkToFit(int64(n))), m.model.shrink(int64(n)))
	case 1:
		m.same("ClearSize", freed(m.pool.ClearSize(n)), m.model.clearSize(n))
	case 2:
		if op > 200 {
			m.same("Clear", freed(m.pool.Clear()), m.model.shrink(0))
		}
	case 3:
		m.model.capacity = 1 + r.IntN(4)
		m.model.fit()
		m.pool.SetCapacity(m.model.capacity)
	case 4:
		m.model.budget = int64(r.IntN(3)) * 4000
		m.model.fit()
		m.pool.SetBudget(m.model.budget)
	case 5:
		m.releaseStale(r)
	case 6, 7, 8, 9, 10:
		m.release(r)
	default:
		m.acquire(n)
	}
}

func (m *modelRun) same(what string, got, want int64) {
	m.t.Helper()
	if got != want {
		m.t.Fatalf("%s gives %d, want %d", what, got, want)
	}
}

func (m *modelRun) acquire(n int) {
	fits := m.model.acquire(n)
	l, err := m.pool.Acquire(n, "model")
	if !fits {
		wantError(m.t, err, gpu.ErrOutOfMemory)
		return
	}
	if err != nil {
		m.t.Fatalf("Acquire(%d): %v; the model has room", n, err)
	}
	m.model.live[l] = m.model.class(n)
	m.order = append(m.order, l)
}

func (m *modelRun) release(r *rand.Rand) {
	if len(m.order) == 0 {
		return
	}
	i := r.IntN(len(m.order))
	l := m.order[i]
	m.order = slices.Delete(m.order, i, i+1)
	m.stale = append(m.stale, l)
	m.model.release(l)
	release(m.t, l)
}

func (m *modelRun) releaseStale(r *rand.Rand) {
	if len(m.stale) == 0 {
		return
	}
	if err := m.stale[r.IntN(len(m.stale))].Release(); !errors.Is(err, gpu.ErrReleased) {
		m.t.Fatalf("release of a stale lease: %v", err)
	}
}

func (m *modelRun) compare(op byte) {
	m.t.Helper()
	s := m.pool.Stats()
	live, cached := m.model.liveBytes(), sum(m.model.cached)
	if s.Live != len(m.model.live) || s.LiveBytes != live || s.Cached != len(m.model.cached) || s.CachedBytes != cached {
		m.t.Fatalf("op %d: pool %+v, model %d live (%d B), cached %v", op, s, len(m.model.live), live, m.model.cached)
	}
	if int(s.Creates) != m.model.creates || s.Creates-s.Frees != int64(s.Live+s.Cached) || s.Classes > s.Live+s.Cached {
		m.t.Fatalf("op %d: pool %+v, model created %d", op, s, m.model.creates)
	}
	if mem := m.engine.Memory(); mem.Bytes != live+cached || mem.Buffers != int64(s.Live+s.Cached) {
		m.t.Fatalf("op %d: the engine holds %+v, the pool says %+v", op, mem, s)
	}
	if s.HighWater < live+cached || s.LiveRequested > s.LiveBytes {
		m.t.Fatalf("op %d: %+v", op, s)
	}
	var classes int
	for _, c := range m.pool.Classes() {
		classes += c.Cached * c.Size
		if c.Cached > m.model.capacity || c.Cached != count(m.model.cached, c.Size) {
			m.t.Fatalf("op %d: class %+v, model %v", op, c, m.model.cached)
		}
	}
	m.same("the classes' cached bytes", int64(classes), cached)
}

func TestPoolAgainstModel(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 4))
		ops := make([]byte, 400)
		for i := range ops {
			ops[i] = byte(r.IntN(256))
		}
		runModel(t, seed, ops)
	}
}

func FuzzPoolAgainstModel(f *testing.F) {
	f.Add(uint64(1), []byte{15, 15, 14, 6, 7, 0, 15, 3, 4, 12, 8, 9, 242})
	f.Add(uint64(7), []byte("acquire, release, shrink, clear"))
	f.Fuzz(runModel)
}
