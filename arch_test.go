package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"assay/internal/race"
)

// A rule says which packages of Assay the packages whose path matches may import; their tests may import anything. Both are
// patterns over whole paths, so that a new page, workload family or leaf package needs no line here. Every package may
// use internal/; a package's internal packages may import what the package may.
type rule struct{ pkg, may string }

// rules are the layers of docs/architecture.md; the first match applies. A package that matches none may not exist.
func rules() []rule {
	const (
		session  = "app|app/advice|app/bundle|app/drill|app/remote|app/report"
		measured = "gpu|monitor|monitor/leak|monitor/target|workloads|workloads/measure"
	)
	return []rule{
		{"", "app|app/cli|assets|ui|ui/fyneenv|gpu/metal|gpu/cuda|gpu/cpu|monitor|workloads|workloads/suite"},
		{"app", "app/advice|app/bundle|app/report|app/scrape|workloads/bench|gpu/probe|shaders(/catalog)?|workloads/quant(/plan|/weightfile)?|workloads/graph|workloads/own|" + measured},
		{"app/cli", session + "|gpu/msl(/clang)?|shaders|workloads/graph|" + measured},
		{"app/bundle", measured},
		{"app/scrape", "monitor"},
		{"app/advice", "app/bundle|" + measured},
		{"app/report", "app/advice|app/bundle|" + measured},
		{"app/remote", "app/bundle"},
		{"app/drill", "app|app/bundle|gpu/inject|" + measured},
		{"ui", session + "|assets|ui/(desk|kit|native|view)|ui/[a-z]+page|" + measured},
		{"ui/aboutpage", session + "|assets|ui/(chart|desk|kit|native|view)|" + measured},
		{"ui/[a-z]+page", session + "|ui/(chart|desk|editor|kit|native|view)|" + measured},
		{"ui/desk", session + "|app/scrape|ui/(kit|native|view)|" + measured},
		{"ui/view", session + "|ui/(chart|kit)|" + measured},
		{"ui/(kit|native|chart|fyneenv)", ""},
		{"ui/editor", "ui/kit"},
		{"ui/uitest", session + "|app/scrape|gpu/gputest|ui/(desk|kit|native)|workloads/quant(/[a-z]+)?|workloads/suite(/[a-z]+)?|" + measured},
		{"gpu", "shaders"},
		{"gpu/enginekit", "gpu|shaders"},
		{"gpu/cpu", "gpu|gpu/enginekit|shaders"},
		{"gpu/metal", "gpu|gpu/enginekit|shaders|gpu/metal/sim"},
		{"gpu/metal/sim", "gpu/msl|gpu/msl/(clang|exec)"},
		{"gpu/cuda", "gpu|gpu/enginekit|gpu/cuda/kernels|shaders"},
		{"gpu/cuda/kernels(/(generate|jobs))?", "gpu|gpu/cuda/kernels|gpu/msl|gpu/msl/clang|gpu/msl/shim/cuda|shaders(/catalog)?"},
		{"gpu/probe", "gpu|shaders(/[a-z]+)?"},
		{"gpu/inject", "gpu|shaders"},
		{"gpu/gputest", "gpu|gpu/enginekit|shaders(/[a-z]+)?"},
		{"gpu/msl", ""},
		{"gpu/msl/(clang|exec|shim.*)", "gpu/msl|gpu/msl/.*"},
		{"shaders(/[a-z]+)?", "shaders(/[a-z]+)?"},
		{"workloads", "gpu|shaders(/[a-z]+)?|workloads/(measure|quant(/[a-z]+)?)"},
		{"workloads/bench", "gpu|shaders(/[a-z]+)?|workloads|workloads/(measure|quant(/[a-z]+)?)"},
		{"workloads/bench/benchtest", "gpu|gpu/gputest|workloads|workloads/measure"},
		{"workloads/suite/controls", "gpu|gpu/inject|shaders(/[a-z]+)?|workloads|workloads/(bench|measure)"},
		{"workloads/suite(/[a-z]+)?", "gpu|shaders(/[a-z]+)?|workloads|workloads/(bench|measure|quant(/[a-z]+)?|graph|suite/[a-z]+)"},
		{"workloads/measure", ""},
		{"workloads/graph", "shaders(/[a-z]+)?"},
		{"workloads/own", "gpu|gpu/msl(/clang|/exec)?|shaders|workloads/measure|workloads/quant/weightfile"},
		{"workloads/quant", ""},
		{"workloads/quant/[a-z]+", "workloads/quant(/[a-z]+)?"},
		{"monitor|monitor/leak", ""},
		{"monitor/target", "monitor"},
		{"assets|packaging/macos", ""},
		{"internal/[a-z]+", ""},
	}
}

// whole returns a pattern that must match all of a path.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile("^(" + pattern + ")$") }

// allowed returns what a package of Assay may import; nil if no rule covers the package.
func allowed(pkg string) *regexp.Regexp {
	for _, r := range rules() {
		if whole(r.pkg).MatchString(pkg) {
			may := "internal/[a-z]+"
			if r.may != "" {
				may += "|" + r.may
			}
			return whole(may)
		}
	}
	return nil
}

// Packages that may import Fyne, and files that may import "C".
var (
	fyneAllowed = regexp.MustCompile(`^ui(/.*)?$`)
	cgoAllowed  = regexp.MustCompile(`^(gpu/(metal|cpu|cuda|msl/exec|metal/sim)/.*|monitor/(target/)?[^/]*_(darwin|linux)\.go)$`)
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
	if race.On {
		t.Skip("reads files on one goroutine: nothing to race with")
	}
	for _, s := range sources(t) {
		room, _, _ := strings.Cut(s.pkg, "/internal/") // a package under internal/ may import what its parent may
		may := allowed(room)
		if may == nil {
			t.Errorf("%s: package %q is not in the house", s.file, s.pkg)
			continue
		}
		for _, im := range s.imports {
			checkImport(t, s, im, may)
		}
	}
}

func checkImport(t *testing.T, s source, im string, may *regexp.Regexp) {
	t.Helper()
	if strings.HasPrefix(im, "fyne.io/") && !fyneAllowed.MatchString(s.pkg) {
		t.Errorf("%s imports Fyne; only ui may", s.file)
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
	if may.MatchString(ours) || strings.HasPrefix(ours, s.pkg+"/internal/") {
		return
	}
	t.Errorf("%s: the arrow %s → %s is not allowed", s.file, s.pkg, ours)
}

// No package registers itself. ui/fyneenv is the exception: it must act before others are initialized, and says why.
func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg == "ui/fyneenv" {
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

// Assay works offline and sends nothing: no package can open a connection, except the one that answers Prometheus on this
// machine when asked (TestOnlyThisMachineIsServed, TestNothingOpensANetworkSocket).
func TestNoNetwork(t *testing.T) {
	network := regexp.MustCompile(`^(net|net/.*|crypto/tls|golang\.org/x/(net|crypto/ssh).*)$`)
	for _, s := range sources(t) {
		for _, im := range s.imports {
			if network.MatchString(im) && im != "net/url" && s.pkg != "app/scrape" {
				t.Errorf("%s imports %s", s.file, im)
			}
		}
	}
}

// go-m1cpu below v0.2.1 crashes at startup on an Apple M5; gopsutil requires an older version.
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
