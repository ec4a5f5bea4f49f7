// Package plain makes texts safe to show: it escapes control characters and marks that change the text direction, and
// capitalizes the first letter.
package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns text that is safe for a terminal or a label, on one line: control characters, marks that change the text direction, and
// invalid UTF-8 bytes are escaped, such as \x1b, \n, \u202e or \xff. Everything else is unchanged.
func Text(s string) string { return writeOut(s, "") }

// Lines is Text for multi-line text.
func Lines(s string) string { return writeOut(s, "\n\t") }

// Capitalized capitalizes a text if it begins with an English word: "µs" is unchanged, and so is a name such as q4_K or weights.gguf.
func Capitalized(s string) string {
	if isName(firstWord(s)) {
		return s
	}
	return UpperFirst(s)
}

// UpperFirst capitalizes a text if it begins with an English letter, whatever its first word is.
func UpperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// firstWord returns what comes before the first space, without trailing punctuation.
func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return strings.TrimRight(word, ".,:;!?…)")
}

// isName reports whether a word is not spelled like an English word: with a digit, an underscore, a dot or a capital.
func isName(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r == '_' || r == '.' || unicode.IsDigit(r) || unicode.IsUpper(r) })
}

// writeOut leaves the characters in keep unchanged.
func writeOut(s, keep string) string {
	var out strings.Builder
	from := 0 // everything before it has been written
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if text := writtenOut(s[i:i+size], r); text != "" && !strings.ContainsRune(keep, r) {
			out.WriteString(s[from:i])
			out.WriteString(text)
			from = i + size
		}
		i += size
	}
	if from == 0 {
		return s
	}
	out.WriteString(s[from:])
	return out.String()
}

// writtenOut returns Go's escape sequence for a control character; empty for others.
func writtenOut(raw string, r rune) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return `\x` + strconv.FormatUint(uint64(raw[0]), 16) // at least 0x80
	case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp):
		return strings.Trim(strconv.QuoteRuneToASCII(r), "'")
	}
	return ""
}
