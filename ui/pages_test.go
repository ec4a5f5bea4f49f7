package ui

import (
	"path/filepath"
	"testing"

	"assay/ui/desk"
)

// Every page package is in the list, under a unique name, and so is every page that others link to.
func TestPagesAreListed(t *testing.T) {
	folders, err := filepath.Glob("*page")
	if err != nil {
		t.Fatal(err)
	}
	list := pages()
	if len(folders) == 0 || len(list) != len(folders) {
		t.Errorf("%d pages are listed, there are the packages %q", len(list), folders)
	}
	seen := map[string]bool{}
	for _, p := range list {
		if seen[p.Name] || p.Name == "" || p.Title == "" || p.Icon == nil || p.Build == nil {
			t.Errorf("%+v: want a name of its own, a title, an icon and what builds it", p)
		}
		seen[p.Name] = true
	}
	for _, name := range []string{
		desk.PageRun, desk.PageResults, desk.PageMonitor, desk.PageMemory, desk.PageHistory, pageSettings, pageAbout,
	} {
		if !seen[name] {
			t.Errorf("no page is called %q", name)
		}
	}
}
