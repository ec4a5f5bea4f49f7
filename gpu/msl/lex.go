package msl

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// lexer reads the output of clang -E, in which the only preprocessor directives are line markers and pragmas.
type lexer struct {
	text     string
	i        int
	at       place // of the line
	tokens   Tokens
	newline  bool // no token since the start of the line
	space    bool // white space since the last token
	reserved map[string]bool
}

// Lex splits the output of clang -E into tokens. Their places have only lines, not all of which are certain (Unit.SureLines).
// It returns false for text that clang might split differently: other characters, digraphs, raw strings, suffixes of
// literals. The error is that of ctx, or ErrTooManyTokens.
func Lex(ctx context.Context, text string) (Tokens, bool, error) {
	l := &lexer{
		text: text, at: place{line: 1}, newline: true, reserved: map[string]bool{},
		tokens: make(Tokens, 0, min(len(text)/3, maxTokens)),
	}
	for _, w := range strings.Fields(reserved) {
		l.reserved[w] = true
	}
	for l.i < len(text) {
		if err := goesOn(ctx, len(l.tokens)); err != nil {
			return nil, false, err
		}
		switch c := text[l.i]; {
		case c == '#' && (l.i == 0 || text[l.i-1] == '\n'):
			l.directive()
		case c == '\n':
			l.newline = true
			l.at.line++
			l.i++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r':
			l.space = true
			l.i++
		default:
			kind, n := l.token()
			if n == 0 {
				return nil, false, nil
			}
			l.add(kind, n)
		}
	}
	return l.tokens, true, nil
}

// directive reads a line marker, # line "file" flags, or skips a pragma, up to the end of the line.
func (l *lexer) directive() {
	line, _, _ := strings.Cut(l.text[l.i:], "\n")
	l.i += len(line)
	number, rest, _ := strings.Cut(strings.TrimPrefix(line, "# "), " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	if file, err := strconv.Unquote(rest[:strings.LastIndexByte(rest, '"')+1]); err == nil {
		l.at = place{file: file, line: n - 1} // the marker numbers the next line
	}
}

// add takes the next n bytes as a token.
func (l *lexer) add(kind string, n int) {
	t := token{kind: kind, text: l.text[l.i : l.i+n], at: l.at, spelled: l.at, match: -1, newline: l.newline, space: l.space}
	l.tokens = append(l.tokens, t)
	l.newline, l.space = false, false
	l.i += n
}

// token finds the kind of the token at i and its length in bytes; 0 if that is not certain.
func (l *lexer) token() (kind string, n int) {
	rest := l.text[l.i:]
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		return literalAt(rest, 0)
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		return "numeric_constant", numberEnd(rest)
	case isLetter(c):
		return l.word(rest)
	}
	if strings.HasPrefix(rest, "<::") && !strings.HasPrefix(rest, "<:::") && !strings.HasPrefix(rest, "<::>") {
		return "punctuation", 1
	}
	for _, p := range doubtful {
		if strings.HasPrefix(rest, p) {
			return "", 0
		}
	}
	for _, p := range punctuators {
		if strings.HasPrefix(rest, p) {
			return "punctuation", len(p)
		}
	}
	return "", 0
}

// doubtful are the digraphs: what < and : mean in them depends on what follows.
var doubtful = []string{"<:", "<%", ":>", "%>", "%:"}

// punctuators of C++17, the longer ones first.
var punctuators = []string{
	"...", "->*", "<<=", ">>=", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
	"*=", "/=", "%=", "&=", "|=", "^=", ".*", "##", "{", "}", "[", "]", "(", ")", ";", ":", "?", ".", "+", "-",
	"*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",", "#",
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// word reads a name, a keyword, or a literal with a prefix.
func (l *lexer) word(s string) (kind string, n int) {
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	switch {
	case n < len(s) && s[n] >= 0x80:
		return "", 0
	case n < len(s) && (s[n] == '"' || s[n] == '\'') && slices.Contains(prefixes, s[:n]):
		return literalAt(s, n)
	case l.reserved[s[:n]]:
		return "keyword", n
	}
	return "identifier", n
}

// prefixes are the prefixes of literals, including those of raw strings.
var prefixes = []string{"L", "u8", "u", "U", "R", "LR", "u8R", "uR", "UR"}

// encodings are clang's names for literals with a prefix.
var encodings = map[string]string{"": "", "L": "wide_", "u8": "utf8_", "u": "utf16_", "U": "utf32_"}

// literalAt reads a string or character literal whose quote follows a prefix of n bytes.
func literalAt(s string, n int) (kind string, end int) {
	encoding, known := encodings[s[:n]]
	end = quotedEnd(s, n+1, s[n])
	if !known || end == 0 || end < len(s) && (isLetter(s[end]) || isDigit(s[end]) || s[end] >= 0x80) {
		return "", 0
	}
	if s[n] == '\'' {
		return encoding + "char_constant", end
	}
	return encoding + "string_literal", end
}

// quotedEnd is the index after the quote that ends a literal on its line; 0 if there is none or the literal is an empty
// character.
func quotedEnd(s string, i int, quote byte) int {
	for first := i; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == quote && (quote == '"' || i > first):
			return i + 1
		case s[i] == quote:
			return 0
		}
	}
	return 0
}

// numberEnd is the length of a preprocessing number.
func numberEnd(s string) int {
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	for i := 1; i < len(s); i++ {
		c, last := s[i], s[i-1]|0x20
		switch {
		case isDigit(c) || isLetter(c) && c != '$' || c == '.':
		case (c == '+' || c == '-') && (last == 'e' || last == 'p' && hex):
		case c == '\'' && i+1 < len(s) && (isDigit(s[i+1]) || isLetter(s[i+1])):
		case c >= 0x80 || c == '$':
			return 0
		default:
			return i
		}
	}
	return len(s)
}
