package own

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Names of description files: the one for the kernel of a folder, and the ending of others.
const (
	single = "kernel.toml"
	ending = ".kernel.toml"
)

// IsDescription reports whether a file's name is that of a description.
func IsDescription(name string) bool {
	base := filepath.Base(name)
	return base == single || strings.HasSuffix(base, ending)
}

// Find lists the descriptions in a folder and below it, or the one that is named: itself, without its ending, or by its source.
func Find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		if named, err := os.Stat(path + ending); err == nil && named.Mode().IsRegular() {
			return []string{path + ending}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return describing(path)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		path += string(filepath.Separator) // walks the link's target instead of the link
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

// describing returns a named description, or that of a named source: NAME.kernel.toml, or else the one in its folder that names it.
func describing(path string) ([]string, error) {
	name, isSource := strings.CutSuffix(path, ".metal")
	if !isSource {
		return []string{path}, nil
	}
	if _, err := os.Stat(name + ending); err == nil {
		return []string{name + ending}, nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		beside := filepath.Join(filepath.Dir(path), e.Name())
		if !e.Type().IsRegular() || !IsDescription(beside) {
			continue
		}
		if d, _ := Load(beside); d.Source != "" && filepath.Clean(d.SourcePath()) == filepath.Clean(path) {
			all = append(all, beside)
		}
	}
	switch len(all) {
	case 0:
		return nil, fmt.Errorf("%s %w: want %s beside it", path, ErrUndescribed, filepath.Base(name)+ending)
	case 1:
		return all, nil
	}
	return nil, several(path, all)
}

// ErrUndescribed is part of the error of a source that no description names.
var ErrUndescribed = errors.New("has no description")

// several names some of a source's descriptions.
func several(source string, all []string) error {
	var names []string
	for _, path := range all[:min(3, len(all))] {
		names = append(names, filepath.Base(path))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Errorf("%s has several descriptions: want one of %s", source, strings.Join(names, ", "))
}
