package native

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// message is a message sent by the macOS code.
type message struct {
	place  string // in the source
	by     string // ask, tell, askClass
	answer string // the Go type of the answer; empty for none
	method string // "-[Class name:]"
	args   int
}

// darwinSource is the package's code for macOS, which this test reads but need not build.
func darwinSource(t *testing.T) (*token.FileSet, []*ast.File) {
	t.Helper()
	names, err := filepath.Glob("*_darwin.go")
	if err != nil || len(names) < 3 {
		t.Fatalf("found %v, %v; want the files for macOS", names, err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return fset, files
}

// sent lists the messages in the source.
func sent(fset *token.FileSet, files []*ast.File) (all []message) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if m, ok := messageOf(call); ok {
					m.place = fset.Position(call.Pos()).String()
					all = append(all, m)
				}
			}
			return true
		})
	}
	return all
}

// messageOf is the message that a call sends, if it sends one.
func messageOf(call *ast.CallExpr) (m message, ok bool) {
	fun := call.Fun
	if generic, isGeneric := fun.(*ast.IndexExpr); isGeneric {
		fun, m.answer = generic.X, types.ExprString(generic.Index)
	}
	name, isName := fun.(*ast.Ident)
	if !isName {
		return m, false
	}
	m.by = name.Name
	at := 1
	switch m.by {
	case "askClass":
		at, m.answer = 0, "objc.ID"
	case "ask", "tell":
	default:
		return m, false
	}
	if len(call.Args) > at {
		if literal, isLiteral := call.Args[at].(*ast.BasicLit); isLiteral {
			m.method, _ = strconv.Unquote(literal.Value) // what is not a string fails below
		}
	}
	m.args = len(call.Args) - at - 1
	return m, true
}

var methodForm = regexp.MustCompile(`^([+-])\[(\w+) (\w+|(?:\w+:)+)\]$`)

// check returns the error in how a message is written.
func (m message) check() error {
	parts := methodForm.FindStringSubmatch(m.method)
	switch {
	case parts == nil:
		return fmt.Errorf("%q is not a method", m.method)
	case strings.Count(parts[3], ":") != m.args:
		return fmt.Errorf("%s is sent with %d arguments", m.method, m.args)
	case m.by == "askClass" && parts[1] != "+" || m.by == "tell" && parts[1] != "-":
		return fmt.Errorf("%s is sent by %s", m.method, m.by)
	}
	return nil
}

// statement returns the message in Objective-C, on an object of its class. An answer is stored in a
// variable of the type that Go takes it for.
func (m message) statement() string {
	parts := methodForm.FindStringSubmatch(m.method)
	to := parts[2]
	if parts[1] == "-" {
		to = "((" + to + " *)nil)"
	}
	ctype := map[string]string{"": "(void)", "objc.ID": "id v =", "int": "NSInteger v =", "string": "const char *v ="}[m.answer]
	return fmt.Sprintf("{ %s [%s %s]; }\n", ctype, to, strings.ReplaceAll(parts[3], ":", ":0 "))
}

// TestOnlyDarwinUsesObjC keeps messages to Objective-C out of what other systems build.
func TestOnlyDarwinUsesObjC(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	users := 0
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, im := range f.Imports {
			if !strings.Contains(im.Path.Value, "purego/objc") {
				continue
			}
			users++
			if !strings.HasSuffix(name, "_darwin.go") {
				t.Errorf("%s imports %s", name, im.Path.Value)
			}
		}
	}
	if users == 0 {
		t.Error("no file imports purego/objc: were they all read?")
	}
}

func TestMessagesAreWellFormed(t *testing.T) {
	all := sent(darwinSource(t))
	if len(all) < 25 {
		t.Fatalf("found %d messages: were they all read?", len(all))
	}
	for _, m := range all {
		if err := m.check(); err != nil {
			t.Errorf("%s: %v", m.place, err)
		}
	}
}

// TestMessagesExist compiles each method, its class and its result type against Apple's headers.
func TestMessagesExist(t *testing.T) {
	compiler := appleCompiler(t)
	fset, files := darwinSource(t)
	var body strings.Builder
	for _, m := range sent(fset, files) {
		body.WriteString(m.statement())
	}
	// Imports are not resolved; constants of our own need none.
	config := types.Config{Error: func(error) {}}
	pkg, _ := config.Check("native", fset, files, nil)
	for name, value := range constants(t, pkg) {
		fmt.Fprintf(&body, "{ char same[(%s) == %s ? 1 : -1]; (void)same; }\n", name, value)
	}
	name := constant.StringVal(constantOf(t, pkg, "willLaunch"))
	fmt.Fprintf(&body, "{ NSNotificationName name = %s; (void)name; }\n", name)
	if out, err := compile(t, compiler, body.String()); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, wrong := range []message{
		{method: "-[NSSavePanel runModally]"},                     // no such method
		{method: "-[NSSavePanel setCanChooseFiles:]"},             // of another class
		{method: "+[NSPanelOfFiles savePanel]"},                   // no such class
		{method: "-[NSArray count]", answer: "objc.ID"},           // a number
		{method: "-[NSSavePanel URL]", answer: "int"},             // an object
		{method: "-[NSURL path]", answer: "string"},               // an NSString
		{method: "-[NSSavePanel runModal]", answer: "string"},     // a number
		{method: "+[NSAutoreleasePool drain]", answer: "objc.ID"}, // of objects, not of the class
	} {
		if _, err := compile(t, compiler, wrong.statement()); err == nil {
			t.Errorf("the compiler accepts %s with the answer %q: this test proves nothing", wrong.method, wrong.answer)
		}
	}
}

// appleCompiler is a compiler with Apple's headers.
func appleCompiler(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "darwin" {
		return "clang"
	}
	if os.Getenv("MACOS_SDK") == "" {
		t.Skip("MACOS_SDK is not set: it names Apple's headers (docs/macos.md)")
	}
	return filepath.Join("..", "..", "packaging", "macos", "cc")
}

// compile checks statements as the body of a function.
func compile(t *testing.T, compiler, body string) (output []byte, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "messages.m")
	code := "#import <AppKit/AppKit.h>\n#import <UniformTypeIdentifiers/UniformTypeIdentifiers.h>\n" +
		"void messages(void) {\n" + body + "}\n"
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(compiler, "-fsyntax-only", "-Werror", "-Wno-nonnull", "-Wno-unused-variable", file)
	c.Env = append(os.Environ(), "MACOS_WARN=-Wall", "GOARCH=arm64")
	return c.CombinedOutput()
}

// constants returns the constants in the source that Apple's headers have, by Apple's name.
func constants(t *testing.T, pkg *types.Package) map[string]string {
	t.Helper()
	values := map[string]string{}
	for name, ours := range map[string]string{
		"NSModalResponseOK": "modalOK", "kCoreEventClass": "coreEventClass", "kAEOpenDocuments": "openDocuments",
		"keyDirectObject": "directObject", "typeAEList": "listType",
	} {
		values[name] = constantOf(t, pkg, ours).ExactString()
	}
	return values
}

func constantOf(t *testing.T, pkg *types.Package, name string) constant.Value {
	t.Helper()
	c, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok || c.Val().Kind() == constant.Unknown {
		t.Fatalf("the source has no constant %s", name)
	}
	return c.Val()
}
