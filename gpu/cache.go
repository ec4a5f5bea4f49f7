package gpu

import (
	"context"
	"time"
)

// CacheEntry is the compiled code of one kernel on disk.
type CacheEntry struct {
	ID             string // names it in its cache
	Kernel         string // the entry point; empty: not known
	Constants      string // values of its function constants, "transpose_b=1"; empty: none, or not known
	Source         string // SHA-256 of the source's text, hexadecimal; empty: not known
	Device, System string // that it was compiled for, and by; empty: not known
	Bytes          int64  // with the files beside it
	Stored         time.Time
	Seconds        float64 // that compiling took when it was stored: what the cache saves each time; 0: not known
	// Fault is why the engine will not load it, but compile the kernel again; empty: nothing is known to be wrong.
	Fault string
}

// CacheDamaged is the Fault that Verify finds.
const CacheDamaged = "damaged: its content does not match its checksum"

// Cache is the compiled kernels that an engine keeps on disk. Other processes may change it at any time. Its methods may be
// called from any goroutine, also while kernels are compiled.
type Cache interface {
	// About is the folder, and a sentence on what is in it.
	About() (folder, kept string)
	// Entries lists what is there, of all devices, the kernels in order. Content is not read.
	Entries() ([]CacheEntry, error)
	// Verify is Entries, and compares the content of each with its checksum: one that differs gets a Fault.
	Verify(ctx context.Context) ([]CacheEntry, error)
	// Remove removes the entry of that ID, and no error if it is gone. Kernels that are in memory stay.
	Remove(id string) error
}

// Cached is an engine that keeps compiled kernels on disk.
type Cached interface {
	// Cache is ErrUnsupported, with the reason, where there is none now.
	Cache() (Cache, error)
}

// CacheOf is the cache of an engine; ErrUnsupported where it has none.
func CacheOf(e Engine) (Cache, error) {
	if c, ok := As[Cached](e); ok {
		return c.Cache()
	}
	return nil, Errorf(ErrUnsupported, "open the cache", "", "the kernels of engine %s are part of the program", e.Info().Engine)
}
