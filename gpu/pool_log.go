package gpu

import (
	"cmp"
	"slices"
	"time"
)

// PoolLog is what a pool logs for TakeLog.
type PoolLog uint8

// Logs of a pool.
const (
	LogNothing PoolLog = iota
	LogBuffers         // buffers allocated and freed
	LogLeases          // also each acquire and release
)

// PoolOp is what happened to a buffer of a pool.
type PoolOp uint8

// Operations of a pool.
const (
	BufferAllocated PoolOp = iota // by the engine
	BufferFreed                   // returned to the engine
	LeaseAcquired
	LeaseReleased
)

// PoolEntry is an entry of a pool's log: one operation, or the sum of those of one kind and size for which there was no room.
type PoolEntry struct {
	Op          PoolOp
	Buffer      uint64 // unique in the pool; 0: a sum
	Lease       uint64 // of an acquire or a release; LiveLease.ID
	Size        int    // of each buffer, in bytes; 0: several sizes
	Requested   int    // bytes, of an acquire or an allocation for one; 0: not known
	Label       string
	Owner       string // the last that Own named; empty: none
	Count       int64  // 1, or how many were summed
	First, Last time.Time
}

// maxLog is how many operations are kept individually between two calls of TakeLog.
const maxLog = 4096

// poolLog keeps operations until they are taken; guarded by Pool.mu.
type poolLog struct {
	buffers, leases bool // what is logged
	number          uint64
	entries         []logEntry
	spare           []logEntry // room of entries already taken
	sums            map[logKey]*logSum
}

type logEntry struct {
	op              PoolOp
	buffer, lease   uint64
	size, requested int
	label, owner    string
	at              uint64 // ticks
}

type logKey struct {
	op   PoolOp
	size int
}

type logSum struct {
	count       int64
	first, last uint64
}

func (l *poolLog) set(to PoolLog) { l.buffers, l.leases = to >= LogBuffers, to >= LogLeases }

// log logs an operation on a slot at a count of the processor. The caller holds p.mu and has checked that it is logged.
func (p *Pool) log(op PoolOp, s *slot, at uint64) {
	l := &p.logged
	if len(l.entries) >= maxLog {
		l.sum(op, s.class.size, at)
		return
	}
	e := logEntry{op: op, buffer: s.number, size: s.class.size, label: s.label, at: at}
	if n := len(p.marks); n > 0 {
		e.owner = p.marks[n-1].owner
	}
	if op != BufferFreed {
		e.lease, e.requested = s.id, s.requested
	}
	l.entries = append(l.entries, e)
}

func (l *poolLog) sum(op PoolOp, size int, at uint64) {
	key := logKey{op, size}
	s := l.sums[key]
	if s == nil && len(l.sums) >= maxJournal {
		key.size = 0
		s = l.sums[key]
	}
	if s == nil {
		if l.sums == nil {
			l.sums = map[logKey]*logSum{}
		}
		s = &logSum{first: at}
		l.sums[key] = s
	}
	s.count++
	s.last = at
}

// created numbers a new buffer and logs its allocation. The caller holds p.mu.
func (p *Pool) created(s *slot, bytes int, label string) {
	p.counters.creates++
	p.logged.number++
	s.number, s.requested, s.label = p.logged.number, bytes, label
	if p.logged.buffers {
		p.log(BufferAllocated, s, ticks())
	}
}

// freed counts a buffer that is returned to the engine, and logs it. The caller holds p.mu.
func (p *Pool) freed(s *slot) {
	p.counters.frees++
	if p.logged.buffers {
		p.log(BufferFreed, s, ticks())
	}
}

// SetLog sets what is logged from now on.
func (p *Pool) SetLog(to PoolLog) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logged.set(to)
}

// TakeLog returns the log since the last call: operations in the order in which they happened, then the sums.
func (p *Pool) TakeLog() []PoolEntry {
	p.mu.Lock()
	l := &p.logged
	entries, sums := l.entries, l.sums
	l.entries, l.spare, l.sums = l.spare[:0], nil, nil
	p.mu.Unlock()
	if len(entries)+len(sums) == 0 {
		p.giveBack(entries)
		return nil
	}
	c := p.start.until(now())
	out := make([]PoolEntry, 0, len(entries)+len(sums))
	for i := range entries {
		e := &entries[i]
		at := c.time(e.at)
		out = append(out, PoolEntry{
			Op: e.op, Buffer: e.buffer, Lease: e.lease, Size: e.size, Requested: e.requested, Label: e.label, Owner: e.owner,
			Count: 1, First: at, Last: at,
		})
	}
	p.giveBack(entries)
	summed := len(out)
	for k, s := range sums {
		out = append(out, PoolEntry{Op: k.op, Size: k.size, Count: s.count, First: c.time(s.first), Last: c.time(s.last)})
	}
	slices.SortFunc(out[summed:], func(a, b PoolEntry) int { return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Size, b.Size)) })
	return out
}

// giveBack keeps the room of entries for reuse.
func (p *Pool) giveBack(entries []logEntry) {
	clear(entries) // their texts are no longer needed
	p.mu.Lock()
	p.logged.spare = entries[:0]
	p.mu.Unlock()
}
