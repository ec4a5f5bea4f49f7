package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Saving asks before it overwrites files whose content was not opened from there.
func TestPlaygroundSaveOverwritesNothingUnasked(t *testing.T) {
	p, dir := playground(t), t.TempDir()
	k := p.Templates()[0].Files
	k.Path = filepath.Join(dir, "mine.kernel.toml")
	d, _ := p.Describe(k)
	source := d.SourcePath()
	if err := os.WriteFile(source, []byte("another's"), 0o644); err != nil {
		t.Fatal(err)
	}
	var exists *OwnExists
	err := p.Save(k, p.Templates()[0].Files, false)
	if !errors.As(err, &exists) || !slices.Equal(exists.Files, []string{source}) || !strings.Contains(err.Error(), source) {
		t.Fatalf("%v", err)
	}
	if b, _ := os.ReadFile(source); string(b) != "another's" {
		t.Errorf("%s is overwritten", source)
	}
	if _, err := os.Stat(k.Path); err == nil {
		t.Error("the description is written anyway")
	}
	if err := p.Save(k, OwnKernel{}, true); err != nil {
		t.Fatal(err)
	}
	edited := k
	edited.Source, edited.Description = k.Source+"// 2\n", k.Description+"# 2\n"
	if err := p.Save(edited, k, false); err != nil {
		t.Errorf("over what was opened: %v", err)
	}
	if err := p.Save(k, k, false); !errors.As(err, &exists) || len(exists.Files) != 2 {
		t.Errorf("over what another program wrote: %v", err)
	}
}

func TestPlaygroundSavesNoSourceElsewhere(t *testing.T) {
	p, dir := playground(t), t.TempDir()
	k := p.Templates()[0].Files
	k.Path = filepath.Join(dir, "in", "mine.kernel.toml")
	if err := os.MkdirAll(filepath.Dir(k.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"../other.metal", filepath.Join(dir, "other.metal")}
	if os.Symlink(dir, filepath.Join(dir, "in", "link")) == nil {
		names = append(names, "link/other.metal")
	}
	for _, name := range names {
		k.Description = "source = '" + name + "'\n"
		if err := p.Save(k, OwnKernel{}, true); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "other.metal")); err == nil {
		t.Error("it is written")
	}
}
