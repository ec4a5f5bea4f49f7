// Package series keeps time series in bounded memory: columns of values over one clock. The newest samples are kept as
// they came; everything since a beginning is kept as the minimum and the maximum of equal buckets, which double in width
// when there are too many. A spike of one sample is never lost, however long it goes on.
package series

import (
	"math"
	"slices"
)

// Limits bound a Store.
type Limits struct {
	Span    float64 // seconds of which samples are kept one by one …
	Samples int     // … but at most this
	Buckets int     // of all that was since the beginning; at least 2
}

// Store is values by column and time. Times are seconds on the caller's clock, ascending; NaN is not a value. It is for one
// goroutine.
type Store struct {
	limits Limits
	index  map[string]int
	recent []Row
	since  buckets // since the newest beginning
	before buckets // between the beginning before and that
	begun  float64
}

// Row is the values of all columns at one time. What lies behind the end has no value.
type Row struct {
	At     float64
	values []float64
}

// Value is that of a column, NaN where it has none.
func (r *Row) Value(column int) float64 {
	if column < 0 || column >= len(r.values) {
		return math.NaN()
	}
	return r.values[column]
}

// New is an empty store.
func New(l Limits) *Store {
	l.Buckets, l.Samples = max(2, l.Buckets), max(1, l.Samples)
	return &Store{limits: l, index: map[string]int{}}
}

// Column is the number of a column; ok is false where no value of that name was ever added.
func (s *Store) Column(name string) (column int, ok bool) {
	column, ok = s.index[name]
	if !ok {
		return -1, false
	}
	return column, true
}

// Len is how many samples are kept one by one.
func (s *Store) Len() int { return len(s.recent) }

// Size is for how many samples and buckets there is room, used or not.
func (s *Store) Size() (samples, buckets int) {
	return cap(s.recent), max(cap(s.since.list), cap(s.before.list))
}

// First and Last are the times of the oldest and the newest sample that is kept one by one; NaN where there is none.
func (s *Store) First() float64 {
	if len(s.recent) == 0 {
		return math.NaN()
	}
	return s.recent[0].At
}

// Last is the time of the newest sample, NaN where there is none.
func (s *Store) Last() float64 {
	if len(s.recent) == 0 {
		return math.NaN()
	}
	return s.recent[len(s.recent)-1].At
}

// Add adds a sample; each names its values. A sample that is not after the last is left out, and ok is false.
func (s *Store) Add(at float64, each func(set func(name string, value float64))) (ok bool) {
	if n := len(s.recent); n > 0 && !(at > s.recent[n-1].At) {
		return false
	}
	r := Row{At: at, values: slices.Repeat([]float64{math.NaN()}, len(s.index))}
	each(func(name string, value float64) {
		column, known := s.index[name]
		if !known {
			column = len(s.index)
			s.index[name] = column
		}
		for len(r.values) <= column {
			r.values = append(r.values, math.NaN())
		}
		r.values[column] = value
	})
	s.keep(r)
	return true
}

// keep adds a row, and drops the oldest that are too old or too many.
func (s *Store) keep(r Row) {
	old := 0
	for old < len(s.recent) && r.At-s.recent[old].At > s.limits.Span {
		old++
	}
	old = max(old, len(s.recent)+1-s.limits.Samples)
	if old > 0 {
		kept := copy(s.recent, s.recent[old:])
		clear(s.recent[kept:])
		s.recent = s.recent[:kept]
	}
	s.recent = append(s.recent, r)
	s.since.add(&r, s.limits.Buckets)
}

// Begin makes what comes from a time on a stretch of its own: its buckets start again, and those before the beginning
// before are forgotten.
func (s *Store) Begin(at float64) {
	s.before, s.since, s.begun = s.since, buckets{}, at
	for i := range s.recent { // what came with the beginning, and is known already
		if r := &s.recent[i]; r.At >= at {
			s.since.add(r, s.limits.Buckets)
		}
	}
}

// Each calls add with every row after a time, oldest first. Where the samples do not reach back that far, buckets come
// before them: two rows for each, with the extremes of every column in the order in which they came.
func (s *Store) Each(after float64, add func(*Row)) {
	oldest := math.Inf(1)
	if len(s.recent) > 0 {
		oldest = s.recent[0].At
	}
	if after < oldest {
		later := func(r *Row) {
			if r.At > after {
				add(r)
			}
		}
		s.before.each(min(oldest, s.begun), later)
		s.since.each(oldest, later)
	}
	for i := range s.recent {
		if s.recent[i].At > after {
			add(&s.recent[i])
		}
	}
}
