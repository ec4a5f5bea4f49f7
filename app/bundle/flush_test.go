package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"assay/app/internal/runstest"
	"assay/monitor"
)

// flushed is a bundle whose syncs are counted.
func flushed(t *testing.T) (b *Bundle, syncs func() int64) {
	t.Helper()
	b, err := Create(t.TempDir(), plainMeta0(), nil)
	runstest.Check(t, err)
	var n atomic.Int64
	b.flusher.fsync = func(f *os.File) error {
		n.Add(1)
		return f.Sync()
	}
	return b, n.Load
}

func tick(t *testing.T, b *Bundle) {
	t.Helper()
	s := runstest.Snapshot()
	s.Time = time.Now()
	runstest.Check(t, b.Snapshot(s))
}

// In a timed region neither ticks nor alerts sync to disk; afterward all are synced within syncEvery.
func TestTimedRegionsAreNotDisturbedBySyncs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, syncs := flushed(t)
		b.Timed(true)
		for range 60 {
			tick(t, b)
			runstest.Check(t, b.Event(Event{Kind: "alert", Title: "hot"}))
			time.Sleep(time.Second)
		}
		if n := syncs(); n != 0 {
			t.Errorf("%d files were written through while something was timed", n)
		}
		b.Timed(false)
		time.Sleep(time.Millisecond)
		if n := syncs(); n != 2 {
			t.Errorf("%d files were written through after it, want monitor.csv and events.jsonl", n)
		}
		for range 10 { // nothing is timed: every few seconds
			tick(t, b)
			time.Sleep(time.Second)
		}
		if n := syncs(); n < 2+2 || n > 2+2*3 {
			t.Errorf("%d files were written through in ten seconds", n-2)
		}
		runstest.Check(t, b.Finish(Finished, nil))
	})
}

// A slow disk delays no tick, and a timed region begins when the sync is done.
func TestSlowDiskDelaysNoTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := flushed(t)
		block := make(chan bool)
		b.flusher.fsync = func(*os.File) error { <-block; return nil }
		tick(t, b)
		time.Sleep(2 * syncEvery) // the flush has begun
		begin := time.Now()
		for range 100 {
			tick(t, b)
		}
		if elapsed := time.Since(begin); elapsed != 0 {
			t.Errorf("ticks waited %v for the disk", elapsed)
		}
		var timed atomic.Bool
		go func() { b.Timed(true); timed.Store(true) }()
		synctest.Wait()
		if timed.Load() {
			t.Error("a timed region began while the disk was busy")
		}
		close(block)
		synctest.Wait()
		if !timed.Load() {
			t.Error("the timed region did not begin")
		}
		runstest.Check(t, b.Finish(Finished, nil))
	})
}

// An error of the disk is returned by the next write, or by Finish.
func TestFlushErrorsAreReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := flushed(t)
		b.flusher.fsync = func(*os.File) error { return syscall.EIO }
		tick(t, b)
		time.Sleep(2 * syncEvery)
		err := b.Snapshot(monitor.Snapshot{Time: time.Now()})
		if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), filepath.Join(b.Dir(), monitorFile)) {
			t.Errorf("the next tick got %v", err)
		}
		runstest.Check(t, b.Event(Event{Kind: "note"})) // reported once
		time.Sleep(syncEvery)
		if err := b.Finish(Finished, nil); !errors.Is(err, syscall.EIO) {
			t.Errorf("Finish got %v", err)
		}
	})
}
