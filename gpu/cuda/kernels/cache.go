package kernels

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"assay/gpu"
	"assay/gpu/msl/clang"
	"assay/gpu/msl/shim/cuda"
	"assay/shaders"
)

// note is stored with PTX to identify it.
type note struct {
	Kernel    string    `json:"kernel"`
	Constants string    `json:"constants,omitempty"`
	Source    string    `json:"source_sha256"`
	Shim      string    `json:"shim_sha256"`
	Compiler  string    `json:"compiler"`
	Stored    time.Time `json:"stored"`
	Seconds   float64   `json:"seconds"`
}

func newNote(k *shaders.Kernel, compiler string) note {
	return note{k.Name, k.Key(), k.Impl.Source.Hash(), shim(), compiler, time.Now().UTC().Truncate(time.Second), 0}
}

// line returns the note for a compilation that took seconds.
func (n note) line(seconds float64) string {
	n.Seconds = seconds
	text, err := json.Marshal(n)
	if err != nil {
		panic("gpu/cuda/kernels: " + err.Error()) // it holds texts and a time
	}
	return string(text)
}

// cache is the PTX that clang compiled.
type cache struct {
	folder   *clang.Folder
	compiler string // that would compile now; empty: none
}

// Cache opens the cache of PTX that is not built in.
func Cache() (gpu.Cache, error) {
	var version string
	if c, err := compiler(); err == nil {
		version = c.Version()
	}
	return openCache("", version)
}

func openCache(dir, compiler string) (gpu.Cache, error) {
	folder, err := clang.OpenFolder(dir)
	if err != nil {
		return nil, gpu.Errorf(gpu.ErrUnsupported, "open the cache", "", "%w", err)
	}
	return &cache{folder, compiler}, nil
}

// About implements gpu.Cache.
func (c *cache) About() (folder, kept string) {
	return c.folder.Path(), "PTX that clang compiled. Most kernels are built in as PTX and need none; the driver keeps machine code in its own cache."
}

// Entries implements gpu.Cache.
func (c *cache) Entries() ([]gpu.CacheEntry, error) {
	all, err := c.folder.PTX()
	if err != nil {
		return nil, err
	}
	entries := make([]gpu.CacheEntry, len(all))
	for i := range all {
		entries[i] = c.entry(&all[i])
	}
	slices.SortFunc(entries, func(a, b gpu.CacheEntry) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Constants, b.Constants), cmp.Compare(a.ID, b.ID))
	})
	return entries, nil
}

func (c *cache) entry(k *clang.KeptPTX) gpu.CacheEntry {
	e := gpu.CacheEntry{ID: k.Name, Device: cuda.Architecture + " and later", Bytes: k.Bytes, Stored: k.Used}
	var n note
	if json.Unmarshal([]byte(k.Note), &n) != nil {
		e.Fault = "of an earlier version of Assay, which did not note the kernel"
		return e
	}
	e.Kernel, e.Constants, e.Source, e.System, e.Stored = n.Kernel, n.Constants, n.Source, n.Compiler, n.Stored
	e.Seconds = n.Seconds
	switch {
	case n.Shim != shim():
		e.Fault = "compiled with headers or flags of another version of Assay"
	case c.compiler != "" && n.Compiler != c.compiler:
		e.Fault = fmt.Sprintf("compiled by %s, this is %s", n.Compiler, c.compiler)
	}
	return e
}

// Verify implements gpu.Cache.
func (c *cache) Verify(ctx context.Context) ([]gpu.CacheEntry, error) {
	all, err := c.Entries()
	for i := range all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !c.folder.Whole(all[i].ID) {
			all[i].Fault = gpu.CacheDamaged
		}
	}
	return all, err
}

// Remove implements gpu.Cache.
func (c *cache) Remove(id string) error { return c.folder.Remove(id) }
