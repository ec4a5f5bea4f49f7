//go:build !amd64 && !arm64

package gpu

import (
	"runtime"
	"sync/atomic"
	"time"
)

// callers stores the return addresses above the pool's Acquire.
func callers(s *site) {
	clear(s[:])
	runtime.Callers(2, s[:])
}

// ticks counts nanoseconds.
func ticks() uint64 { return uint64(time.Now().UnixNano()) }

// publish stores v after everything before it, for others who load it atomically.
func publish(to *uint64, v uint64) { atomic.StoreUint64(to, v) }
