package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pageArrows is what a page of the window may import: no page knows another, nor the window.
var pageArrows = []string{"app", "gpu", "monitor", "si", "workloads", "ui/chart", "ui/desk", "ui/kit", "ui/native", "ui/view"}

// arrows says which packages of Assay each may import: the house of docs/architecture.md. A package that is not here
// may not exist; its tests may import anything.
var arrows = map[string][]string{
	"":           {"app", "app/cli", "assets", "ui", "ui/locale", "gpu/metal", "gpu/cpu", "monitor", "workloads"},
	"app":        {"app/report", "gpu", "workloads", "workloads/measure", "monitor", "monitor/leak", "si"},
	"app/cli":    {"app", "app/report", "gpu", "gpu/msl", "workloads", "workloads/measure", "monitor", "si"},
	"app/report": {"gpu", "workloads", "workloads/measure", "monitor", "si"},
	"ui": {
		"app", "assets", "gpu", "monitor", "workloads", "workloads/measure",
		"ui/desk", "ui/kit", "ui/native", "ui/view",
		"ui/aboutpage", "ui/alertspage", "ui/historypage", "ui/memorypage", "ui/monitorpage", "ui/resultspage", "ui/runpage",
		"ui/settingspage",
	},
	"ui/alertspage":   pageArrows,
	"ui/historypage":  pageArrows,
	"ui/memorypage":   pageArrows,
	"ui/resultspage":  pageArrows,
	"ui/monitorpage":  pageArrows,
	"ui/runpage":      pageArrows,
	"ui/settingspage": pageArrows,
	"ui/aboutpage":    append([]string{"assets"}, pageArrows...),
	"ui/desk":         {"app", "gpu", "monitor", "workloads", "workloads/measure", "ui/kit", "ui/native", "ui/view"},
	"ui/view":         {"app", "gpu", "monitor", "si", "workloads", "workloads/measure", "ui/chart", "ui/kit"},
	"ui/kit":          {},
	"ui/native":       {},
	"ui/chart":        {},
	"ui/uitest": {
		"app", "gpu", "gpu/gputest", "monitor", "monitor/leak", "workloads", "workloads/measure", "ui/desk", "ui/kit", "ui/native",
	},
	"ui/locale":         {},
	"gpu":               {"shaders"},
	"gpu/cpu":           {"gpu", "shaders"},
	"gpu/metal":         {"gpu", "shaders", "gpu/metal/sim"},
	"gpu/metal/sim":     {"gpu/msl"},
	"gpu/gputest":       {"gpu", "shaders"},
	"gpu/msl":           {"shaders"},
	"shaders":           {},
	"si":                {},
	"workloads":         {"gpu", "shaders", "si", "workloads/measure", "workloads/quant"},
	"workloads/measure": {},
	"workloads/quant":   {},
	"monitor":           {},
	"monitor/leak":      {},
	"assets":            {},
	"packaging/macos":   {},
}

// Folders that may import Fyne, and those that may import "C".
var (
	fyneAllowed = regexp.MustCompile(`^(|assets|ui(/.*)?)$`)
	cgoAllowed  = regexp.MustCompile(`^(gpu/(metal|cpu|msl|metal/sim)/.*|monitor/[^/]*_(darwin|linux)\.go)$`)
)

type source struct {
	file, pkg string
	imports   []string
}

// sources parses the imports of every Go file that is not a test.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if name != "." && strings.HasPrefix(path.Base(name), ".") {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{file: name, pkg: strings.TrimPrefix(path.Dir(name), ".")}
		for _, im := range f.Imports {
			p, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("found only %d Go files: is this the project's root?", len(all))
	}
	return all
}

func TestArrows(t *testing.T) {
	for _, s := range sources(t) {
		room, _, _ := strings.Cut(s.pkg, "/internal/") // what is internal to a room may do what the room may
		allowed, known := arrows[room]
		if !known {
			t.Errorf("%s: package %q is not in the house", s.file, s.pkg)
			continue
		}
		for _, im := range s.imports {
			checkImport(t, s, im, allowed)
		}
	}
}

func checkImport(t *testing.T, s source, im string, allowed []string) {
	t.Helper()
	if strings.HasPrefix(im, "fyne.io/") && !fyneAllowed.MatchString(s.pkg) {
		t.Errorf("%s imports Fyne; only main, ui and assets may", s.file)
	}
	if im == "C" && !cgoAllowed.MatchString(s.file) {
		t.Errorf(`%s imports "C"; only engines and the per-OS files of monitor may`, s.file)
	}
	ours, ok := strings.CutPrefix(im, "assay/")
	if !ok {
		return
	}
	if s.pkg == "gpu/metal" && ours == "gpu/metal/sim" && !strings.HasSuffix(s.file, "_metalsim.go") {
		t.Errorf("%s imports the simulated Metal outside of metalsim builds", s.file)
	}
	if slices.Contains(allowed, ours) || strings.HasPrefix(ours, s.pkg+"/internal/") {
		return
	}
	t.Errorf("%s: the arrow %s → %s is not allowed", s.file, s.pkg, ours)
}

// No package registers itself. ui/locale is the one that must act before others are initialised, and says why.
func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg == "ui/locale" {
			continue
		}
		b, err := os.ReadFile(filepath.FromSlash(s.file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "\nfunc init()") {
			t.Errorf("%s has an init function", s.file)
		}
	}
}

// go-m1cpu below v0.2.1 crashes on start on an Apple M5; gopsutil asks for an older one.
func TestM1CPUVersion(t *testing.T) {
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`github\.com/shoenig/go-m1cpu v0\.(\d+)\.(\d+)`).FindStringSubmatch(string(b))
	if m == nil {
		t.Fatal("go.mod does not require github.com/shoenig/go-m1cpu")
	}
	minor, _ := strconv.Atoi(m[1])
	patch, _ := strconv.Atoi(m[2])
	if minor < 2 || minor == 2 && patch < 1 {
		t.Errorf("go.mod requires %s, want v0.2.1 or later", m[0])
	}
}
