package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/internal/si"
)

// labelsFile has the user's labels of a run. Labels never change the measured files.
const labelsFile = "labels.json"

// Limits of labels.
const (
	MaxTags      = 16
	MaxTagLength = 40   // characters
	MaxNote      = 4000 // characters
)

// Labels are the user's own words about a run.
type Labels struct {
	Tags []string `json:"tags"`
	Note string   `json:"note"`
}

// Tidy returns the labels with spaces trimmed and tags deduplicated regardless of case, or an error that names what
// exceeds a limit.
func (l Labels) Tidy() (Labels, error) {
	out := Labels{Tags: []string{}, Note: strings.TrimSpace(l.Note)}
	seen := map[string]bool{}
	for _, tag := range l.Tags {
		tag = strings.TrimSpace(tag)
		if tag == "" || seen[strings.ToLower(tag)] {
			continue
		}
		if err := checkTag(tag); err != nil {
			return l, err
		}
		seen[strings.ToLower(tag)] = true
		out.Tags = append(out.Tags, tag)
	}
	if n := len(out.Tags); n > MaxTags {
		return l, fmt.Errorf("%d tags, want at most %d", n, MaxTags)
	}
	return out, checkNote(out.Note)
}

func checkTag(tag string) error {
	if n := utf8.RuneCountInString(tag); n > MaxTagLength {
		return fmt.Errorf("tag %q has %d characters, want at most %d", clip(tag), n, MaxTagLength)
	}
	for _, r := range tag {
		if r == utf8.RuneError || !unicode.IsGraphic(r) || r == ',' {
			return fmt.Errorf("tag %q holds %q, want letters, digits, spaces and punctuation except a comma", clip(tag), r)
		}
	}
	return nil
}

func checkNote(note string) error {
	if n := utf8.RuneCountInString(note); n > MaxNote {
		return fmt.Errorf("the note has %d characters, want at most %d", n, MaxNote)
	}
	for _, r := range note {
		if r == utf8.RuneError || !unicode.IsGraphic(r) && r != '\n' && r != '\t' {
			return fmt.Errorf("the note holds %q, want plain text", r)
		}
	}
	return nil
}

// maxLabelsFile bounds how much of labels.json is read: the limits above, with each character escaped.
const maxLabelsFile = 1 << 18

// ReadLabels reads the labels of the bundle in a folder; empty if the user set none.
func ReadLabels(dir string) (Labels, error) {
	none := Labels{Tags: []string{}}
	path := filepath.Join(dir, labelsFile)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return none, fmt.Errorf("cannot read %s: %w", path, cause(err))
	case info.Size() > maxLabelsFile:
		return none, fmt.Errorf("%s is %s, want at most %s", path, si.Bytes(float64(info.Size())), si.Bytes(maxLabelsFile))
	}
	data, err := readFile(path)
	if err != nil {
		return none, fmt.Errorf("cannot read %s: %w", path, cause(err))
	}
	var l Labels
	if err := json.Unmarshal(data, &l); err != nil {
		return none, fmt.Errorf("%s: %w", path, jsonError(err))
	}
	if l, err = l.Tidy(); err != nil {
		return none, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// WriteLabels atomically sets the labels of the bundle in a folder. Empty labels remove the file.
func WriteLabels(dir string, l Labels) error {
	l, err := l.Tidy()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, runFile)); err != nil {
		return fmt.Errorf("cannot label %s: no run in it", dir)
	}
	path := filepath.Join(dir, labelsFile)
	if len(l.Tags) == 0 && l.Note == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove %s: %w", path, cause(err))
		}
		return nil
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return ReplaceFile(path, append(data, '\n'))
}
