package msl

import (
	"bufio"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextName is what the compiler calls the emitted text, which it reads from standard input.
const TextName = "<stdin>"

// maxNotes bounds the notes on one error.
const maxNotes = 4

// Diagnose maps the compiler's messages for an emitted text to the source. An error within the language's headers is reported
// at the first place of the source that led there.
func (u *Unit) Diagnose(t *Text, said string) []Diagnostic {
	var all []Diagnostic
	placed, notes := true, 0
	for _, line := range Lines(said) {
		d, ok := ParseDiagnostic(line)
		if !ok {
			continue
		}
		ours := d.File == TextName
		d = u.locate(t, d)
		switch {
		case d.Severity == "error" && slices.Contains(all, d):
			notes = maxNotes // another instance of a template
		case d.Severity == "error":
			all = append(all, d)
			placed, notes = ours, 0
		case d.Severity != "note" || len(all) == 0:
		case !placed && ours:
			last := &all[len(all)-1]
			last.File, last.Line, last.Column = d.File, d.Line, d.Column
			placed = true
		case !ours && (strings.Contains(d.Message, "expanded from ") || strings.Contains(d.Message, "requested here")):
		case notes < maxNotes:
			all = append(all, d)
			notes++
		}
	}
	return all
}

// InLibrary reports whether the compiler found an error within the language's headers.
func InLibrary(said string) bool {
	return slices.ContainsFunc(Lines(said), func(line string) bool {
		d, ok := ParseDiagnostic(line)
		return ok && d.Severity == "error" && d.File != TextName
	})
}

// locate finds the place in the source and rewrites the message in terms of the language.
func (u *Unit) locate(text *Text, d Diagnostic) Diagnostic {
	d.Message = Printable(wording.Replace(d.Message))
	if d.File != TextName {
		d.File, d.Line, d.Column = u.name, 0, 0
		if d.Severity == "note" {
			d.Message = "in the language's library: " + d.Message
		}
		return d
	}
	d.File = u.name
	if i := text.find(d.Line, d.Column); i >= 0 {
		t := &u.tokens[i]
		d.File, d.Line, d.Column = t.at.file, t.at.line, t.at.col
		if t.spelled != t.at && d.Severity == "error" {
			spelled := Diagnostic{File: t.spelled.file, Line: t.spelled.line, Column: t.spelled.col}
			d.Message += " (" + spelled.where() + " in a macro)"
		}
	} else {
		d.Line, d.Column = 0, 0
	}
	return d
}

// Printable escapes control characters and invalid UTF-8 as in a string literal.
func Printable(s string) string {
	clean := func(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return !clean(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if clean(r) {
			b.WriteRune(r)
		} else {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

func (d Diagnostic) where() string { return d.File + ":" + itoa(d.Line) + ":" + itoa(d.Column) }

// wording replaces the names of the translated text by those of the source.
var wording = strings.NewReplacer(
	"const __global_host ", "constant ", "__global_host", "constant", "__global_device", "device", "__local", "threadgroup",
	"generic address space", "the thread address space", "_Float16", "half", "MSL_DEVICE", "device", "MSL_CONSTANT",
	"constant",
	"MSL_THREADGROUP", "threadgroup",
)

func sortDiagnostics(d []Diagnostic) {
	slices.SortStableFunc(d, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// ParseDiagnostic reads file:line:column: severity: message, as compilers write it.
func ParseDiagnostic(line string) (Diagnostic, bool) {
	for _, severity := range []string{"fatal error", "error", "warning", "note"} {
		where, message, ok := strings.Cut(line, ": "+severity+": ")
		if !ok {
			continue
		}
		p, ok := parsePlace(where, map[string]string{})
		if !ok {
			continue
		}
		if severity == "fatal error" {
			severity = "error"
		}
		return Diagnostic{p.file, p.line, p.col, severity, message}, true
	}
	return Diagnostic{}, false
}

// Lines splits text as a scanner does.
func Lines(text string) []string {
	var all []string
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, len(text)+1)
	for sc.Scan() {
		all = append(all, sc.Text())
	}
	return all
}
