package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/internal/imported"
	"assay/internal/kept"
	"assay/internal/regular"
)

// Files in the folder of the runs.
const (
	referencesFile = "references.json"
	baselinesFile  = "baselines.json"
	maxKept        = 16 << 20 // bytes of one
)

// Reference is a file of others' figures that was imported.
type Reference struct {
	Name     string         `json:"name"` // of the file
	Imported time.Time      `json:"imported"`
	Rows     []imported.Row `json:"rows"`
}

// References are the files of others' figures, in the order of their names.
func (l *Library) References() ([]Reference, error) {
	var list []Reference
	err := l.kept(referencesFile).Read(&list)
	return list, err
}

// Import reads a file of llama-bench, MLX, google-benchmark or hyperfine and keeps its figures; one of the same name is replaced.
// What is kept has a limit of 16 MiB in all; a file that exceeds it is refused.
func (l *Library) Import(path string) (Reference, error) {
	data, err := regular.Read(path, "a file of results", imported.MaxBytes)
	if err != nil {
		return Reference{}, err
	}
	r := Reference{Name: filepath.Base(path), Imported: time.Now().Round(time.Second)}
	if r.Rows, err = imported.Parse(data); err != nil {
		return Reference{}, fmt.Errorf("read %s: %w", path, err)
	}
	file := l.kept(referencesFile)
	err = file.Change(func() error {
		list, err := l.References()
		if err != nil {
			return err
		}
		list = append(slices.DeleteFunc(list, func(o Reference) bool { return o.Name == r.Name }), r)
		slices.SortFunc(list, func(a, b Reference) int { return strings.Compare(a.Name, b.Name) })
		return file.Write(list)
	})
	if err != nil {
		return Reference{}, fmt.Errorf("import %s: %w", path, err)
	}
	return r, nil
}

// RemoveReference forgets the figures of a file.
func (l *Library) RemoveReference(name string) error {
	file := l.kept(referencesFile)
	return file.Change(func() error {
		list, err := l.References()
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(r Reference) bool { return r.Name == name })
		if len(rest) == len(list) {
			return fmt.Errorf("no file %q was imported", name)
		}
		return file.Write(rest)
	})
}

// kept is a file in the folder of the runs.
func (l *Library) kept(name string) kept.File {
	return kept.File{Path: filepath.Join(l.dir, name), What: "a file of Assay", Limit: maxKept}
}
