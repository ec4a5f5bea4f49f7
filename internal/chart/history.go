package chart

// maxBuckets is the maximum number of intervals of a whole run per series.
const maxBuckets = 2048

// history stores a whole run of one value in bounded memory: the minimum and maximum of each interval, in order of
// time. When the buckets are full, neighbors are merged and the intervals double. An interval without a reading is a
// gap.
type history struct {
	xs, ys []float64 // two per bucket
	sums   []float64 // per bucket, of its finite samples
	counts []int
	per    int // samples per bucket
	have   int // samples in the last bucket; 0: the next sample opens one
}

func newHistory() *history {
	return &history{
		xs: make([]float64, 0, 2*maxBuckets), ys: make([]float64, 0, 2*maxBuckets),
		sums: make([]float64, 0, maxBuckets), counts: make([]int, 0, maxBuckets), per: 1,
	}
}

// add adds the value v at time t.
func (h *history) add(t, v float64) {
	if h.have == 0 {
		if len(h.sums) == maxBuckets {
			h.halve()
		}
		h.xs, h.ys = append(h.xs, t, t), append(h.ys, v, v)
		h.sums, h.counts = append(h.sums, 0), append(h.counts, 0)
	} else {
		h.join(len(h.sums)-1, t, v)
	}
	if finite(v) {
		h.sums[len(h.sums)-1] += v
		h.counts[len(h.counts)-1]++
	}
	if h.have++; h.have >= h.per {
		h.have = 0
	}
}

// join merges v at t into bucket k; t is not before its content.
func (h *history) join(k int, t, v float64) {
	x, y := h.xs[2*k:2*k+2], h.ys[2*k:2*k+2]
	switch lo, hi := min(y[0], y[1]), max(y[0], y[1]); {
	case !finite(v):
	case !finite(y[0]) || !finite(y[1]):
		x[0], x[1], y[0], y[1] = t, t, v, v
	case v < lo:
		keep := 0 // the index of the maximum, which stays
		if y[1] > y[0] {
			keep = 1
		}
		x[0], y[0], x[1], y[1] = x[keep], y[keep], t, v
	case v > hi:
		keep := 0 // the index of the minimum
		if y[1] < y[0] {
			keep = 1
		}
		x[0], y[0], x[1], y[1] = x[keep], y[keep], t, v
	}
}

// halve merges neighboring buckets.
func (h *history) halve() {
	n := len(h.sums) / 2
	for k := range n {
		h.move(k, 2*k)
		a := 2 * (2*k + 1)
		x0, y0, x1, y1 := h.xs[a], h.ys[a], h.xs[a+1], h.ys[a+1]
		h.join(k, x0, y0)
		h.join(k, x1, y1)
		h.sums[k] = h.sums[2*k] + h.sums[2*k+1]
		h.counts[k] = h.counts[2*k] + h.counts[2*k+1]
	}
	h.xs, h.ys, h.sums, h.counts = h.xs[:2*n], h.ys[:2*n], h.sums[:n], h.counts[:n]
	h.per *= 2
}

// move copies the points of bucket from to bucket to.
func (h *history) move(to, from int) {
	copy(h.xs[2*to:2*to+2], h.xs[2*from:2*from+2])
	copy(h.ys[2*to:2*to+2], h.ys[2*from:2*from+2])
}

// clear forgets everything.
func (h *history) clear() {
	h.xs, h.ys, h.sums, h.counts, h.per, h.have = h.xs[:0], h.ys[:0], h.sums[:0], h.counts[:0], 1, 0
}

// mean is the mean of the samples since time from, rounded out to whole buckets.
func (h *history) mean(from float64) (mean float64, n int) {
	sum := 0.0
	for k := range h.sums {
		if h.xs[2*k+1] >= from {
			sum, n = sum+h.sums[k], n+h.counts[k]
		}
	}
	return sum / float64(max(1, n)), n
}
