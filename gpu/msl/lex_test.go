package msl_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/gpu/msl/shim/cpu"
)

// preprocessor skips a test if there is no suitable clang. Only the Linux machines of CI must have one: Apple's own clang may not
// support address spaces in C++.
func preprocessor(t *testing.T) clang.Preprocessor {
	t.Helper()
	c, err := clang.Find()
	if err != nil && os.Getenv("CI") != "" && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	p, err := c.Preprocessor(clang.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// bothTokens returns a source's tokens as the quick pass and as the exact one read them.
func bothTokens(t *testing.T, p clang.Preprocessor, s msl.Source) (quick, exact msl.Tokens, ok bool) {
	t.Helper()
	quick, ok, err := p.Quick(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if exact, err = p.Exact(t.Context(), s); err != nil && ok {
		t.Fatal(err)
	}
	return quick, exact, ok
}

func TestExpandedTokens(t *testing.T) {
	p := preprocessor(t)
	tests := map[string]string{
		"macros over lines":   "#define F(a, b) a##_t b; int c\nF(x,\n  y\n) = 1; int d\n  ; F(p, q);\n",
		"macro of a hash":     "#define H #\nH define x\nint a;\n",
		"far lines":           "int a;" + strings.Repeat("\n", 40) + "int b;\nF\n",
		"pragmas":             "#pragma unroll\nint a; _Pragma(\"unroll\") int b;\n#pragma once\nint c;",
		"literals":            "L'a' u8\"b\" U\"\\\"\" u'\\'' 1'000 0x1p-3f 1e+5 .5h 0b1 1.0bf 1..2 5-3 0xe+1",
		"punctuation":         "a+++++b->*c.*d>>=e<<=f<::g...h##i and or_eq x<=>y",
		"continued":           "int a\\\nb = 1; // c \\\n d\nint e;",
		"line and file":       "__LINE__ __FILE__ __COUNTER__\n#line 40 \"foo \\\"x\\\" \\\\y.h\"\n__LINE__ a\n",
		"conditional":         "#if __METAL_VERSION__ >= 310\nint yes;\n#else\nint no;\n#endif\n",
		"comments":            "a /* b\n c */ d // e\nf",
		"assembly":            "int f() __asm(\"air.f\");",
		"words like literals": "L u8 R Rx u8R LR int operator\"\" ;",
		"empty":               "",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quick, exact, ok := bothTokens(t, p, msl.Source{Name: "t.metal", Text: text})
			if !ok {
				t.Fatal("the quick pass does not read it")
			}
			msl.SameTokens(t, quick, exact)
			msl.SureOfLines(t, text, quick, exact)
		})
	}
}

func TestSureLines(t *testing.T) {
	p := preprocessor(t)
	const macros = "#define F(a, b) void a() {} int b;\n#define G void g() {}\n#define E\n"
	tests := map[string]struct {
		text string
		sure bool // of the line of the last name
	}{
		"plain":                 {"kernel void last(device int *a,\n  int b) {}", true},
		"template":              {"template <typename T>\n[[kernel]] void last(device T *a,", true},
		"macro on a line":       {macros + "F(x, last)\nint;", true},
		"macro before":          {macros + "G void last(\nint", true},
		"behind a macro":        {macros + "F(x,\n y) void last(int", false},
		"within a macro":        {macros + "F(x,\n last) ;", false},
		"macro and its call":    {macros + "F\n(x,\n last) ;", false},
		"empty line and a call": {macros + "F\n\n  (x, last) ;", false},
		"behind a comment":      {"int a; /* b\n*/ void last(", false},
		"before a comment":      {"int a; void last( /* b\n*/ ", true},
		"continued":             {"int a; \\\nint last(", false},
		"twice":                 {macros + "int last(E\n) , F(p,\n q) last ", false},
		"numbered":              {"#line 7\nint last;", false},
		"named":                 {"int a;\n#line 7 \"a.h\"\nint b;\n#line 3 \"u.metal\"\nvoid last(\nint", true},
		"named twice":           {"#line 7 \"a.h\"\nint b;\n#line 7 \"a.h\"\nint last(", false},
		"named, behind a macro": {macros + "#line 7 \"a.h\"\nF(x,\n y) void last(int", false},
		"within a guard":        {"#line 1 \"a.h\"\n#ifndef A\n#define A\n#line 4 \"a.h\"\nint b;\n#endif\n#line 2 \"u.metal\"\nint last(", true},
		"behind an inclusion":   {"#line 1 \"a.h\"\n#ifdef A\n#line 4 \"b.h\"\nint b;\n#endif\nint last(", false},
		"by a condition":        {"#line 1 \"a.h\"\n#ifndef A\n#line 9 \"b.h\"\nint last(\n#endif", false},
		"in a comment":          {"#line 1 \"a.h\"\n/*\n#line 9 \"b.h\"\n*/ int last(", false},
		"in a continued line":   {"#line 1 \"a.h\"\n#define B 1 \\\n#line 9\nint last(", false},
		"beside an inclusion":   {"#if 0\n#include \"b.h\"\n#endif\n#line 1 \"a.h\"\nint last(", false},
		"a digraph":             {"%:line 9 \"a.h\"\nint last(", false},
		"without a name":        {macros + "#line 1 \"a.h\"\nint p;\nint q;\n#line 1\nF(x,\n y) void last(int", false},
		"with a comment":        {macros + "#line 1 \"a.h\"\nint p;\nint q;\n#line 1 \"a.h\" // c\nF(x,\n y) void last(int", false},
		"in a condition":        {macros + "#line 1 \"a.h\"\nint p;\nint q;\n#if 1\n#line 1 \"a.h\"\nF(x,\n y) void last(int\n#endif", false},
		"after a condition":     {macros + "#line 1 \"a.h\"\n#if 0\n#line 1 \"b.h\"\n#endif\nF(x,\n y) void last(int x);\n#line 4 \"a.h\"\nint p;\nint q;\nint r;", false},
		"split":                 {macros + "#line 1 \"a.h\"\nint p;\n#li\\\nne 1 \"a.h\"\nF(x,\n y) void last(int", false},
		"after a return":        {macros + "#line 1 \"a.h\"\nint p;\nint s;\r#line 1 \"a.h\"\nF(x,\n y) void last(int", false},
		"after a comment":       {macros + "int p;\n/**/ #line 2\nF(x,\n y) void last(int", false},
		"marked":                {"# 7 \"u.metal\"\nint last;", false},
		"quotes":                {"char a = '('; int b = 1'000; int last(", true},
		"a quote open":          {macros + "F(x, \"( ) \\\" (\") last(\n", true},
		"behind parentheses":    {macros + "[[host_name(\"(\")]] kernel void last(\n", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quick, exact, ok := bothTokens(t, p, msl.Source{Name: "t.metal", Text: test.text})
			if !ok {
				t.Fatal("the quick pass does not read it")
			}
			msl.SureOfLines(t, test.text, quick, exact)
			if sure := msl.SureOfLast(test.text, quick); sure != test.sure {
				t.Errorf("sure %v, want %v", sure, test.sure)
			}
		})
	}
}

// What the quick pass is not sure of is left to the exact one.
func TestDoubtfulTokens(t *testing.T) {
	p := preprocessor(t)
	for _, text := range []string{
		"int a @ b;", "`", "\"no end\nint a;", "'no end\nint a;", "''", "int a<:3:>;", "<% %>", "int é;", "\"a\"_s", "R\"(a)\"", "#include <nothing>\n",
		"#error no\n", "a \\ b",
	} {
		if quick, _, ok := bothTokens(t, p, msl.Source{Name: "t.metal", Text: text}); ok {
			t.Errorf("%q gave %v", text, quick)
		}
	}
}

func TestExpandedFiles(t *testing.T) {
	p := preprocessor(t)
	files, err := filepath.Glob("testdata/*.metal")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			t.Parallel()
			quick, exact, ok := bothTokens(t, p, msl.Source{Name: f, Text: string(text), Include: []string{"testdata"}})
			if !ok {
				t.Fatal("the quick pass does not read it")
			}
			msl.SameTokens(t, quick, exact)
			if n := msl.SureOfLines(t, string(text), quick, exact); n < len(quick)/10 {
				t.Errorf("sure of the lines of %d names among %d tokens", n, len(quick))
			}
		})
	}
}

// TestReserved asks the lexer of this clang for every reserved word, and for those names of the library that look like one.
func TestReserved(t *testing.T) {
	p := preprocessor(t)
	words := msl.ReservedWords()
	for name := range (cpu.Target{}).Names() {
		if !slices.Contains(words, name) && name != "_Pragma" && name != "__has_feature" { // they take what follows
			words = append(words, name)
		}
	}
	slices.Sort(words)
	text := strings.Join(words, "\n")
	quick, exact, ok := bothTokens(t, p, msl.Source{Name: "t.metal", Text: text})
	if !ok {
		t.Fatal("the quick pass does not read it")
	}
	msl.SameTokens(t, quick, exact)
	if len(quick) < len(words) {
		t.Errorf("%d tokens for %d words", len(quick), len(words))
	}
}
