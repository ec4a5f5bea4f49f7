//go:build (amd64 || arm64) && !race

package gpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// lock is a mutex for sections of some ten nanoseconds. Its Unlock is a plain store, which a sync.Mutex cannot have: it has
// to see who sleeps. Here one waiter at a time tries again, more and more rarely, and the others sleep in a sync.Mutex.
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

// Unlock gives it back.
func (l *lock) Unlock() { publish(&l.held, 0) }

// Tries of the waiter with a short loop before each, and then with the processor given to others.
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
			for range 200 * (i*i + 1) { // nothing: the owner shall have its memory to itself
			}
		case i < lockSpins+lockYields:
			runtime.Gosched()
		default:
			time.Sleep(lockSleep)
		}
	}
}
