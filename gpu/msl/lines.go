package msl

import "strings"

// SureLines reports whether the lines of all entry points are certain. A token of Lex that follows a macro call, comment or
// line continuation of several lines has the line where that begins.
func (u *Unit) SureLines(s Source) bool {
	lines := linesOf(s.Name, s.Text)
	seen := map[int]bool{}
	for _, e := range u.entries {
		i := e.kernel.at
		if !seen[i] && !u.sureLine(i, lines) {
			return false
		}
		seen[i] = true
	}
	return true
}

// sureLine reports whether the line of token i is certain: the source line contains the token outside of parentheses, or
// nothing on the line continues on the next.
func (u *Unit) sureLine(i int, lines *sourceLines) bool {
	at := u.tokens[i].at
	line, ok := lines.line(at.file, at.line)
	if !ok {
		return false
	}
	found, closed := scanLine(line, u.tokens[i].text)
	if found {
		for j := i - 1; j >= 0 && u.tokens[j].at == at; j-- {
			found = found && u.tokens[j].text != u.tokens[i].text
		}
	}
	return found || closed && !callGoesOn(lines, at)
}

// scanLine reports whether a source line contains a word outside of parentheses, comments and literals, and whether everything
// that begins on the line ends on it.
func scanLine(line, word string) (found, closed bool) {
	depth := 0
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case strings.HasPrefix(line[i:], "//"):
			return found, depth == 0 && !strings.HasSuffix(line, "\\")
		case strings.HasPrefix(line[i:], "/*"):
			end := strings.Index(line[i+2:], "*/")
			if end < 0 {
				return found, false
			}
			i += end + 4
			continue
		case c == '"' || c == '\'':
			end := quotedEnd(line, i+1, c)
			if end == 0 {
				return found, false
			}
			i = end
			continue
		case isLetter(c) || isDigit(c):
			n := wordEnd(line[i:])
			found = found || depth == 0 && line[i:i+n] == word
			i += n
			continue
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return false, false
		case c == ')':
			depth--
		}
		i++
	}
	return found, depth == 0 && !strings.HasSuffix(strings.TrimRight(line, " \t\r"), "\\")
}

// wordEnd is the length of a name or number, including digit separators.
func wordEnd(s string) int {
	n := 1
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '\'' && isDigit(s[0])) {
		n++
	}
	return n
}

// callGoesOn reports whether the arguments of a macro may continue on the lines after a place.
func callGoesOn(lines *sourceLines, after place) bool {
	for n := after.line + 1; ; n++ {
		l, ok := lines.line(after.file, n)
		if !ok {
			return !lines.ends(after.file, n)
		}
		if l = strings.TrimSpace(l); l != "" {
			return l[0] == '(' || l[0] == '/' || l[0] == '#'
		}
	}
}
