//go:build (amd64 || arm64) && !race

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// lock is a mutex for critical sections of about ten nanoseconds. Its Unlock is a plain store, which a sync.Mutex cannot use: it must
// check who is sleeping. Here one waiter at a time retries, with growing pauses, and the others sleep in a sync.Mutex.
type lock struct {
	held    uint64
	waiters sync.Mutex
}

// Lock takes the lock.
func (l *lock) Lock() {
	if !atomic.CompareAndSwapUint64(&l.held, 0, 1) {
		l.wait()
	}
}

// Unlock releases the lock.
func (l *lock) Unlock() { publish(&l.held, 0) }

// Attempts of the waiter with a short loop before each, and then with the processor yielded to others.
const (
	lockSpins  = 20
	lockYields = 100
	lockSleep  = 50 * time.Microsecond
)

func (l *lock) wait() {
	l.waiters.Lock()
	defer l.waiters.Unlock()
	for i := 0; !atomic.CompareAndSwapUint64(&l.held, 0, 1); i++ {
		switch {
		case i < lockSpins:
			for range 200 * (i*i + 1) { // nothing: leave the owner's memory alone
			}
		case i < lockSpins+lockYields:
			runtime.Gosched()
		default:
			time.Sleep(lockSleep)
		}
	}
}
