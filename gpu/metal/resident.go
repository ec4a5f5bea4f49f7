//go:build (darwin || metalsim) && cgo

package metal

import (
	"sync"
	"time"
)

const (
	// keepWarm is how often residency is asked for again: systems unwire memory that was idle for about a second.
	keepWarm = 500 * time.Millisecond
	// warmFor is how long after the last submission that goes on.
	warmFor = 30 * time.Second
)

// resident keeps the buffers of an engine wired between command buffers, where the system has residency sets (macOS 15
// and later). A nil resident does nothing: earlier systems have no way to ask for it.
type resident struct {
	mu    sync.Mutex
	set   residencySet
	dirty bool // buffers came since residency was last requested
	held  bool // there were buffers in it
	used  time.Time
	timer *time.Timer // nil: nothing runs
	ended bool
}

// newResident is nil where the system has no residency sets.
func newResident(d device) (*resident, error) {
	set, ok, err := d.newResidencySet("buffers")
	if !ok || err != nil {
		return nil, err
	}
	return &resident{set: set}, nil
}

func (r *resident) attach(q commandQueue) {
	if r == nil {
		return
	}
	r.set.attach(q)
}

func (r *resident) add(m memory) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.set.add(m)
		r.dirty, r.held = true, true
	}
}

// remove lets go of m at once: until its commit a removal is only noted, and the set keeps the memory.
func (r *resident) remove(m memory) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.set.remove(m)
		r.set.commit() // of buffers that are new, too; they stay to be requested
	}
}

// unused reports whether buffers were made resident that no command buffer followed: a system then does not let go of
// them, unless the device does something first (llama.cpp's issue 25937).
func (r *resident) unused() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held && r.used.IsZero()
}

// commit makes the buffers that were added resident.
func (r *resident) commit() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.flush()
	}
}

func (r *resident) flush() {
	if r.dirty {
		r.set.commit()
		r.set.request()
		r.dirty = false
	}
}

// use commits, and keeps the set wired for a while.
func (r *resident) use() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.flush()
	r.used = time.Now()
	if r.timer == nil {
		r.timer = time.AfterFunc(keepWarm, r.tick)
	}
}

func (r *resident) tick() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended || time.Since(r.used) > warmFor {
		r.timer = nil
		return
	}
	r.set.request()
	r.timer.Reset(keepWarm)
}

// close ends residency. Nothing is added or removed after it.
func (r *resident) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.timer != nil {
		r.timer.Stop()
	}
	r.set.commit()
	r.set.release()
}
