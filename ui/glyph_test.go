package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"golang.org/x/image/font/sfnt"
)

// Fyne substitutes a character missing from its font from any font of the machine, or shows a box. Texts of these
// folders reach the window and must not contain any. The chart draws its own text, and replaces missing characters.
func TestTextsNeedNoOtherFont(t *testing.T) {
	font, err := sfnt.Parse(theme.DefaultTheme().Font(fyne.TextStyle{}).Content())
	if err != nil {
		t.Fatal(err)
	}
	literals := 0
	rooms, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]bool{".": true}
	for _, file := range rooms {
		dirs[filepath.Dir(file)] = true
	}
	for _, dir := range []string{"../internal/si", "../workloads", "../workloads/measure", "../monitor", "../monitor/leak", "../app", "../gpu"} {
		dirs[dir] = true
	}
	for _, many := range []string{"../shaders/*/*.go", "../workloads/suite/*/*.go"} { // texts about kernels and workloads
		files, err := filepath.Glob(many)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			dirs[filepath.Dir(file)] = true
		}
	}
	delete(dirs, "chart")
	for dir := range dirs {
		for _, lit := range textsOf(t, dir) {
			literals++
			for _, r := range lit {
				if r < 128 {
					continue
				}
				if g, err := font.GlyphIndex(nil, r); err != nil || g == 0 {
					t.Errorf("%s: %q has %q, which the window's font lacks", dir, lit, r)
				}
			}
		}
	}
	if literals < 500 {
		t.Errorf("only %d texts were found", literals)
	}
}

// textsOf lists the string literals of a folder's Go files, except tests.
func textsOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, error %v", dir, len(files), err)
	}
	var texts []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					texts = append(texts, s)
				}
			}
			return true
		})
	}
	return texts
}
