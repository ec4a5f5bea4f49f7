package bundle

import (
	"errors"
	"os"
	"sync"
	"time"
)

// syncEvery is the span of the logs that a power failure may lose outside timed regions.
const syncEvery = 5 * time.Second

// flusher syncs the logs of a bundle to disk in its own goroutine: not in timed regions, and never in a tick's
// goroutine. Lines reach the system with each append, so a killed process loses none.
type flusher struct {
	mu      sync.Mutex
	idle    sync.Cond // running has become false
	fsync   func(*os.File) error
	logs    []*log
	due     time.Time // deadline of the oldest line not yet on disk; zero: all are
	timer   *time.Timer
	timed   bool
	running bool
	closed  bool
	err     error // of the last flush, not yet returned
}

func newFlusher(logs ...*log) *flusher {
	f := &flusher{fsync: (*os.File).Sync, logs: logs}
	f.idle.L = &f.mu
	return f
}

// request syncs the appended lines to disk within the given time, or after the timed region. It returns the error of the
// last flush.
func (f *flusher) request(within time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if due := time.Now().Add(within); !f.closed && (f.due.IsZero() || due.Before(f.due)) {
		f.due = due
		f.schedule()
	}
	err := f.err
	f.err = nil
	return err
}

// setTimed marks the beginning or end of a timed region. A region begins after any flush in progress.
func (f *flusher) setTimed(on bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.timed == on {
		return
	}
	f.timed = on
	for on && f.running {
		f.idle.Wait()
	}
	f.schedule()
}

// schedule sets the timer for the next flush, if one is due; the caller holds mu.
func (f *flusher) schedule() {
	if f.timer != nil {
		f.timer.Stop()
	}
	if f.timed || f.running || f.closed || f.due.IsZero() {
		return
	}
	f.timer = time.AfterFunc(time.Until(f.due), f.flush)
}

// flush syncs the logs.
func (f *flusher) flush() {
	f.mu.Lock()
	if f.timed || f.running || f.closed || f.due.IsZero() {
		f.mu.Unlock()
		return
	}
	f.running, f.due = true, time.Time{}
	f.mu.Unlock()
	var err error
	for _, l := range f.logs {
		if l.file != nil {
			err = errors.Join(err, writeError(l.path, 0, f.fsync(l.file)))
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running, f.err = false, errors.Join(f.err, err)
	f.idle.Broadcast()
	f.schedule()
}

// close ends flushing, waits for a flush in progress, and returns its error.
func (f *flusher) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.schedule()
	for f.running {
		f.idle.Wait()
	}
	return f.err
}
