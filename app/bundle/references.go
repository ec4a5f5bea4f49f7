package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/internal/imported"
	"assay/internal/regular"
	"assay/internal/si"
)

// referencesFile has the figures that the user placed beside a run: copies, so that the run is complete elsewhere.
const referencesFile = "references.json"

// maxReferencesFile is the largest size that is read or written.
const maxReferencesFile = 16 << 20

// ReadReferences reads the figures beside the run in a folder; none if the user placed none there.
func ReadReferences(dir string) ([]imported.File, error) {
	path := filepath.Join(dir, referencesFile)
	data, err := regular.Read(path, "a file of a run", maxReferencesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []imported.File
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err == nil {
		err = imported.Check(list)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, cause(err))
	}
	return list, nil
}

// WriteReferences atomically sets the figures beside the run in a folder. An empty list removes the file.
func WriteReferences(dir string, list []imported.File) error {
	if _, err := os.Stat(filepath.Join(dir, runFile)); err != nil {
		return fmt.Errorf("cannot put figures beside %s: no run in it", dir)
	}
	path := filepath.Join(dir, referencesFile)
	if len(list) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove %s: %w", path, cause(err))
		}
		return nil
	}
	if err := imported.Check(list); err != nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= maxReferencesFile {
		return fmt.Errorf("%s would have %s, want less than %s", path, si.Bytes(float64(len(data))), si.Bytes(maxReferencesFile))
	}
	return ReplaceFile(path, append(data, '\n'))
}
