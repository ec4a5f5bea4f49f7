package desk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/app"
)

// TestEveryKeyIsForgotten reads the key constants from the source: a new one must be in the list too.
func TestEveryKeyIsForgotten(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "settings.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "key") || spec.Names[0].Name == "keyValues" {
			return true // values are stored per workload
		}
		key, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if found++; err != nil || !slices.Contains(keys(nil), key) {
			t.Errorf("%s, %q, is not forgotten", spec.Names[0].Name, key)
		}
		return true
	})
	if found != len(keys(nil)) {
		t.Errorf("%d keys are declared, %d are forgotten", found, len(keys(nil)))
	}
}

func TestCommandLineFindsTheBaseline(t *testing.T) {
	if keyBaseline != app.BaselineSetting {
		t.Errorf("the window writes %q, the command line reads %q", keyBaseline, app.BaselineSetting)
	}
}
