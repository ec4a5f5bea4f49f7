package metal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/gpu"
)

const (
	archiveSuffix = ".mtlarchive"
	badSuffix     = ".bad" // of archives that did not match their manifest
)

// About implements gpu.Cache.
func (s *store) About() (folder, kept string) {
	return filepath.Dir(s.dir), "Pipelines as binary archives, one for each kernel and its constants. The system also keeps its own cache."
}

// Entries implements gpu.Cache: it lists the archives of all devices.
func (s *store) Entries() ([]gpu.CacheEntry, error) {
	folders, err := os.ReadDir(filepath.Dir(s.dir))
	if err != nil {
		return nil, err
	}
	var all []gpu.CacheEntry
	for _, f := range folders {
		files, err := os.ReadDir(filepath.Join(filepath.Dir(s.dir), f.Name()))
		if err != nil {
			continue // a file, or gone
		}
		for _, file := range files {
			if e, ok := s.entry(f.Name() + "/" + file.Name()); ok {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b gpu.CacheEntry) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Constants, b.Constants), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// archive returns the path of an entry; not ok if the ID is not valid.
func (s *store) archive(id string) (path string, ok bool) {
	folder, name, _ := strings.Cut(id, "/")
	if slug(folder) != folder || folder == "" || filepath.Base(name) != name || !strings.HasSuffix(strings.TrimSuffix(name, badSuffix), archiveSuffix) {
		return "", false
	}
	return filepath.Join(filepath.Dir(s.dir), folder, name), true
}

// entry describes a file; not ok if it is not an archive, or does not exist.
func (s *store) entry(id string) (e gpu.CacheEntry, ok bool) {
	path, ok := s.archive(id)
	if !ok {
		return e, false
	}
	info, err := os.Stat(path)
	if err != nil {
		return e, false
	}
	e = gpu.CacheEntry{ID: id, Bytes: info.Size(), Stored: info.ModTime()}
	if strings.HasSuffix(path, badSuffix) {
		e.Fault = "set aside: it did not match its checksum"
		return e, true
	}
	m, err := readManifest(manifestPath(path))
	if err != nil {
		e.Fault = "its manifest is missing or damaged"
		return e, true
	}
	if beside, err := os.Stat(manifestPath(path)); err == nil {
		e.Bytes += beside.Size()
	}
	e.Kernel, e.Constants, e.Source, e.Device, e.System = m.Kernel, m.Constants, m.Source, m.Device, m.OSBuild
	e.Seconds = m.Seconds
	e.Fault = s.stale(&m)
	return e, true
}

// stale returns why this device and system do not load an archive; empty: they do.
func (s *store) stale(m *manifest) string {
	switch {
	case m.Version != storeVersion:
		return fmt.Sprintf("of version %d of the store, this is version %d", m.Version, storeVersion)
	case m.Device != s.env.Device || m.Architecture != s.env.Architecture:
		return "for another device, this is " + s.env.Device
	case m.OSBuild != s.env.OSBuild:
		return "of another build of the system, this is " + s.env.OSBuild
	}
	return ""
}

// Verify implements gpu.Cache.
func (s *store) Verify(ctx context.Context) ([]gpu.CacheEntry, error) {
	all, err := s.Entries()
	for i := range all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		path, _ := s.archive(all[i].ID)
		m, err := readManifest(manifestPath(path))
		if err != nil {
			continue // Entries reports it
		}
		if bytes, sum, err := digest(path); err != nil || bytes != m.Bytes || sum != m.SHA256 {
			all[i].Fault = gpu.CacheDamaged
		}
	}
	return all, err
}

// Remove implements gpu.Cache.
func (s *store) Remove(id string) error {
	path, ok := s.archive(id)
	if !ok {
		return fmt.Errorf("%q is not an archive in the cache", id)
	}
	for _, p := range []string{manifestPath(path), path} { // in this order: an archive without a manifest is not loaded
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
