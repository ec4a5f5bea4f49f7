package clang

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Folder is the cache's folder, opened to list and remove the PTX that is kept in it.
type Folder struct{ cache cache }

// OpenFolder opens the folder that Options.Cache names, and creates it if need be.
func OpenFolder(dir string) (*Folder, error) {
	c, err := newCache(dir)
	return &Folder{c}, err
}

// Path is the folder's path.
func (f *Folder) Path() string { return f.cache.dir }

// KeptPTX is the PTX of one entry point in the cache.
type KeptPTX struct {
	Name  string    // of the file
	Note  string    // Options.Note of who compiled it; empty: there was none
	Bytes int64     // with the checksum beside it
	Used  time.Time // last, to the day
}

const (
	ptxPrefix = "ptx-"
	ptxSuffix = ".ptx"
	sumSuffix = ".sum"
	noteMark  = "// assay: " // begins the first line of PTX that has a note
)

// noted puts a note before PTX, as a comment of one line.
func noted(note string, ptx []byte) []byte {
	return append([]byte(noteMark+strings.ReplaceAll(note, "\n", " ")+"\n"), ptx...)
}

// PTX lists the PTX in the cache, by file name.
func (f *Folder) PTX() ([]KeptPTX, error) {
	entries, err := os.ReadDir(f.cache.dir)
	if err != nil {
		return nil, fmt.Errorf("folder for compiled kernels: %w", err)
	}
	var all []KeptPTX
	for _, e := range entries {
		if k, err := f.kept(e.Name()); err == nil {
			all = append(all, k)
		}
	}
	return all, nil
}

// kept reads the properties of a file; an error if it is not PTX, or does not exist.
func (f *Folder) kept(name string) (k KeptPTX, err error) {
	if !isPTX(name) {
		return k, fs.ErrInvalid
	}
	path := filepath.Join(f.cache.dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return k, err
	}
	k = KeptPTX{Name: name, Bytes: info.Size(), Used: info.ModTime(), Note: noteOf(path)}
	if sum, err := os.Stat(path + sumSuffix); err == nil {
		k.Bytes += sum.Size()
	}
	return k, nil
}

func isPTX(name string) bool {
	return strings.HasPrefix(name, ptxPrefix) && strings.HasSuffix(name, ptxSuffix) && filepath.Base(name) == name
}

// noteOf is the note in the first line of a file; empty if there is none.
func noteOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 4096).ReadSlice('\n')
	note, _ := strings.CutPrefix(strings.TrimSuffix(string(line), "\n"), noteMark)
	if len(note) == len(line) {
		return ""
	}
	return note
}

// Whole reports whether a file has the content that was written.
func (f *Folder) Whole(name string) bool {
	return isPTX(name) && whole(filepath.Join(f.cache.dir, name))
}

// Remove removes PTX from the cache; no error if it does not exist.
func (f *Folder) Remove(name string) error {
	if !isPTX(name) {
		return fmt.Errorf("%q is not PTX in the cache", name)
	}
	path := filepath.Join(f.cache.dir, name)
	for _, p := range []string{path + sumSuffix, path} { // in this order: a file without a checksum is not used
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// kinds are the prefixes of names in the cache.
func kinds() []string {
	return []string{"build-", "check-", "entry-", "kernel-", "prefix-", ptxPrefix, "shim-"}
}

// made reports whether the cache created a file of this name; other files in the folder are not touched.
func made(name string) bool {
	return slices.ContainsFunc(kinds(), func(kind string) bool { return strings.HasPrefix(name, kind) })
}
