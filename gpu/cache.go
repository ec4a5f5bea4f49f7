package gpu

import (
	"context"
	"time"
)

// CacheEntry is the compiled code of one kernel on disk.
type CacheEntry struct {
	ID             string // identifies the entry in its cache
	Kernel         string // the entry point; empty: not known
	Constants      string // values of its function constants, "transpose_b=1"; empty: none, or not known
	Source         string // SHA-256 of the source's text, hexadecimal; empty: not known
	Device, System string // the device it was compiled for and the system that compiled it; empty: not known
	Bytes          int64  // including the files beside it
	Stored         time.Time
	Seconds        float64 // how long compiling took when it was stored, which the cache saves each time; 0: not known
	// Fault is why the engine will not load it and compiles the kernel again instead; empty: no known fault.
	Fault string
}

// CacheDamaged is the Fault that Verify sets.
const CacheDamaged = "damaged: its content does not match its checksum"

// Cache is the set of compiled kernels that an engine keeps on disk. Other processes may change it at any time. Its methods may be
// called from any goroutine, even while kernels are being compiled.
type Cache interface {
	// About returns the folder and a sentence about its contents.
	About() (folder, kept string)
	// Entries lists the entries for all devices, ordered by kernel. It does not read their content.
	Entries() ([]CacheEntry, error)
	// Verify is like Entries, but compares the content of each entry with its checksum and sets Fault if they differ.
	Verify(ctx context.Context) ([]CacheEntry, error)
	// Remove removes the entry with that ID; it is not an error if the entry is already gone. Kernels in memory stay.
	Remove(id string) error
}

// Cached is an engine that keeps compiled kernels on disk.
type Cached interface {
	// Cache returns the cache; ErrUnsupported, with the reason, if there is none now.
	Cache() (Cache, error)
}

// CacheOf returns the cache of an engine; ErrUnsupported if it has none.
func CacheOf(e Engine) (Cache, error) {
	if c, ok := As[Cached](e); ok {
		return c.Cache()
	}
	return nil, Errorf(ErrUnsupported, "open the cache", "", "the kernels of engine %s are part of the program", e.Info().Engine)
}
