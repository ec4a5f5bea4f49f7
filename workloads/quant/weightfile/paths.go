package weightfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// OpenPaths opens what the paths name as one file of weights: files, indexes, and folders. In a folder it takes the index, or else all
// .safetensors files, or else all .gguf files, sorted by name.
func OpenPaths(paths []string) (*File, error) {
	if len(paths) == 0 {
		return nil, errors.New("no file of weights is named")
	}
	name := paths[0]
	if len(paths) > 1 {
		name = fmt.Sprintf("%s and %d more", name, len(paths)-1)
	}
	all := &File{name: name, metadata: map[string]string{}}
	in := map[string]string{}
	for _, path := range paths {
		f, err := openAny(path)
		if err == nil {
			err = all.join(f, in)
		}
		if err == nil && len(all.parts) > maxParts {
			err = fmt.Errorf("%s: %d files, the limit is %d", name, len(all.parts), maxParts)
		}
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
	}
	return all, nil
}

// openAny opens a file, an index or a folder.
func openAny(path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return openFolder(path)
	}
	return Open(path)
}

// openFolder opens the model in a folder.
func openFolder(folder string) (*File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, ending := range []string{indexEnding, ".safetensors", ".gguf"} {
		var found []string
		for _, e := range entries {
			if strings.HasSuffix(strings.ToLower(e.Name()), ending) {
				found = append(found, filepath.Join(folder, e.Name()))
			}
		}
		switch {
		case len(found) == 0:
		case ending == indexEnding && len(found) == 1:
			return openIndex(found[0])
		case ending == indexEnding:
			return nil, fmt.Errorf("%s: %d indexes, want one of them: %s", folder, len(found), baseNames(found))
		default:
			return OpenAll(folder, found)
		}
	}
	return nil, fmt.Errorf("%s: no %s file in this folder", folder, strings.Join(Extensions(), " or "))
}

func baseNames(paths []string) string {
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	return strings.Join(names, ", ")
}

// PartOf returns the path of the file that contains a tensor.
func (f *File) PartOf(t *Tensor) string { return f.parts[t.part].name }
