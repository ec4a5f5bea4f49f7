//go:build (darwin || metalsim) && cgo

package metal

import (
	"sync"
	"time"
)

const (
	// keepWarm is the interval at which residency is requested again: systems unwire memory that was idle for about a second.
	keepWarm = 500 * time.Millisecond
	// warmFor is how long residency is requested after the last submission.
	warmFor = 30 * time.Second
)

// resident keeps the buffers of an engine wired between command buffers, where the system has residency sets (macOS 15
// and later). A nil resident does nothing; earlier systems have no such API.
type resident struct {
	mu    sync.Mutex
	set   residencySet
	dirty bool // buffers were added since residency was last requested
	held  bool // it has had buffers
	used  time.Time
	timer *time.Timer // nil: not running
	ended bool
}

// newResident returns nil if the system has no residency sets.
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

// remove removes m and commits at once: until the commit the set keeps the memory.
func (r *resident) remove(m memory) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.set.remove(m)
		r.set.commit() // also commits new buffers, for which residency is still to be requested
	}
}

// unused reports whether buffers were made resident and no command buffer followed. The system then does not release them
// until the device has done some work (llama.cpp issue 25937).
func (r *resident) unused() bool {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held && r.used.IsZero()
}

// commit requests residency for the buffers that were added.
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

// use commits and keeps the set wired for a while.
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

// close ends residency. No buffer is added or removed after it.
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
