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

// maxDraft is the largest draft, as JSON: twice what a source and a description may have.
const maxDraft = 64 << 20

// draftFile is where the kernel is kept that was edited and not saved; empty if there is no folder for data.
func (p *Playground) draftFile() string {
	if data := UserPaths().Data; p.s.config.OwnDraft == "" && data != "" {
		return filepath.Join(data, "own-draft.json")
	}
	return p.s.config.OwnDraft
}

// KeepDraft keeps a kernel that is not saved; an empty one removes what was kept.
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

// Draft is the kernel that was kept; an empty one if there is none.
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
