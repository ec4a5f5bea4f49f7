package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"assay/internal/regular"
	"assay/internal/si"
)

// maxDraft is the largest draft, as JSON: twice the limit of a source and a description.
const maxDraft = 64 << 20

// draftFile is where the edited and unsaved kernel is kept; empty if there is no folder for data.
func (p *Playground) draftFile() string {
	if data := UserPaths().Data; p.s.config.OwnDraft == "" && data != "" {
		return filepath.Join(data, "own-draft.json")
	}
	return p.s.config.OwnDraft
}

// KeepDraft keeps an unsaved kernel; an empty one removes the draft.
func (p *Playground) KeepDraft(k OwnKernel) error {
	path := p.draftFile()
	if path == "" {
		return errors.New("there is no folder for data")
	}
	if k == (OwnKernel{}) {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if len(b) > maxDraft {
		return fmt.Errorf("the texts have %s, at most %s are kept", si.Bytes(float64(len(b))), si.Bytes(maxDraft))
	}
	return cmp.Or(os.MkdirAll(filepath.Dir(path), 0o755), renameio.WriteFile(path, b, 0o600))
}

// Draft returns the kernel that was kept; an empty one if there is none.
func (p *Playground) Draft() (OwnKernel, error) {
	var k OwnKernel
	b, err := regular.Read(p.draftFile(), "a draft", maxDraft)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	return k, err
}
