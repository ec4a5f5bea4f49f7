package msl

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// translatedName is how clang calls the text that it reads from standard input.
const translatedName = "<stdin>"

// maxNotes bounds the notes on one error.
const maxNotes = 4

// diagnose maps clang's diagnostics back to the source. An error within the language's headers is reported at the
// first place of the source that led there.
func (u *unit) diagnose(o *output, text string) []Diagnostic {
	var all []Diagnostic
	placed, notes := true, 0
	for _, line := range lines(text) {
		d, ok := parseDiagnostic(line)
		if !ok {
			continue
		}
		ours := d.File == translatedName
		d = u.locate(o, d)
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

// inLibrary reports whether clang found an error within the language's headers.
func inLibrary(text string) bool {
	return slices.ContainsFunc(lines(text), func(line string) bool {
		d, ok := parseDiagnostic(line)
		return ok && d.Severity == "error" && d.File != translatedName
	})
}

// locate finds the place in the source, and words the message in the language's terms.
func (u *unit) locate(o *output, d Diagnostic) Diagnostic {
	d.Message = printable(wording.Replace(d.Message))
	if d.File != translatedName {
		d.File, d.Line, d.Column = u.name, 0, 0
		if d.Severity == "note" {
			d.Message = "in the language's library: " + d.Message
		}
		return d
	}
	d.File = u.name
	if i := o.find(d.Line, d.Column); i >= 0 {
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

// printable spells bytes that would act on a terminal, and those of no character, as they are written in a string.
func printable(s string) string {
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

// wording replaces what the translated text calls things by what the source does.
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
