package gpu

import (
	"cmp"
	"slices"
	"time"
)

// PoolAct is something a pool did that its callers should know about.
type PoolAct uint8

// Acts of a pool.
const (
	PoolEvicted PoolAct = iota // freed cached buffers to make room
	PoolRefused                // refused a request
)

// PoolCause is why a pool acted.
type PoolCause uint8

// Causes of a pool's acts.
const (
	ForCapacity PoolCause = iota // a class may cache no more
	ForBudget                    // the pool may hold no more
	ForDevice                    // the engine has no more
)

// PoolEvent summarizes what a pool did for one cause to buffers of one size.
type PoolEvent struct {
	Act         PoolAct
	Cause       PoolCause
	Size        int    // of each buffer, in bytes; 0: several sizes
	Label       string // of the last request refused
	Count       int64
	Bytes       int64 // evicted, or requested in vain
	First, Last time.Time
}

// maxJournal is how many sizes are summarized separately between two calls of TakeEvents.
const maxJournal = 64

// journal sums up events until they are taken; guarded by Pool.mu.
type journal struct {
	sums map[journalKey]*journalSum
}

type journalKey struct {
	act   PoolAct
	cause PoolCause
	size  int
}

type journalSum struct {
	count, bytes int64
	label        string
	first, last  uint64 // ticks
}

// add records one buffer.
func (j *journal) add(act PoolAct, cause PoolCause, size, bytes int, label string) {
	key := journalKey{act, cause, size}
	s := j.sums[key]
	if s == nil && len(j.sums) >= maxJournal {
		key.size = 0
		s = j.sums[key]
	}
	at := ticks()
	if s == nil {
		if j.sums == nil {
			j.sums = map[journalKey]*journalSum{}
		}
		s = &journalSum{first: at}
		j.sums[key] = s
	}
	s.count++
	s.bytes += int64(bytes)
	s.label, s.last = label, at
}

// TakeEvents returns what the pool did since the last call, summarized by act, cause and size: refusals first, then by size.
// Very many sizes are summarized as one.
func (p *Pool) TakeEvents() []PoolEvent {
	p.mu.Lock()
	sums := p.journal.sums
	p.journal.sums = nil
	p.mu.Unlock()
	if len(sums) == 0 {
		return nil
	}
	c := p.start.until(now())
	events := make([]PoolEvent, 0, len(sums))
	for k, s := range sums {
		events = append(events, PoolEvent{
			Act: k.act, Cause: k.cause, Size: k.size, Label: s.label, Count: s.count, Bytes: s.bytes,
			First: c.time(s.first), Last: c.time(s.last),
		})
	}
	slices.SortFunc(events, func(a, b PoolEvent) int {
		return cmp.Or(cmp.Compare(b.Act, a.Act), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Size, b.Size))
	})
	return events
}

// evicted counts buffers that were taken out of the cache to make room. The caller holds p.mu.
func (p *Pool) evicted(cause PoolCause, victims ...*slot) {
	p.counters.evictions += int64(len(victims))
	for _, s := range victims {
		p.journal.add(PoolEvicted, cause, s.class.size, s.class.size, "")
	}
}
