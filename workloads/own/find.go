package own

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Names of description files: one that is the kernel of its folder, and what others end in.
const (
	single = "kernel.toml"
	ending = ".kernel.toml"
)

// IsDescription reports whether a file is a description by its name.
func IsDescription(name string) bool {
	base := filepath.Base(name)
	return base == single || strings.HasSuffix(base, ending)
}

// Find lists the descriptions in a folder and below it, or the one that is named, itself or by its source.
func Find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return describing(path)
	}
	var all []string
	err = filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != path && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && IsDescription(name):
			all = append(all, name)
		}
		return nil
	})
	return all, err
}

// describing is a description that is named, or that of a source that is.
func describing(path string) ([]string, error) {
	name, isSource := strings.CutSuffix(path, ".metal")
	if !isSource {
		return []string{path}, nil
	}
	for _, d := range []string{name + ending, filepath.Join(filepath.Dir(path), single)} {
		if _, err := os.Stat(d); err == nil {
			return []string{d}, nil
		}
	}
	return nil, fmt.Errorf("%s has no description: want %s beside it", path, filepath.Base(name)+ending)
}
