package graph

import (
	"fmt"
)

// Error is an error in a text and its position: line and column count from 1.
type Error struct {
	Line, Column int
	Text         string
}

// Error is part of error.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text) }

// token is a word, a number or a sign, and where it begins.
type token struct {
	text string
	at   int
}

// lex splits a line into tokens; a character that begins no token is a token by itself.
func lex(line string) []token {
	var all []token
	for i := 0; i < len(line); {
		c, from := line[i], i
		switch {
		case c == '#':
			return all
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case letter(c):
			for i < len(line) && (letter(line[i]) || digit(line[i])) {
				i++
			}
		case digit(c) || c == '.':
			for i < len(line) && (letter(line[i]) || digit(line[i]) || line[i] == '.' || (line[i] == '-' || line[i] == '+') && (line[i-1] == 'e' || line[i-1] == 'E')) {
				i++
			}
		default:
			i++
		}
		all = append(all, token{line[from:i], from + 1})
	}
	return all
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }
