package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"assay/internal/regular"
	"assay/workloads/own"
)

// OwnExists is the error of saving a kernel over files whose content differs from what was opened from them.
type OwnExists struct{ Files []string }

// Error names the files.
func (e *OwnExists) Error() string {
	return strings.Join(e.Files, " and ") + ": there already, with other contents than were opened"
}

// Save writes a kernel's description, and its source if it is given, to their files. Files whose content differs from what was
// opened from them are written only if replace is true; otherwise the error is an *OwnExists, and nothing is written. A source
// outside the description's folder is never written.
func (p *Playground) Save(k, opened OwnKernel, replace bool) error {
	d, problems := own.Parse(k.Path, k.Description)
	if d.Source == "" {
		return errors.Join(asErrors(problems)...)
	}
	if err := os.MkdirAll(d.Folder(), 0o755); err != nil {
		return err
	}
	texts := []ownText{{k.Path, k.Description}}
	if k.Source != "" {
		if err := isInside(d); err != nil {
			return err
		}
		texts = append(texts, ownText{d.SourcePath(), k.Source})
	}
	if taken := takenBy(texts, opened); len(taken) > 0 && !replace {
		return &OwnExists{taken}
	}
	for _, t := range texts {
		if err := renameio.WriteFile(t.path, []byte(t.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ownText is one file of a kernel.
type ownText struct{ path, text string }

// isInside returns an error if a description's source is not in its folder, or in one below it that no link leads out of.
func isInside(d *OwnDescription) error {
	if !filepath.IsLocal(d.Source) {
		return fmt.Errorf("source %q is outside the kernel’s folder, %s: it is not written", d.Source, d.Folder())
	}
	root, err := os.OpenRoot(d.Folder())
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(filepath.Dir(d.Source)); err != nil {
		return fmt.Errorf("source %q is not written: %w", d.Source, err)
	}
	return nil
}

// takenBy lists the files that hold neither the text to be written nor what was opened from them.
func takenBy(texts []ownText, opened OwnKernel) []string {
	d, _ := own.Parse(opened.Path, opened.Description)
	was := map[string]string{opened.Path: opened.Description}
	if d.Source != "" {
		was[d.SourcePath()] = opened.Source
	}
	var taken []string
	for _, t := range texts {
		held, err := regular.Read(t.path, "a text", maxOwnText)
		before, known := was[t.path]
		switch {
		case errors.Is(err, os.ErrNotExist), err == nil && string(held) == t.text, err == nil && known && string(held) == before:
		default:
			taken = append(taken, t.path)
		}
	}
	return taken
}

// maxOwnText is the largest file that is compared with a text: larger ones count as different.
const maxOwnText = 16 << 20
