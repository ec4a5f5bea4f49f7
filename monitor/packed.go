package monitor

import (
	"slices"
	"time"
)

// Packed is a snapshot in a tenth of the memory: what its readings say besides their values is shared with those before it.
type Packed struct {
	at     time.Time
	cost   time.Duration
	like   []Reading
	values []float64
	late   []time.Duration // nil: none was
}

// Pack packs a snapshot that follows others.
func Pack(s *Snapshot, before []Packed) Packed {
	p := Packed{at: s.Time, cost: s.Cost, values: make([]float64, len(s.Readings)), like: shared(s.Readings, before)}
	for i := range s.Readings {
		r := &s.Readings[i]
		p.values[i] = r.Value
		if r.Late != 0 && p.late == nil {
			p.late = make([]time.Duration, len(s.Readings))
		}
		if p.late != nil {
			p.late[i] = r.Late
		}
	}
	return p
}

// lookBack is how many snapshots are searched for one that says the same: what is read changes with each run, and back.
const lookBack = 60

// shared is what the readings say besides their values, of the newest that says the same.
func shared(readings []Reading, before []Packed) []Reading {
	var last *Reading // of the ones compared
	for i := len(before) - 1; i >= max(0, len(before)-lookBack); i-- {
		like := before[i].like
		if len(like) == 0 || len(like) != len(readings) || &like[0] == last {
			continue
		}
		if last = &like[0]; slices.EqualFunc(like, readings, sameButValue) {
			return like
		}
	}
	return slices.Clone(readings)
}

// sameButValue reports whether two readings differ in value and lateness at most.
func sameButValue(a, b Reading) bool {
	a.Value, a.Late, b.Value, b.Late = 0, 0, 0, 0
	return a == b
}

// Unpack is the snapshot.
func (p *Packed) Unpack() Snapshot {
	s := Snapshot{Time: p.at, Cost: p.cost, Readings: slices.Clone(p.like)}
	for i := range s.Readings {
		r := &s.Readings[i]
		r.Value, r.Late = p.values[i], 0
		if p.late != nil {
			r.Late = p.late[i]
		}
	}
	return s
}

// UnpackAll unpacks all, in their order.
func UnpackAll(all []Packed) []Snapshot {
	var out []Snapshot
	for i := range all {
		out = append(out, all[i].Unpack())
	}
	return out
}
