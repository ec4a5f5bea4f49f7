package ui

import (
	"sync"
	"time"
)

// When memory is released after something new was drawn: once the window has drawn itself and found the engines, or has drawn
// another page; and once Fyne, which forgets textures a minute after their last use, has forgotten those of what was there before. From then
// on what readings leave behind is released as often: at rest little is allocated, and the heap would grow for minutes before it is collected.
const (
	settling   = 4 * time.Second
	forgetting = 100 * time.Second
)

// settler releases memory some time after something new was drawn. A nil one does nothing.
type settler struct {
	release func()

	mu        sync.Mutex
	drawn     *time.Timer
	forgotten *time.Timer
	stopped   bool
}

func newSettler(release func()) *settler {
	s := &settler{release: release, drawn: time.AfterFunc(settling, release)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten = time.AfterFunc(forgetting, s.rest)
	return s
}

// rest releases, and will again.
func (s *settler) rest() {
	s.release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.forgotten.Reset(forgetting)
	}
}

// again begins to wait from now.
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
