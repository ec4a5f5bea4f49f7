package gpu_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"assay/gpu"
)

// beside is one way to acquire and release a buffer, measured in alternation with others.
type beside struct {
	name    string
	threads int
	turn    func()
	against []int // indices of earlier ways; its time is reported as a multiple of theirs
	times   []float64
}

// turnsOf is how many turns are timed together: a tenth of a millisecond, so that most times have no interruption.
const turnsOf = 1000

// time measures the time per turn in nanoseconds, counting all turns of all threads.
func (s *beside) time() float64 {
	begin := time.Now()
	if s.threads == 1 {
		for range turnsOf {
			s.turn()
		}
		return float64(time.Since(begin)) / turnsOf
	}
	var done sync.WaitGroup
	for range s.threads {
		done.Go(func() {
			for range 10 * turnsOf {
				s.turn()
			}
		})
	}
	done.Wait()
	return float64(time.Since(begin)) / float64(10*turnsOf*s.threads)
}

// BenchmarkPoolBeside compares the pool with others in turns, A B … B A, within one run, so that disturbances of the machine
// affect all alike. It reports the lower quartile of the time of a turn (acquire and release), and medians of ratios of
// neighboring times. With two threads, it divides the time in which both ran by the number of all their turns.
func BenchmarkPoolBeside(b *testing.B) {
	plain := benchPool(b, gpu.PoolOptions{Mode: gpu.ModeDirty})
	full, _ := crowded(b)
	logged := benchPool(b, gpu.PoolOptions{Mode: gpu.ModeDirty, Log: gpu.LogLeases})
	turns := 0
	ring := sync.Pool{New: func() any { return new([4096]byte) }}
	var list lockedList
	list.free = append(list.free, new([4096]byte), new([4096]byte))
	of := func(p *gpu.Pool) func() { return func() { turn(b, p, 4096) } }
	all := []*beside{
		{name: "pool", threads: 1, turn: of(plain)},
		{name: "100000-live", threads: 1, turn: of(full), against: []int{0}},
		{name: "sync.Pool", threads: 1, turn: func() { ring.Put(ring.Get()) }},
		{name: "mutex+slice", threads: 1, turn: list.turn},
		{name: "pool-2-threads", threads: 2, turn: of(plain), against: []int{0}},
		{name: "pool-logged", threads: 1, against: []int{0}, turn: func() {
			turn(b, logged, 4096)
			if turns++; turns%1000 == 0 { // there is room for all
				logged.TakeLog()
			}
		}},
		{name: "mutex+slice-2-threads", threads: 2, turn: list.turn, against: []int{3}},
	}
	for b.Loop() {
		for _, s := range all {
			s.times = append(s.times, s.time())
		}
		for _, s := range slices.Backward(all) {
			s.times = append(s.times, s.time())
		}
	}
	for _, s := range all {
		b.ReportMetric(quantile(s.times, 0.25), "ns/"+s.name)
		for _, i := range s.against {
			b.ReportMetric(ratio(s, all[i]), s.name+"/"+all[i].name)
		}
	}
	b.ReportMetric(ratio(all[0], all[2]), "pool/sync.Pool")
	b.ReportMetric(ratio(all[0], all[3]), "pool/mutex+slice")
}

// ratio returns the median of the ratios of times measured in the same round.
func ratio(a, of *beside) float64 {
	var ratios []float64
	for i := range a.times {
		ratios = append(ratios, a.times[i]/of.times[i])
	}
	return quantile(ratios, 0.5)
}

func quantile(values []float64, q float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[int(q*float64(len(values)-1))]
}

// lockedList is the simplest pool.
type lockedList struct {
	mu   sync.Mutex
	free []*[4096]byte
}

func (l *lockedList) turn() {
	l.mu.Lock()
	last := len(l.free) - 1
	x := l.free[last]
	l.free = l.free[:last]
	l.mu.Unlock()
	l.mu.Lock()
	l.free = append(l.free, x)
	l.mu.Unlock()
}
