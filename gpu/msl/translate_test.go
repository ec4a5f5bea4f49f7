package msl

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/gpu/msl/shim/cpu"
)

// lex makes tokens of text that needs no preprocessing, as clang would.
func lex(text string) Tokens {
	var tokens Tokens
	line, col := 1, 0
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\n' {
			line, i, col = line+1, i+1, i+1
			continue
		}
		if c == ' ' || c == '\t' {
			i++
			continue
		}
		n, kind := lexOne(text[i:])
		p := place{"t.metal", line, i - col + 1}
		tokens = append(tokens, token{kind: kind, text: text[i : i+n], at: p, spelled: p, match: -1, space: true})
		i += n
	}
	return tokens
}

// target is the one that texts are emitted for.
var target cpu.Target

func translated(text string) (*Unit, error) {
	return Translate(context.Background(), "t.metal", lex(text), target.Names())
}

func emitted(u *Unit) *Text {
	t := u.emit("", nil, "")
	return &t
}

var keywords = []string{
	"namespace", "struct", "class", "enum", "template", "typename", "operator", "const", "constexpr", "static", "inline", "void", "int",
	"float", "bool", "auto", "extern", "for", "return", "true", "false", "if", "using", "typedef", "unsigned", "decltype",
}

func lexOne(s string) (int, string) {
	letter := func(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	n := 1
	switch {
	case letter(s[0]):
		for n < len(s) && (letter(s[n]) || digit(s[n])) {
			n++
		}
		if slices.Contains(keywords, s[:n]) {
			return n, s[:n]
		}
		return n, "identifier"
	case digit(s[0]):
		for n < len(s) && (letter(s[n]) || digit(s[n]) || s[n] == '.') {
			n++
		}
		return n, "numeric_constant"
	case s[0] == '"':
		for n < len(s) && s[n] != '"' {
			n++
		}
		return min(n+1, len(s)), "string_literal"
	}
	for _, op := range []string{"::", "->", "&&", ">>"} {
		if strings.HasPrefix(s, op) {
			return 2, "punctuation"
		}
	}
	return 1, "punctuation"
}

func TestParseToken(t *testing.T) {
	dump := "identifier 'a'\t [StartOfLine]\tLoc=<x.h:1:2>\n" +
		"string_literal 'R\"(a\n'\t)\"'\t [LeadingSpace]\tLoc=<a:b.metal:3:4>\n" +
		"r_paren ')'\t [LeadingSpace] [UnClean='\\\n)']\tLoc=<f.metal:38:1 <Spelling=f.metal:22:57>>\n" +
		"f.metal:1:2: error: no such thing\n" +
		"identifier 'b_c'\t\tLoc=<f.metal:7:1 <Spelling=<scratch space>:3:1>>\n" +
		"eof ''\t\tLoc=<f.metal:9:1>\n"
	tokens, rest, _ := ParseTokens(t.Context(), dump)
	if len(rest) != 1 || rest[0] != "f.metal:1:2: error: no such thing" {
		t.Errorf("rest %q", rest)
	}
	want := []token{
		{kind: "identifier", text: "a", at: place{"x.h", 1, 2}, spelled: place{"x.h", 1, 2}, newline: true, match: -1},
		{kind: "string_literal", text: "R\"(a\n'\t)\"", at: place{"a:b.metal", 3, 4}, spelled: place{"a:b.metal", 3, 4}, space: true, match: -1},
		{kind: "r_paren", text: ")", at: place{"f.metal", 38, 1}, spelled: place{"f.metal", 22, 57}, space: true, match: -1},
		{kind: "identifier", text: "b_c", at: place{"f.metal", 7, 1}, spelled: place{"f.metal", 7, 1}, match: -1},
	}
	if len(tokens) != len(want) {
		t.Fatalf("%d tokens, want %d", len(tokens), len(want))
	}
	for i := range want {
		if tokens[i] != want[i] {
			t.Errorf("token %d is\n%+v, want\n%+v", i, tokens[i], want[i])
		}
	}
}

func TestTranslation(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"spaces":      {"void f(device float *a, thread int &b);", "void f ( MSL_DEVICE float * a , int & b ) ;"},
		"attribute":   {"struct S { float x [[id(0)]]; };", "struct S { float x ; } ;"},
		"discardable": {"void f() {}", "inline void f ( ) { }"},
		"static":      {"static void f() {}", "static void f ( ) { }"},
		"qualifier":   {"struct S { int f() const thread { } int f() const device { } };", "struct S { int f ( ) const { } } ;"},
		"constant qualifier": {
			"struct S { int f() constant { } int g() device; };", "struct S { int f ( ) const { } int g ( ) ; } ;",
		},
		"threadgroup": {
			"void f() { threadgroup float a[4], b; }",
			`inline void f ( ) { MSL_VARIABLE(a, float [ 4 ]); MSL_VARIABLE(b, float); }`,
		},
		"threadgroup pointer": {"void f() { threadgroup float *a; }", "inline void f ( ) { MSL_THREADGROUP float * a ; }"},
		"local constant":      {"void f() { constant int a = 1; }", "inline void f ( ) { static MSL_CONSTANT int a = 1 ; }"},
		"literals":            {"void f() { half a = 1.5h; bfloat b = 2.0bf; int c = 0x1h; half d = 1h; }", "inline void f() { half a = half(1.5f) ; bfloat b = bfloat(2.0f) ; int c = 0x1h ; half d = half(1.0f) ; }"},
		"function constant": {
			"constant bool a [[function_constant(3)]]; constant bool b = is_function_constant_defined(a);",
			"MSL_CONSTANT bool a = ::msl::constant_value<bool, 3>() ; MSL_CONSTANT bool b = ::msl::constant_defined<3>() ;",
		},
		"array parameter":    {"void f(device int a[4], device int b[2][3], thread int c[2]) ;", "void f ( MSL_DEVICE int * a , MSL_DEVICE int (* b ) [ 3 ] , int c [ 2 ] ) ;"},
		"own reference":      {"struct S { device float &at(int i) device { } };", "struct S { float & at ( int i ) { } } ;"},
		"coherent":           {"void f(coherent(device) device float *a);", "void f ( MSL_DEVICE float * a ) ;"},
		"qualified question": {"constant int a [[function_constant(0)]]; constant bool b = metal::is_function_constant_defined(a);", "MSL_CONSTANT int a = ::msl::constant_value<int, 0>() ; MSL_CONSTANT bool b = ::msl::constant_defined<0>() ;"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			u, err := translated(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(strings.Fields(emitted(u).String()), " ")
			if strings.Join(strings.Fields(tt.want), "") != strings.Join(strings.Fields(got), "") {
				t.Errorf("translated to\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestTrampolines(t *testing.T) {
	u, err := translated(`namespace n { template <typename T, int N = 2> [[kernel, max_total_threads_per_threadgroup(N * 32)]]
		void k(device T *x, uint2 i [[thread_position_in_grid]]) { } template [[host_name("a" "b")]] kernel void k<float, 4>(device float *, uint2); }`)
	if err != nil {
		t.Fatal(err)
	}
	e := u.Entries()[0]
	if e.Name != "ab" || e.MaxThreads != 128 {
		t.Errorf("entry %q with %d threads, want ab with 128", e.Name, e.MaxThreads)
	}
	o := u.EmitEntry(target, 0, "msl_entry", "")
	text := o.String()
	for _, want := range []string{"::msl::buffer<0>, ::msl::builtin<&::msl_thread::thread_position_in_grid>>(c)", "::n::msl_call_entry(c)", "&::n::k"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Every piece of the output leads back to the token that it came from.
func TestSourceMap(t *testing.T) {
	u, err := translated("void f() {\n  threadgroup float a;\n  a = nothing; }")
	if err != nil {
		t.Fatal(err)
	}
	o := u.emit("", nil, "")
	lines := strings.Split(o.String(), "\n")
	found := 0
	for n, line := range lines {
		for _, word := range []string{"nothing", "MSL_VARIABLE"} {
			if col := strings.Index(line, word); col >= 0 {
				found++
				p := u.tokens[o.find(n+1, col+1)].at
				want := map[string]place{"nothing": {"t.metal", 3, 7}, "MSL_VARIABLE": {"t.metal", 2, 3}}[word]
				if p != want {
					t.Errorf("%s is at %+v, want %+v", word, p, want)
				}
			}
		}
	}
	if found != 2 {
		t.Errorf("found %d words, want 2", found)
	}
	if o.find(0, 1) != -1 || o.find(len(lines)+5, 1) != -1 {
		t.Error("a line that does not exist has a token")
	}
}

func TestEvaluate(t *testing.T) {
	tests := map[string]struct {
		want int64
		ok   bool
	}{
		"3": {3, true}, "1 + 2 * 3": {7, true}, "(1 + 2) * 3": {9, true}, "0x10u": {16, true}, "-4 + 1": {-3, true},
		"A + ns::B": {12, true}, "7 / 0": {0, false}, "x": {0, false}, "": {0, false}, "1 +": {0, false}, "(1": {0, false},
		"64 / 8 % 3": {2, true}, "1 | 4": {5, true}, "true": {1, true},
	}
	for text, tt := range tests {
		u := newUnit("t", lex(text))
		matchBrackets(u.tokens)
		u.values["A"], u.values["B"] = 4, 8
		got, ok := u.evaluate(span{0, len(u.tokens)}, nil)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q is %d, %v; want %d, %v", text, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzParseTokens(f *testing.F) {
	f.Add("identifier 'a'\t [StartOfLine]\tLoc=<x.h:1:2>\n")
	f.Add("r_paren ')'\t [LeadingSpace] [UnClean='\\\n)']\tLoc=<f.metal:38:1 <Spelling=f.metal:22:57>>\n")
	f.Add("string_literal '\"'\t'\t\tLoc=<")
	f.Fuzz(func(t *testing.T, dump string) {
		tokens, _, _ := ParseTokens(t.Context(), dump)
		for _, k := range tokens {
			if k.kind == "eof" {
				t.Fatal("the end of the file is a token")
			}
		}
		u, err := Translate(t.Context(), "t.metal", tokens, target.Names())
		if err == nil {
			u.EmitChecks(target, nil)
		}
	})
}

// An interrupt is noticed while tokens are read, and their number is limited.
func TestReadingTokensEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Lex(ctx, "int a;"); !errors.Is(err, context.Canceled) {
		t.Errorf("Lex: %v", err)
	}
	if _, _, err := ParseTokens(ctx, "identifier 'a'\t [StartOfLine]\tLoc=<x.h:1:2>\n"); !errors.Is(err, context.Canceled) {
		t.Errorf("ParseTokens: %v", err)
	}
	if _, err := Translate(ctx, "t.metal", lex("int a;"), target.Names()); !errors.Is(err, context.Canceled) {
		t.Errorf("Translate: %v", err)
	}
	if err := goesOn(t.Context(), maxTokens+1); !errors.Is(err, ErrTooManyTokens) {
		t.Errorf("too many: %v", err)
	}
}

func FuzzTranslate(f *testing.F) {
	for _, s := range []string{
		"template [[host_name(\"x\")]] kernel void f<float>(device float *, uint);",
		"template <typename T> kernel void f(device T *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { threadgroup T s[4], t; }",
		"struct S { constexpr S(int x) thread : a(x), b{x} {} operator float() const device { } int a : 3; };",
		"enum E : uint { A = 1, B, C = A + 2 }; namespace a::b { constant int c [[function_constant(C)]]; }",
		"void f() { int x = a ? b : c; constant int y[] = {1}; for (threadgroup int *p = q; ; ) { } }",
		"using A = A A A A A A A A A A A A; kernel void k(A A A A A A A a) {} A *x;", "typedef float a; using b = a; void f(b *x, int n) { float y[n]; }",
		"", "\t\t\t\t", "[[]]<", "operator", "template <", "a <b>::c (", "extern \"C\" {", "kernel", "= [[", "is_function_constant_defined(a)", "coherent(", "threadgroup float a b;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := translated(text)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a message")
			}
			return
		}
		for i := range u.tokens {
			u.Fix(i)
		}
		o := u.EmitChecks(target, nil)
		for i := range u.entries {
			u.EmitEntry(target, i, "msl_entry", "")
		}
		for n, marks := range o.lines {
			for _, m := range marks {
				if m.token < 0 || m.token >= len(u.tokens) {
					t.Fatalf("line %d maps to token %d of %d", n+1, m.token, len(u.tokens))
				}
			}
		}
	})
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{"a 'é'": "a 'é'", "a\x1b[31m": `a\x1b[31m`, "\xff\x00": `\xff\x00`, "\u202e": `\u202e`, "a\tb": `a\tb`} {
		if got := Printable(in); got != want {
			t.Errorf("Printable(%q) is %q, want %q", in, got, want)
		}
	}
}
