//go:build (!amd64 && !arm64) || race

package gpu

import "sync"

// lock is a mutex, because the race detector has to know it.
type lock = sync.Mutex
