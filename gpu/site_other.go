//go:build !amd64 && !arm64

package gpu

import "runtime"

// callers stores the return addresses above the pool's Acquire.
func callers(s *site) {
	clear(s[:])
	runtime.Callers(2, s[:])
}
