package ui

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// When memory is released after something new was drawn: once the window has drawn itself and found the engines, or has drawn
// another page; and once Fyne has forgotten the previous textures (see ui/fyneenv). From then
// on, what readings leave behind is released at the same interval: at rest little is allocated, and the heap would grow for
// minutes before a collection.
const (
	settling   = 4 * time.Second
	forgetting = 100 * time.Second
)

// How much Go's heap may grow before a collection, in percent of what is in use: the default, and the value at rest, where
// garbage of readings would otherwise be kept for half a minute, 20 MB of it.
const (
	workPercent = 100
	restPercent = 25
)

// growHeap sets that percentage, unless the user has chosen it.
func growHeap(percent int) {
	if _, chosen := os.LookupEnv("GOGC"); !chosen {
		debug.SetGCPercent(percent)
	}
}

// settler releases memory some time after something new was drawn. A nil settler does nothing.
type settler struct {
	release func() bool       // false: a measurement is in progress, and nothing was released
	heap    func(percent int) // growHeap

	mu        sync.Mutex
	drawn     *time.Timer
	forgotten *time.Timer
	stopped   bool
}

func newSettler(release func() bool, heap func(percent int)) *settler {
	s := &settler{release: release, heap: heap}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn, s.forgotten = time.AfterFunc(settling, s.releases), time.AfterFunc(forgetting, s.rest)
	return s
}

// releases releases memory and keeps the heap small from now on.
func (s *settler) releases() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped && s.release() {
		s.heap(restPercent)
	}
}

// work lets the heap grow: a measurement is about to begin, which collections would disturb.
func (s *settler) work() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heap(workPercent)
}

// rest releases memory, and will do so again.
func (s *settler) rest() {
	s.releases()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.forgotten.Reset(forgetting)
	}
}

// again restarts the wait.
func (s *settler) again() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.drawn.Reset(settling)
		s.forgotten.Reset(forgetting)
	}
}

func (s *settler) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.drawn.Stop()
	s.forgotten.Stop()
}
