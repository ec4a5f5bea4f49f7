//go:build (!amd64 && !arm64) || race

package gpu

import "sync"

// lock is a mutex that the race detector understands.
type lock = sync.Mutex
