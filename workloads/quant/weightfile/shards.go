package weightfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/regular"
)

// indexEnding is the file name suffix of an index, which lists the files of a model.
const indexEnding = ".safetensors.index.json"

// maxParts bounds the files of a model: all of them stay open.
const maxParts = 1000

// OpenAll opens several files as one: the tensors of the first file come first. No two tensors may have the same name.
func OpenAll(name string, paths []string) (*File, error) {
	if len(paths) > maxParts {
		return nil, fmt.Errorf("%s: %d files, the limit is %d", name, len(paths), maxParts)
	}
	all := &File{name: name, metadata: map[string]string{}}
	in := map[string]string{}
	for _, path := range paths {
		f, err := openOne(path)
		if err == nil {
			err = all.join(f, in)
		}
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
	}
	return all, nil
}

// join takes over the parts of another file; in maps each tensor so far to its file. After an error, closing f closes both.
func (f *File) join(other *File, in map[string]string) error {
	first := len(f.parts)
	f.parts = append(f.parts, other.parts...)
	for _, t := range other.tensors {
		if before, twice := in[t.Name]; twice {
			return fmt.Errorf("%s: tensor %q is also in %s", other.name, t.Name, before)
		}
		in[t.Name] = other.name
		t.part += first
		f.tensors = append(f.tensors, t)
	}
	maps.Copy(f.metadata, other.metadata)
	return nil
}

// inPlainWords returns a JSON error with its byte, without Go identifiers.
func inPlainWords(err error) error {
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &mistyped):
		return fmt.Errorf("byte %d: %s is a %s, want a text", mistyped.Offset, mistyped.Field, mistyped.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return err
}

// openIndex opens the files listed by an index, which are next to it, and checks that each tensor is where the index says.
func openIndex(path string) (*File, error) {
	text, err := regular.Read(path, "an index of .safetensors files", maxHeader)
	if err != nil {
		return nil, err
	}
	var index struct {
		Files map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: not a valid index: %w", path, inPlainWords(err))
	}
	names := slices.Compact(slices.Sorted(maps.Values(index.Files)))
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: not a valid index: no weight_map with files", path)
	}
	var paths []string
	for _, name := range names {
		if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
			return nil, fmt.Errorf("%s: not a valid index: file %s, want a name in the same folder", path, quoted(name))
		}
		paths = append(paths, filepath.Join(filepath.Dir(path), name))
	}
	f, err := OpenAll(path, paths)
	if missing := (*fs.PathError)(nil); errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) {
		return nil, fmt.Errorf("%s: lists file %s, which is not in its folder", path, quoted(filepath.Base(missing.Path)))
	}
	if err != nil {
		return nil, err
	}
	if err := f.checkIndex(index.Files); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return f, nil
}

// checkIndex rejects an index that places a tensor in the wrong file.
func (f *File) checkIndex(files map[string]string) error {
	in := map[string]string{}
	for i := range f.tensors {
		in[f.tensors[i].Name] = filepath.Base(f.parts[f.tensors[i].part].name)
	}
	for _, tensor := range slices.Sorted(maps.Keys(files)) {
		if at, there := in[tensor]; !there || at != files[tensor] {
			return fmt.Errorf("tensor %s: the index has it in %s, which does not", quoted(tensor), quoted(files[tensor]))
		}
	}
	return nil
}

// Parts returns the paths of the files that contain the weights.
func (f *File) Parts() []string {
	var all []string
	for _, p := range f.parts {
		all = append(all, p.name)
	}
	return all
}
