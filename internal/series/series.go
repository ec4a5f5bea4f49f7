// Package series keeps time series in bounded memory: columns of values over one clock. The newest samples are stored
// individually; older ones, back to the beginning, are stored as the minimum and maximum of equal buckets, which double in
// width when there are too many. A spike of one sample is never lost, however long the series.
package series

import "math"

// Limits bound a Store.
type Limits struct {
	Span    float64 // seconds of individual samples …
	Samples int     // … but at most this
	Buckets int     // for the time before them, since the beginning; at least 2
}

// piece is how many values are allocated at a time. Long-lived data must not be mixed with short-lived garbage: memory is returned to
// the system in whole pages.
const piece = 4096

// Store holds values by column and time. Times are seconds on the caller's clock, ascending; NaN is not a value. It is not safe for
// concurrent use.
type Store struct {
	limits Limits
	index  map[string]int
	recent []Row
	room   []float64 // for the values of the next rows
	since  buckets   // rows since the latest beginning that are no longer recent
	before buckets   // rows between the previous beginning and the latest
	begun  float64   // the latest beginning
	first  float64   // the previous one
}

// Row holds the values of all columns at one time. Columns beyond the end have no value.
type Row struct {
	At     float64
	values []float64
}

// Value returns the value of a column; NaN if it has none.
func (r *Row) Value(column int) float64 {
	if column < 0 || column >= len(r.values) {
		return math.NaN()
	}
	return r.values[column]
}

// New returns an empty store.
func New(l Limits) *Store {
	l.Buckets, l.Samples = max(2, l.Buckets), max(1, l.Samples)
	return &Store{limits: l, index: map[string]int{}, begun: math.Inf(-1), first: math.Inf(-1)}
}

// Column returns the index of a column; ok is false if no value with that name was ever added.
func (s *Store) Column(name string) (column int, ok bool) {
	column, ok = s.index[name]
	if !ok {
		return -1, false
	}
	return column, true
}

// Len returns the number of individual samples.
func (s *Store) Len() int { return len(s.recent) }

// Size returns the capacity in samples and buckets, used or not.
func (s *Store) Size() (samples, buckets int) {
	return cap(s.recent), max(cap(s.since.list), cap(s.before.list))
}

// First and Last return the times of the oldest and the newest individual sample; NaN if there is none.
func (s *Store) First() float64 {
	if len(s.recent) == 0 {
		return math.NaN()
	}
	return s.recent[0].At
}

// Last returns the time of the newest sample; NaN if there is none.
func (s *Store) Last() float64 {
	if len(s.recent) == 0 {
		return math.NaN()
	}
	return s.recent[len(s.recent)-1].At
}

// Add adds a sample; each names its values. A sample that is not after the last is dropped, and ok is false.
func (s *Store) Add(at float64, each func(set func(name string, value float64))) (ok bool) {
	if n := len(s.recent); n > 0 && !(at > s.recent[n-1].At) {
		return false
	}
	r := Row{At: at, values: s.values(len(s.index))}
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

// values returns room for n values, all NaN.
func (s *Store) values(n int) []float64 {
	if len(s.room) < n {
		s.room = make([]float64, max(n, piece))
	}
	out := s.room[:n:n]
	s.room = s.room[n:]
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}

// keep adds a row. Rows that are too old or too many move to the buckets.
func (s *Store) keep(r Row) {
	old := 0
	for old < len(s.recent) && r.At-s.recent[old].At > s.limits.Span {
		old++
	}
	old = max(old, len(s.recent)+1-s.limits.Samples)
	if old > 0 {
		for i := range s.recent[:old] {
			s.retire(&s.recent[i])
		}
		kept := copy(s.recent, s.recent[old:])
		clear(s.recent[kept:])
		s.recent = s.recent[:kept]
	}
	s.recent = append(s.recent, r)
}

// retire adds a row to the buckets of its interval, if they are still kept.
func (s *Store) retire(r *Row) {
	switch {
	case r.At >= s.begun:
		s.since.add(r, s.limits.Buckets)
	case r.At >= s.first:
		s.before.add(r, s.limits.Buckets)
	}
}

// Begin starts a new interval at a time with new buckets, and drops the buckets from before the previous beginning.
func (s *Store) Begin(at float64) {
	s.before, s.since = s.since, buckets{}
	s.first, s.begun = s.begun, at
}

// Each calls add with every row after a time, oldest first. If the samples do not reach back that far, buckets come first: two rows
// for each, with the extremes of every column in order of time.
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
