package plain

import "strings"

// Formula reports whether a spreadsheet would run the text as a formula. Leading quotes are ignored, so that Cell is reversible.
func Formula(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.ContainsRune("=+-@\t\r", rune(rest[0]))
}

// Cell makes text harmless to a spreadsheet.
func Cell(text string) string {
	if Formula(text) {
		return "'" + text
	}
	return text
}
