package msl

import (
	"strings"
	"testing"
)

// Internals that the tests outside the package, which run clang, need.

// SameTokens compares everything that the translator reads from tokens, except their places.
func SameTokens(t *testing.T, quick, exact Tokens) {
	t.Helper()
	for i := range min(len(quick), len(exact)) {
		q, e := &quick[i], &exact[i]
		same := q.text == e.text && q.identifier() == e.identifier() && q.literal() == e.literal() && q.word() == e.word() &&
			(!q.literal() || q.kind == e.kind)
		if !same {
			t.Fatalf("token %d is %s %q at %v, want %s %q at %v", i, q.kind, q.text, q.at, e.kind, e.text, e.at)
		}
	}
	if len(quick) != len(exact) {
		t.Fatalf("%d tokens, want %d", len(quick), len(exact))
	}
}

// SureOfLines compares the lines that are considered certain, and returns how many names have one.
func SureOfLines(t *testing.T, text string, quick, exact Tokens) int {
	t.Helper()
	u := newUnit("t.metal", quick)
	lines := linesOf("t.metal", text)
	n := 0
	for i := range quick {
		if !quick[i].identifier() || !u.sureLine(i, lines) {
			continue
		}
		n++
		if q, e := quick[i].at, exact[i].at; q.file != e.file || q.line != e.line {
			t.Errorf("%s is said to be in line %d of %s, want %d of %s", quick[i].text, q.line, q.file, e.line, e.file)
		}
	}
	return n
}

// SureOfLast reports whether the line of the last token "last" is considered certain.
func SureOfLast(text string, quick Tokens) bool {
	last := -1
	for i := range quick {
		if quick[i].is("last") {
			last = i
		}
	}
	return newUnit("t.metal", quick).sureLine(last, linesOf("t.metal", text))
}

// ReservedWords are the words that clang's lexer takes for keywords.
func ReservedWords() []string { return strings.Fields(reserved) }
