package editor

import (
	"slices"
	"strings"
	"testing"
)

// colored is the kinds of a document's parts, by line.
func colored(l *Language, text string) string {
	d, h := NewDocument(text), &highlights{language: l}
	names := [...]string{"plain", "comment", "keyword", "type", "number", "string", "directive", "attribute"}
	var out []string
	for i := range d.Lines() {
		var line []string
		for _, p := range h.of(d, i) {
			line = append(line, names[p.kind]+":"+string(d.lines[i][p.from:p.to]))
		}
		out = append(out, strings.Join(line, " "))
	}
	return strings.Join(out, "\n")
}

func TestMSLIsColored(t *testing.T) {
	for _, c := range [][2]string{
		{"kernel void f(device const float4 *x [[buffer(0)]])", "keyword:kernel type:void keyword:device keyword:const type:float4 attribute:[[buffer(0)]]"},
		{"half4x4 m; packed_float3 p; float5 q; floaty r;", "type:half4x4 type:packed_float3"},
		{"x = 1.5e-3f + 0x1F - .5 + a1;", "number:1.5e-3f number:0x1F number:.5"},
		{"0xe-1", "number:0xe number:1"},
		{"#include <metal_stdlib> // all", "directive:#include string:<metal_stdlib> comment:// all"},
		{"#  define N 4", "directive:#  define number:4"},
		{"a /* b\nint c\n*/ int d /* e */ f", "comment:/* b\ncomment:int c\ncomment:*/ type:int comment:/* e */"},
		{`s = "a\"b" + 'c'; "open`, `string:"a\"b" string:'c' string:"open`},
		{"// é /* not open\nint x", "comment:// é /* not open\ntype:int"},
		{"/*/ int */ int", "comment:/*/ int */ type:int"},
	} {
		if got := colored(MSL(), c[0]); got != c[1] {
			t.Errorf("%q:\n%s\nwant\n%s", c[0], got, c[1])
		}
	}
}

func TestTextOverLinesIsColored(t *testing.T) {
	const text = "a = \"\"\"two\nlines\"\"\" # not\nb = 'one'\nc = true"
	const want = "string:\"\"\"two\nstring:lines\"\"\" comment:# not\nstring:'one'\nkeyword:true"
	if got := colored(TOML(), text); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The lists must be sorted, or words are not found.
func TestWordsAreSorted(t *testing.T) {
	for _, l := range []*Language{MSL(), TOML()} {
		for _, list := range [][]string{l.Keywords, l.Types, l.Vectors} {
			if !slices.IsSorted(list) {
				t.Errorf("not sorted: %q", list)
			}
		}
	}
}

// FuzzHighlight checks that parts are in order, apart and within their line, whatever the text.
func FuzzHighlight(f *testing.F) {
	f.Add("/* a\n*/ \"\"\"x\n[[ ' #include <a")
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range []*Language{MSL(), TOML()} {
			d, h := NewDocument(text), &highlights{language: l}
			for i := range d.Lines() {
				end := 0
				for _, p := range h.of(d, i) {
					if p.from < end || p.to < p.from || p.to > len(d.lines[i]) {
						t.Fatalf("line %q has %v after %d", d.Line(i), p, end)
					}
					end = p.to
				}
			}
		}
	})
}
