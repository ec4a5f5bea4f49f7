package kit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/internal/si"
)

// noBreak is a space at which no line breaks.
const noBreak = '\u00a0'

// words returns the parts of a text between which a line may break: a number stays with its unit, and a ± with its number.
func words(s string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) && r != noBreak }) {
		if n := len(list); n > 0 && (endsInDigit(list[n-1]) && isUnit(w) || strings.HasSuffix(list[n-1], "±")) {
			list[n-1] += " " + w
			continue
		}
		list = append(list, w)
	}
	return list
}

func endsInDigit(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsDigit(r)
}

// isUnit reports whether a word is a unit, with or without punctuation after it.
func isUnit(word string) bool { return si.IsUnit(strings.TrimRight(word, ".,;:!?)…")) }
