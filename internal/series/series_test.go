package series

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// sample is a sample that a test adds to a store and remembers.
type sample struct{ at, a, b float64 }

func (x sample) add(s *Store) bool {
	return s.Add(x.at, func(set func(string, float64)) {
		set("a", x.a)
		if !math.IsNaN(x.b) {
			set("b", x.b)
		}
	})
}

// random returns samples with gaps, spikes and uneven intervals.
func random(r *rand.Rand, n int) []sample {
	out, at := make([]sample, n), r.Float64()*100
	for i := range out {
		at += 0.05 + r.ExpFloat64()
		x := sample{at, r.NormFloat64(), r.Float64()}
		if r.IntN(50) == 0 {
			x.a *= 1000
		}
		if r.IntN(3) == 0 {
			x.b = math.NaN()
		}
		out[i] = x
	}
	return out
}

// extremesOf returns the minimum and the maximum of rows.
func extremesOf(s *Store, name string, after float64) (lo, hi float64, n int) {
	lo, hi = math.Inf(1), math.Inf(-1)
	column, _ := s.Column(name)
	s.Each(after, func(r *Row) {
		if v := r.Value(column); !math.IsNaN(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
		n++
	})
	return lo, hi, n
}

// The stored samples have the same extremes as all added ones, however many; times ascend, and memory is bounded.
func TestExtremesEqualBruteForce(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		limits := Limits{Span: 20 + 200*r.Float64(), Samples: 5 + r.IntN(100), Buckets: 2 + r.IntN(40)}
		s := New(limits)
		lo, hi := map[string]float64{}, map[string]float64{}
		for i, x := range random(r, 1+r.IntN(3000)) {
			if !x.add(s) {
				t.Fatalf("seed %d: sample %d at %g was left out", seed, i, x.at)
			}
			for name, v := range map[string]float64{"a": x.a, "b": x.b} {
				if l, ok := lo[name]; !math.IsNaN(v) && (!ok || v < l) {
					lo[name] = v
				}
				if h, ok := hi[name]; !math.IsNaN(v) && (!ok || v > h) {
					hi[name] = v
				}
			}
			if s.Len() > limits.Samples || len(s.since.list) > limits.Buckets {
				t.Fatalf("seed %d: %d samples and %d buckets are kept, limits %+v", seed, s.Len(), len(s.since.list), limits)
			}
		}
		for _, name := range []string{"a", "b"} {
			gotLo, gotHi, _ := joined(s, name)
			if want, ok := lo[name]; ok && (gotLo != want || gotHi != hi[name]) {
				t.Errorf("seed %d: %s is from %g to %g, want %g to %g", seed, name, gotLo, gotHi, want, hi[name])
			}
		}
		last := math.Inf(-1)
		s.Each(math.Inf(-1), func(r *Row) {
			if r.At <= last {
				t.Fatalf("seed %d: %g s comes after %g s", seed, r.At, last)
			}
			last = r.At
		})
	}
}

// joined returns the extremes of all buckets and samples: the newest bucket is not returned until it is full.
func joined(s *Store, name string) (lo, hi float64, n int) {
	lo, hi, n = extremesOf(s, name, math.Inf(-1))
	column, _ := s.Column(name)
	for _, k := range s.since.list {
		if column >= 0 && column < len(k.columns) && !math.IsNaN(k.columns[column].lo) {
			lo, hi = min(lo, k.columns[column].lo), max(hi, k.columns[column].hi)
		}
	}
	return lo, hi, n
}

// Any window of whole buckets and samples has the extremes of the samples added in it; what is kept as a sample is in no bucket.
func TestWindowsEqualBruteForce(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := New(Limits{Span: math.Inf(1), Samples: 50, Buckets: 2 + r.IntN(30)})
		all := random(r, 200+r.IntN(2000))
		for _, x := range all {
			x.add(s)
		}
		for i := range s.since.list {
			k := &s.since.list[i]
			from, to := s.since.start+float64(k.slot)*s.since.width, s.since.start+float64(k.slot+1)*s.since.width
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, x := range all {
				if x.at >= from && x.at < to && x.at < s.First() {
					lo, hi = min(lo, x.a), max(hi, x.a)
				}
			}
			column, _ := s.Column("a")
			if e := k.columns[column]; e.lo != lo || e.hi != hi {
				t.Fatalf("seed %d: bucket %d is %+v, want %g to %g", seed, i, e, lo, hi)
			}
		}
		after := s.First() + (s.Last()-s.First())*r.Float64()
		lo, hi, n := extremesOf(s, "a", after)
		wantLo, wantHi, want := math.Inf(1), math.Inf(-1), 0
		for _, x := range all {
			if x.at > after {
				wantLo, wantHi, want = min(wantLo, x.a), max(wantHi, x.a), want+1
			}
		}
		if lo != wantLo || hi != wantHi || n != want {
			t.Fatalf("seed %d: %d samples from %g to %g after %g, want %d from %g to %g", seed, n, lo, hi, after, want, wantLo, wantHi)
		}
	}
}

func TestBucketsKeepTheOrderOfExtremes(t *testing.T) {
	const limit = 1024
	var b buckets
	for i := range 4 * limit { // falls within each bucket of four, and jumps back
		b.add(&Row{float64(i), []float64{float64(10 - i%4)}}, limit)
	}
	var got []float64
	b.each(40, func(r *Row) { got = append(got, r.Value(0)) })
	for i, v := range got {
		if want := []float64{10, 7}[i%2]; v != want {
			t.Fatalf("extreme %d is %v, want %v of %v", i, v, want, got)
		}
	}
	if len(got) != 20 {
		t.Errorf("%d extremes in 40 s of buckets of 4 s", len(got))
	}
}

func TestBeginKeepsOneStretchBefore(t *testing.T) {
	s := New(Limits{Span: 10, Samples: 100, Buckets: 8})
	add := func(from, to int, v float64) {
		for i := from; i < to; i++ {
			sample{float64(i), v, math.NaN()}.add(s)
		}
	}
	add(0, 100, 1)
	s.Begin(100)
	add(100, 200, 2)
	if lo, _, _ := extremesOf(s, "a", math.Inf(-1)); lo != 1 {
		t.Error("the stretch before is gone")
	}
	s.Begin(200)
	add(200, 300, 3)
	if lo, hi, _ := extremesOf(s, "a", math.Inf(-1)); lo != 2 || hi != 3 {
		t.Errorf("from %g to %g, want the last two stretches", lo, hi)
	}
}

func TestStoreLeavesOutWhatComesTooLate(t *testing.T) {
	s := New(Limits{Span: 10, Samples: 10, Buckets: 4})
	if _, ok := s.Column("a"); ok || !math.IsNaN(s.First()) || !math.IsNaN(s.Last()) {
		t.Error("an empty store has something")
	}
	for _, x := range []sample{{1, 1, math.NaN()}, {3, 3, 3}, {2, 9, 9}, {3, 9, 9}, {math.NaN(), 9, 9}} {
		if ok := x.add(s); ok != (x.a != 9) {
			t.Errorf("sample at %g: %v", x.at, ok)
		}
	}
	if lo, hi, n := extremesOf(s, "a", math.Inf(-1)); n != 2 || lo != 1 || hi != 3 {
		t.Errorf("%d samples from %g to %g", n, lo, hi)
	}
	if s.First() != 1 || s.Last() != 3 {
		t.Errorf("from %g to %g", s.First(), s.Last())
	}
}

func TestSpans(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	var s Spans
	s.End(at(1)) // nothing is open
	for i := range 3 * maxListed {
		s.Append(Span{From: at(i)})
		if !s.Open() {
			t.Fatal("a new span is over")
		}
		s.End(at(i - 1)) // a clock that was set back
	}
	if len(s) != maxListed || !s[0].From.Equal(at(2*maxListed)) {
		t.Errorf("%d spans from %v", len(s), s[0].From)
	}
	for i, span := range s {
		if span.To.Before(span.From) || i > 0 && span.Odd == s[i-1].Odd {
			t.Fatalf("span %d is %+v", i, span)
		}
	}
}

func TestThinnerKeepsEvenly(t *testing.T) {
	const limit = 8
	for _, c := range []struct{ n, every int }{{0, 1}, {1, 1}, {limit, 1}, {limit + 1, 2}, {2 * limit, 2}, {2*limit + 1, 4}, {5 * limit, 8}} {
		var th Thinner[int]
		for i := range c.n {
			th.Add(i, limit)
		}
		if th.Every() != c.every || len(th.Kept) > limit || len(th.Kept) != (c.n+c.every-1)/c.every {
			t.Errorf("of %d: %v, one of %d", c.n, th.Kept, th.Every())
		}
		for i, v := range th.Kept {
			if v != i*c.every {
				t.Fatalf("of %d: %v", c.n, th.Kept)
			}
		}
	}
}
