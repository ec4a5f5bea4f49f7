package monitor

import (
	"slices"
	"time"

	"assay/internal/alike"
)

// Packed is a snapshot stored in a small fraction of the memory: it shares the content of its readings with earlier ones, except for values that differ.
type Packed struct {
	at   time.Time
	cost time.Duration
	like []*Reading      // shared as a whole if nothing else has changed, and otherwise one by one
	row  alike.Row       // the values, stored against those of like
	late []time.Duration // nil: none was late
}

// Pack packs a snapshot that follows earlier ones.
func Pack(s *Snapshot, before []Packed) Packed {
	p := Packed{at: s.Time, cost: s.Cost, like: shared(s.Readings, before)}
	values := make([]float64, len(s.Readings))
	for i := range s.Readings {
		r := &s.Readings[i]
		values[i] = r.Value
		if r.Late != 0 && p.late == nil {
			p.late = make([]time.Duration, len(s.Readings))
		}
		if p.late != nil {
			p.late[i] = r.Late
		}
	}
	var last alike.Row
	if n := len(before); n > 0 {
		last = before[n-1].row
	}
	p.row = alike.Pack(values, p.values(), last)
	return p
}

// values returns the values of the readings that the snapshot shares.
func (p *Packed) values() []float64 {
	out := make([]float64, len(p.like))
	for i, r := range p.like {
		out[i] = r.Value
	}
	return out
}

// lookBack is how many snapshots are searched for one with the same content: the set of readings changes with each run, and back.
const lookBack = 60

// lookBackOne is how many of these are searched for a single reading with the same content.
const lookBackOne = 8

// shared returns the content of the readings, apart from their values, from the newest snapshot with the same content. On a busy
// machine sources are late, and snapshots are only partly the same.
func shared(readings []Reading, before []Packed) []*Reading {
	recent := recentLikes(before)
	for _, like := range recent {
		if slices.EqualFunc(like, readings, func(a *Reading, b Reading) bool { return sameButValue(a, &b) }) {
			return like
		}
	}
	out := make([]*Reading, len(readings))
	for i := range readings {
		out[i] = sharedOne(&readings[i], i, recent[:min(len(recent), lookBackOne)])
	}
	return out
}

// recentLikes returns the contents of the newest snapshots, each once, newest first.
func recentLikes(before []Packed) (recent [][]*Reading) {
	for i := len(before) - 1; i >= max(0, len(before)-lookBack); i-- {
		like := before[i].like
		if n := len(recent); len(like) > 0 && (n == 0 || &recent[n-1][0] != &like[0]) {
			recent = append(recent, like)
		}
	}
	return recent
}

// sharedOne returns a reading with the same content as r, which is at place i: usually it was there before.
func sharedOne(r *Reading, i int, recent [][]*Reading) *Reading {
	for _, like := range recent {
		if i < len(like) && sameButValue(like[i], r) {
			return like[i]
		}
		for _, one := range like {
			if one.Metric == r.Metric && sameButValue(one, r) {
				return one
			}
		}
	}
	one := *r
	return &one
}

// sameButValue reports whether two readings differ in value and lateness at most.
func sameButValue(a, b *Reading) bool {
	x, y := *a, *b
	x.Value, x.Late, y.Value, y.Late = 0, 0, 0, 0
	return x == y
}

// Unpack returns the snapshot.
func (p *Packed) Unpack() Snapshot {
	s := Snapshot{Time: p.at, Cost: p.cost}
	if len(p.like) > 0 {
		s.Readings = make([]Reading, len(p.like))
	}
	values := p.row.Unpack(p.values())
	for i := range s.Readings {
		r := &s.Readings[i]
		*r = *p.like[i]
		r.Value, r.Late = values[i], 0
		if p.late != nil {
			r.Late = p.late[i]
		}
	}
	return s
}

// UnpackAll unpacks all snapshots, in order.
func UnpackAll(all []Packed) []Snapshot {
	var out []Snapshot
	for i := range all {
		out = append(out, all[i].Unpack())
	}
	return out
}
