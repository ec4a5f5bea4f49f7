// Package shim holds the metal_stdlib that gpu/msl compiles with. The folder metal is what all targets share; each other folder
// is a target: its calling convention (abi.h), its Go description and, in machine/, what differs between targets.
package shim

import (
	"embed"
	"errors"
	"io/fs"
	"regexp"
	"slices"
)

//go:embed metal
var shared embed.FS

//go:embed tensors
var tensors embed.FS

// Tensors are the headers of Metal 4's tensors, for all targets. They are apart from Headers since few programs use them: those
// alone include matmul.h, and what is compiled of others does not depend on them.
func Tensors() fs.FS {
	files, err := fs.Sub(tensors, "tensors")
	if err != nil {
		panic("gpu/msl/shim: " + err.Error()) // the name is valid
	}
	return files
}

// Headers are the files of a target: the shared ones and its own.
func Headers(own fs.FS) fs.FS {
	common, err := fs.Sub(shared, "metal")
	if err != nil {
		panic("gpu/msl/shim: " + err.Error()) // the name is valid
	}
	return Overlay{own, common}
}

// Overlay is two file systems in one; where both have a file, it is that of Upper.
type Overlay struct{ Upper, Lower fs.FS }

// Open opens a file of either. A folder is that of Upper; ReadDir lists both.
func (o Overlay) Open(name string) (fs.File, error) {
	f, err := o.Upper.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o.Lower.Open(name)
	}
	return f, err
}

// ReadDir lists what either has in a folder.
func (o Overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	upper, err := fs.ReadDir(o.Upper, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lower, other := fs.ReadDir(o.Lower, name)
	if err != nil && other != nil {
		return nil, other
	}
	for _, f := range lower {
		if !slices.ContainsFunc(upper, func(u fs.DirEntry) bool { return u.Name() == f.Name() }) {
			upper = append(upper, f)
		}
	}
	return upper, nil
}

// name finds names of three letters or more: no function of the library has fewer.
var name = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]{2,}`)

// Names are all names that the files mention.
func Names(files fs.FS) (map[string]bool, error) {
	names := map[string]bool{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		for _, n := range name.FindAllString(string(text), -1) {
			names[n] = true
		}
		return err
	})
	return names, err
}
