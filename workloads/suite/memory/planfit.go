package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
)

// refusal says which buffer did not fit, and why.
type refusal struct {
	held, size int64 // bytes allocated before, and size of this buffer
	most       int64 // maximum size of one buffer, if this one exceeds it; 0: memory was the limit
	err        error // from the pool
}

// Error formats the refusal with readable sizes.
func (r *refusal) Error() string {
	switch {
	case r.most > 0:
		return fmt.Sprintf("a buffer of %s exceeds this device’s maximum of %s for one buffer", si.Bytes(float64(r.size)), si.Bytes(float64(r.most)))
	case r.held == 0:
		return fmt.Sprintf("this machine has no memory for a buffer of %s", si.Bytes(float64(r.size)))
	}
	return fmt.Sprintf("this machine has no memory for a buffer of %s on top of the %s already allocated", si.Bytes(float64(r.size)), si.Bytes(float64(r.held)))
}

// Unwrap tells the bench how to treat the refusal: it retries when out of memory, because other programs may free some, and reports
// anything else as unsupported, because a plan that does not fit is an answer, not a failure.
func (r *refusal) Unwrap() []error { return []error{gpu.ErrUnsupported, r.err} }

// machineMemory names the limit other than the budget, in sentences.
const machineMemory = "this machine’s memory"

// limit names the limit that was reached, in sentences.
func (r *refusal) limit() string {
	if r.most > 0 {
		return fmt.Sprintf("this device’s maximum of %s for one buffer", si.Bytes(float64(r.most)))
	}
	return machineMemory
}

// refused turns a pool's error into a refusal if the buffer did not fit; other errors are unchanged.
func refused(err error, held, size, most int64) error {
	if !errors.Is(err, gpu.ErrOutOfMemory) {
		return err
	}
	r := &refusal{held: held, size: size, err: err}
	if size > most {
		r.most = most
	}
	return r
}

// allocate acquires all buffers of a category and releases them; held is their total size.
func (p *plan) allocate(pool *gpu.Pool, name string, sizes []int64) (held int64, err error) {
	var leases []gpu.Lease
	for _, n := range sizes {
		l, e := pool.Acquire(int(max(n, 1)), name)
		if e != nil {
			err = refused(e, pool.Stats().LiveBytes, n, p.bench.Engine.Info().MaxBuffer)
			break
		}
		leases = append(leases, l)
	}
	held = pool.Stats().LiveBytes
	for _, l := range leases {
		err = errors.Join(err, l.Release())
	}
	return held, err
}

// ends returns the minimum and maximum along an axis.
func (p *plan) ends(along string) (least, most int) {
	if along == growContext {
		return p.v.Int("min_context"), maxContext
	}
	return p.v.Int("min_batch"), maxPlanned
}

// bytes returns the size of the whole plan for value n along the axis.
func (p *plan) bytes(along string, n int) float64 {
	return bytesOf(p.model.buffers(p.at(along, n)))
}

// search returns the largest value within a limit, by the computed sizes; 0 if not even the smallest fits.
func (p *plan) search(along string, least, most int, limit float64) int {
	beyond := sort.Search(most-least+1, func(i int) bool { return p.bytes(along, least+i) > limit })
	if beyond == 0 {
		return 0
	}
	return least + beyond - 1
}

// measured returns the result of the whole plan for value n along the axis; nil: there is none.
func (p *plan) measured(along string, n int) *workloads.Result {
	results := p.bench.Results()
	for i := range results {
		if r := &results[i]; r.Variant == whole && r.Setting(along) == n && r.Setting("grow") == along {
			return r
		}
	}
	return nil
}

// allocated returns the result with the largest value at which the whole plan was measured; nil: there is none.
func (p *plan) allocated(along string) *workloads.Result {
	var largest *workloads.Result
	results := p.bench.Results()
	for i := range results {
		r := &results[i]
		counts := r.Variant == whole && r.Setting("grow") == along && r.Status == workloads.OK
		if counts && (largest == nil || r.Number(metric.Name(along)) > largest.Number(metric.Name(along))) {
			largest = r
		}
	}
	return largest
}

// hunt finds by allocating where memory ends along an axis, within the budget.
type hunt struct {
	plan       *plan
	along      string
	good, bad  int     // the largest value allocated, or one below the minimum if there is none; and the smallest refused, 0 if none
	held       float64 // size of good, as allocated
	free, full float64 // bytes that could be allocated at once, and bytes that could not
	by         string  // what refused the allocation, in sentences
}

// tries is how many allocations may follow a refused one.
const tries = 6

// run tries the largest value within the budget and, if that is refused, smaller ones above what the sweep has shown to fit.
func (h *hunt) run(ctx context.Context, most int) error {
	if r := h.plan.allocated(h.along); r != nil {
		h.take(int(r.Number(metric.Name(h.along))), r.Number(workloads.HeldBytes))
	}
	if h.good >= most {
		return nil
	}
	if err := h.try(ctx, most); err != nil {
		return err
	}
	for range tries {
		if h.bad-h.good <= 1 { // also if nothing was refused
			return nil
		}
		if err := h.try(ctx, h.next()); err != nil {
			return err
		}
	}
	return nil
}

// try allocates the whole plan at a value, and frees it.
func (h *hunt) try(ctx context.Context, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	held, err := h.plan.allocate(h.plan.pool(), whole, h.plan.model.buffers(h.plan.at(h.along, n)))
	no := (*refusal)(nil)
	switch {
	case err == nil:
		h.take(n, float64(held))
	case errors.As(err, &no):
		h.refuse(n, no)
	default:
		return err
	}
	return nil
}

// take records a value that was allocated.
func (h *hunt) take(n int, held float64) {
	h.good, h.held, h.free = n, held, max(h.free, held)
}

// refuse records a refusal: there is memory for what was allocated before, but not for this buffer too.
func (h *hunt) refuse(n int, no *refusal) {
	h.bad, h.by = n, no.limit()
	h.full = min(h.full, h.plan.bytes(h.along, n))
	if no.most == 0 {
		h.free, h.full = max(h.free, float64(no.held)), min(h.full, float64(no.held+no.size))
	}
	if h.free >= h.full { // other programs took or freed memory in the meantime
		h.free, h.full = h.plan.bytes(h.along, h.good), h.plan.bytes(h.along, n)
	}
}

// next returns the value halfway between, measured in bytes: a refusal narrows the bytes more than the values.
func (h *hunt) next() int {
	return max(h.plan.search(h.along, h.good+1, h.bad-1, h.free+(h.full-h.free)/2), h.good+1)
}

// largest finds and reports the largest batch or context that fits by the computed sizes and that there is memory for.
func (p *plan) largest(ctx context.Context, along string) error {
	least, most := p.ends(along)
	n := p.search(along, least, most, p.budget)
	h := hunt{plan: p, along: along, good: least - 1, full: math.Inf(1), by: machineMemory}
	if n > 0 {
		if err := h.run(ctx, n); err != nil {
			return err
		}
	}
	r, err := p.there(ctx, along, max(h.good, least))
	switch {
	case err != nil:
		return err
	case n == 0 || h.good >= least: // it was allocated, even if other programs have taken the memory since: its row shows that
	case r.Status == workloads.OK:
		h.take(least, r.Number(workloads.HeldBytes))
	case r.Status == workloads.Unsupported:
		h.bad = least
	default:
		return nil // the row gives the reason
	}
	fit := p.fit(&h, n, r)
	p.bench.Find(fit.Finding())
	return nil
}

// there returns the result of the whole plan for value n along the axis, which it measures unless the sweep has.
func (p *plan) there(ctx context.Context, along string, n int) (*workloads.Result, error) {
	if r := p.measured(along, n); r != nil {
		return r, nil
	}
	if err := p.bench.MeasureAll(ctx, []bench.Case{p.sized(along, n)}); err != nil {
		return nil, err
	}
	return p.measured(along, n), nil
}

// fit describes what was found along an axis: n fits by the computed sizes; r is the largest allocated, or the smallest, which does
// not fit.
func (p *plan) fit(h *hunt, n int, r *workloads.Result) workloads.Fit {
	fit := workloads.Fit{Subject: workloads.Subject{Name: p.name()}, Axis: p.bench.Workload.Axis(h.along), Budget: p.budget, Result: r}
	least, most := p.ends(h.along)
	next := 0
	switch {
	case h.bad > 0:
		next, fit.By = h.bad, h.by
	case n < most:
		next = max(n+1, least)
	}
	if next > 0 {
		fit.Next, fit.Needs = float64(next), p.bytes(h.along, next)
	}
	if h.good >= least {
		fit.At, fit.Bytes = float64(h.good), h.held
	}
	return fit
}
