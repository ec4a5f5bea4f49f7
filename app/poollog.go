package app

import (
	"slices"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/gpu"
)

// The log of a run's pool: each buffer allocated and freed and, if the settings say so, each acquire and release. There may be
// millions: the first get rows of their own, later ones are summed, more and more rarely, and the sums include all of them.

const (
	// PoolLogRows is how many operations of a run are logged one by one.
	PoolLogRows = 20_000
	// PoolLogShown is how many of the newest rows the session keeps.
	PoolLogShown = 500
	// The time between two sums; each is twice as long as the one before.
	logPause, maxLogPause = time.Second, 10 * time.Minute
)

// poolLog is the log of one run. The zero value is ready.
type poolLog struct {
	mu     sync.Mutex
	single int // rows so far
	sums   map[logKind]*bundle.PoolRow
	pause  time.Duration
	next   time.Time
	total  int64            // operations so far
	newest []bundle.PoolRow // at most PoolLogShown
	first  int              // the number of rows before these
}

type logKind struct {
	op   bundle.PoolOp
	size int64
}

func opOf(op gpu.PoolOp) bundle.PoolOp {
	return [...]bundle.PoolOp{
		gpu.BufferAllocated: bundle.PoolAllocated, gpu.BufferFreed: bundle.PoolFreed,
		gpu.LeaseAcquired: bundle.PoolAcquired, gpu.LeaseReleased: bundle.PoolReleased,
	}[op]
}

func rowOf(e *gpu.PoolEntry) bundle.PoolRow {
	return bundle.PoolRow{
		Time: e.First, Until: e.Last, Op: opOf(e.Op), Buffer: e.Buffer, Lease: e.Lease, Count: e.Count,
		Size: int64(e.Size), Requested: int64(e.Requested), Label: e.Label, Case: e.Owner,
	}
}

// add takes entries and returns the rows to write now; all: also the sums that are not due yet.
func (l *poolLog) add(entries []gpu.PoolEntry, now time.Time, all bool) []bundle.PoolRow {
	l.mu.Lock()
	defer l.mu.Unlock()
	var rows []bundle.PoolRow
	for i := range entries {
		row := rowOf(&entries[i])
		l.total += row.Count
		if row.Count == 1 && l.single < PoolLogRows {
			l.single++
			rows = append(rows, row)
			continue
		}
		l.sum(row)
	}
	if len(l.sums) > 0 && (all || !now.Before(l.next)) {
		rows = append(rows, l.due()...)
		l.pause = min(max(2*l.pause, logPause), maxLogPause)
		l.next = now.Add(l.pause)
	}
	l.newest = append(l.newest, rows...)
	if over := len(l.newest) - PoolLogShown; over > 0 {
		l.newest = slices.Delete(l.newest, 0, over)
		l.first += over
	}
	return rows
}

// maxLogKinds is how many operations and sizes are summed separately.
const maxLogKinds = 256

func (l *poolLog) sum(row bundle.PoolRow) {
	kind := logKind{row.Op, row.Size}
	if _, known := l.sums[kind]; !known && len(l.sums) >= maxLogKinds {
		kind.size = 0
	}
	s := l.sums[kind]
	if s == nil {
		if l.sums == nil {
			l.sums = map[logKind]*bundle.PoolRow{}
		}
		l.sums[kind] = &bundle.PoolRow{Time: row.Time, Until: row.Until, Op: kind.op, Size: kind.size, Count: row.Count}
		return
	}
	s.Count += row.Count
	if row.Until.After(s.Until) {
		s.Until = row.Until
	}
}

// due removes and returns the sums, ordered by the time of their first operation.
func (l *poolLog) due() []bundle.PoolRow {
	var rows []bundle.PoolRow
	for _, s := range l.sums {
		rows = append(rows, *s)
	}
	clear(l.sums)
	slices.SortFunc(rows, func(a, b bundle.PoolRow) int { return a.Time.Compare(b.Time) })
	return rows
}

// PoolLog is the newest part of what a run's pool did.
type PoolLog struct {
	RunID string
	Total int64            // operations logged so far
	Rows  []bundle.PoolRow // at most PoolLogShown, the oldest first
	First int              // the number of rows before these
	Dir   string           // of the bundle, which has more in pool.csv; empty: there is none
}

// Log returns the log of the run in progress, or of the last one; false before the first.
func (p *Pool) Log() (PoolLog, bool) {
	s := p.session
	s.mu.Lock()
	l := s.poolLog
	s.mu.Unlock()
	if l == nil {
		return PoolLog{}, false
	}
	l.log.mu.Lock()
	defer l.log.mu.Unlock()
	return PoolLog{RunID: l.runID, Dir: l.dir, Total: l.log.total, First: l.log.first, Rows: slices.Clone(l.log.newest)}, true
}

// runLog is the log of a run, which the session keeps until the next one.
type runLog struct {
	runID, dir string
	log        poolLog
}

// takePoolLog records what the pool did since the last time.
func (a *activeRun) takePoolLog(all bool) {
	a.keep(a.bundle.PoolLog(a.poolLog.log.add(a.pool.TakeLog(), time.Now(), all)...))
}
