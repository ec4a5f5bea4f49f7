package ui

import "time"

// When memory is released after something new was drawn: once the window has drawn itself and found the engines, or has drawn
// another page; and once Fyne, which forgets textures a minute after their last use, has forgotten those of what was there before.
const (
	settling   = 4 * time.Second
	forgetting = 100 * time.Second
)

// settler releases memory some time after something new was drawn. A nil one does nothing.
type settler struct {
	drawn     *time.Timer
	forgotten *time.Timer
}

func newSettler(release func()) *settler {
	return &settler{time.AfterFunc(settling, release), time.AfterFunc(forgetting, release)}
}

// again begins to wait from now.
func (s *settler) again() {
	if s != nil {
		s.drawn.Reset(settling)
		s.forgotten.Reset(forgetting)
	}
}

func (s *settler) stop() {
	s.drawn.Stop()
	s.forgotten.Stop()
}
