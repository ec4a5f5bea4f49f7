package series

import (
	"math"
	"slices"
)

// buckets are equal intervals over a long time, each with the extremes of every column. When there are too many, neighbors are merged:
// an hour takes as much memory as a minute.
type buckets struct {
	list  []bucket
	width float64 // of each, in seconds
	start float64 // of the first
}

type bucket struct {
	slot    int // its index, from start
	columns []extremes
}

// extremes are the minimum and the maximum of a column; both are NaN if it had no value.
type extremes struct {
	lo, hi float64
	fell   bool // the maximum came first
}

// add adds the next row.
func (b *buckets) add(r *Row, limit int) {
	if len(b.list) == 0 {
		b.width, b.start = 1, r.At
	}
	slot := int((r.At - b.start) / b.width)
	if n := len(b.list); n > 0 && b.list[n-1].slot == slot {
		b.list[n-1].addRow(r)
		return
	}
	if len(b.list) >= limit {
		b.halve()
		b.add(r, limit)
		return
	}
	next := bucket{slot: slot}
	next.addRow(r)
	b.list = append(b.list, next)
}

// halve doubles the width of the buckets.
func (b *buckets) halve() {
	b.width *= 2
	kept := b.list[:0]
	for _, k := range b.list {
		k.slot /= 2
		if n := len(kept); n > 0 && kept[n-1].slot == k.slot {
			kept[n-1].join(&k)
			continue
		}
		kept = append(kept, k)
	}
	clear(b.list[len(kept):])
	b.list = kept
}

func (k *bucket) addRow(r *Row) {
	k.grow(len(r.values))
	for i, v := range r.values {
		k.columns[i].add(extremes{lo: v, hi: v})
	}
}

// join merges a later bucket.
func (k *bucket) join(later *bucket) {
	k.grow(len(later.columns))
	for i := range later.columns {
		k.columns[i].add(later.columns[i])
	}
}

// grow ensures at least that many columns.
func (k *bucket) grow(columns int) {
	k.columns = slices.Grow(k.columns, max(0, columns-len(k.columns)))
	for len(k.columns) < columns {
		k.columns = append(k.columns, extremes{lo: math.NaN(), hi: math.NaN()})
	}
}

// add extends the extremes by later ones.
func (e *extremes) add(later extremes) {
	lower, higher := later.lo < e.lo, later.hi > e.hi
	switch {
	case math.IsNaN(later.lo):
	case math.IsNaN(e.lo), lower && higher:
		*e = later
	case lower:
		e.lo, e.fell = later.lo, true
	case higher:
		e.hi, e.fell = later.hi, false
	}
}

// each calls add with two rows for each bucket that ends before a time.
func (b *buckets) each(end float64, add func(*Row)) {
	for i := range b.list {
		k := &b.list[i]
		from := b.start + float64(k.slot)*b.width
		if from+b.width > end {
			return
		}
		first := Row{At: from + b.width/4, values: make([]float64, len(k.columns))}
		second := Row{At: from + b.width*3/4, values: make([]float64, len(k.columns))}
		for c, e := range k.columns {
			first.values[c], second.values[c] = e.lo, e.hi
			if e.fell {
				first.values[c], second.values[c] = e.hi, e.lo
			}
		}
		add(&first)
		add(&second)
	}
}
