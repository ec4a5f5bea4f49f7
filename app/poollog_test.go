package app

import (
	"context"
	"fmt"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

// poolRows reads the log of a run's pool.
func poolRows(t *testing.T, run *bundle.Run) (rows []bundle.PoolRow) {
	t.Helper()
	err := run.EachPoolRow(t.Context(), func(r *bundle.PoolRow) error { rows = append(rows, *r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRunLogsItsPool(t *testing.T) {
	for _, leases := range []bool{false, true} {
		s := pooled(t, gputest.Script{}, func(env *workloads.Env) error {
			if err := env.Between(context.Background(), "first"); err != nil {
				return err
			}
			return turns(env, 3, 4000)
		})
		if err := set(s, func(p *PoolSettings) { p.LogLeases = leases }); err != nil {
			t.Fatal(err)
		}
		run := runWork(t, s)
		counts := map[bundle.PoolOp]int64{}
		for _, r := range poolRows(t, run) {
			counts[r.Op] += r.Count
			if r.Case != "first" && r.Op == bundle.PoolAcquired || r.Size != 4032 || r.Time.Before(run.Meta.Started) || r.Buffer == 0 {
				t.Errorf("row %+v", r)
			}
		}
		want := map[bundle.PoolOp]int64{bundle.PoolAllocated: 1, bundle.PoolFreed: 1}
		if leases {
			want[bundle.PoolAcquired], want[bundle.PoolReleased] = 3, 3
		}
		if fmt.Sprint(counts) != fmt.Sprint(want) {
			t.Errorf("leases %v: got %v, want %v", leases, counts, want)
		}
		log, ok := s.Pool().Log()
		if !ok || log.RunID != run.Meta.ID || log.Dir != run.Dir || int(log.Total) != len(log.Rows) || len(log.Rows) != len(poolRows(t, run)) {
			t.Errorf("the session has %+v, %v", log, ok)
		}
	}
}

// However much a pool does, the rows become fewer, and their sums stay complete.
func TestPoolLogOfARunIsBounded(t *testing.T) {
	var l poolLog
	now := time.Unix(1000, 0)
	var rows, total int64
	take := func(entries []gpu.PoolEntry, all bool) {
		for _, r := range l.add(entries, now, all) {
			rows++
			total += r.Count
		}
	}
	want := int64(0)
	for range 3600 {
		now = now.Add(time.Second)
		var entries []gpu.PoolEntry
		for i := range 100 {
			entries = append(entries, gpu.PoolEntry{Op: gpu.LeaseAcquired, Size: 16 * (i + 1), Count: 1, First: now, Last: now})
			want++
		}
		entries = append(entries, gpu.PoolEntry{Op: gpu.LeaseReleased, Size: 64, Count: 1000, First: now, Last: now})
		want += 1000
		take(entries, false)
	}
	take(nil, true)
	if total != want || l.total != want {
		t.Errorf("the rows have %d operations, the log %d, want %d", total, l.total, want)
	}
	if rows > PoolLogRows+5000 {
		t.Errorf("%d rows in an hour", rows)
	}
	if len(l.newest) != PoolLogShown || int64(l.first+len(l.newest)) != rows {
		t.Errorf("%d of the newest rows after %d, of %d", len(l.newest), l.first, rows)
	}
}
