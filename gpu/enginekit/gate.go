package enginekit

import (
	"sync"
	"time"
)

// Gate counts the calls that use a device, so that it is freed after the last of them. The zero Gate is ready for use.
type Gate struct {
	mu   sync.Mutex
	uses int
	idle chan struct{} // closed when uses becomes 0; nil: no call of Wait
	last func()        // called by the last Leave; nil: nothing
}

// Enter begins a call; Leave ends it.
func (g *Gate) Enter() {
	g.mu.Lock()
	g.uses++
	g.mu.Unlock()
}

// Leave ends a call.
func (g *Gate) Leave() {
	g.mu.Lock()
	g.uses--
	var last func()
	if g.uses == 0 {
		if g.idle != nil {
			close(g.idle)
			g.idle = nil
		}
		last, g.last = g.last, nil
	}
	g.mu.Unlock()
	if last != nil {
		last()
	}
}

// Uses is the number of calls in progress.
func (g *Gate) Uses() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.uses
}

// Wait returns true once no call is in progress. After timeout it returns false, and the last call to leave then
// runs abandoned. No call may begin during Wait, and Wait is called once.
func (g *Gate) Wait(timeout time.Duration, abandoned func()) bool {
	g.mu.Lock()
	if g.uses == 0 {
		g.mu.Unlock()
		return true
	}
	idle := make(chan struct{})
	g.idle = idle
	g.mu.Unlock()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.uses == 0 {
		return true
	}
	g.idle, g.last = nil, abandoned
	return false
}
