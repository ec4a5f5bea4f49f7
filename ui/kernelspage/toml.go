package kernelspage

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A form changes one key of a description at a time, as text: comments, order and everything else stay as they were
// written.

// keyed is a key with its value in a text, by lines.
type keyed struct {
	table, key []string
	from, to   int // its lines; to is after the last
	value      int // the byte of its first line where the value begins
}

// headed is the header of a table, and the line after its last key.
type headed struct {
	table   []string
	line    int
	nextKey int
}

// scanned is the structure of a TOML text. Tables in arrays are left out: no form changes them.
type scanned struct {
	lines  []string
	keys   []keyed
	tables []headed // the first is that of the top level, at line -1
}

func scanTOML(text string) *scanned {
	s := &scanned{lines: strings.Split(text, "\n"), tables: []headed{{line: -1}}}
	known := true // the table's keys can be identified
	for i := 0; i < len(s.lines); i++ {
		line := strings.TrimSpace(s.lines[i])
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "[["):
			known = false
		case line[0] == '[':
			path, _, ok := keyPath(line[1:], ']')
			if known = ok; known {
				s.tables = append(s.tables, headed{path, i, i + 1})
			}
		default:
			i = s.take(i, known) - 1
		}
	}
	return s
}

// take reads the key that begins in a line, and returns the line after its value.
func (s *scanned) take(i int, known bool) int {
	path, rest, ok := keyPath(s.lines[i], '=')
	if !ok {
		return i + 1
	}
	at := len(s.lines[i]) - len(rest)
	at += len(rest) - len(strings.TrimLeft(rest, " \t"))
	to := valueEnd(s.lines, i, at)
	if t := &s.tables[len(s.tables)-1]; known {
		s.keys = append(s.keys, keyed{t.table, path, i, to, at})
		t.nextKey = to
	}
	return to
}

// keyPath reads a key, possibly dotted and quoted, up to an end.
func keyPath(s string, end byte) (path []string, rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return nil, "", false
		}
		var part string
		if s[0] == '"' || s[0] == '\'' {
			n := strings.IndexByte(s[1:], s[0])
			if n < 0 {
				return nil, "", false
			}
			part, s = s[1:n+1], s[n+2:]
		} else {
			n := strings.IndexFunc(s, func(r rune) bool { return !isBare(r) })
			if n <= 0 {
				return nil, "", false
			}
			part, s = s[:n], s[n:]
		}
		path = append(path, part)
		s = strings.TrimLeft(s, " \t")
		switch {
		case s != "" && s[0] == end:
			return path, s[1:], true
		case s == "" || s[0] != '.':
			return nil, "", false
		}
		s = s[1:]
	}
}

func isBare(r rune) bool {
	return r == '_' || r == '-' || r < 128 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// valueEnd returns the line after the value that begins at a byte of a line.
func valueEnd(lines []string, i, at int) int {
	depth, quote := 0, ""
	for ; i < len(lines); i, at = i+1, 0 {
		for line := lines[i]; at < len(line); {
			var n int
			n, depth, quote = valueStep(line[at:], depth, quote)
			if n == 0 {
				break // a comment
			}
			at += n
		}
		if depth <= 0 && len(quote) < 3 {
			return i + 1
		}
	}
	return len(lines)
}

// valueStep steps over one sign of a value: it returns its length, 0 at a comment, and the brackets and quotes that are
// open then.
func valueStep(s string, depth int, quote string) (n, open int, in string) {
	switch {
	case quote != "":
		if s[0] == '\\' && quote[0] == '"' {
			return min(2, len(s)), depth, quote
		}
		if strings.HasPrefix(s, quote) {
			return len(quote), depth, ""
		}
		return 1, depth, quote
	case s[0] == '#':
		return 0, depth, ""
	case strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, "'''"):
		return 3, depth, s[:3]
	case s[0] == '"' || s[0] == '\'':
		return 1, depth, s[:1]
	case s[0] == '[' || s[0] == '{':
		return 1, depth + 1, ""
	case s[0] == ']' || s[0] == '}':
		return 1, depth - 1, ""
	}
	return 1, depth, ""
}

// setTOML sets the key of a path to a value, as TOML writes it; an empty value removes the key.
func setTOML(text string, path []string, value string) string {
	s := scanTOML(text)
	for i := range s.keys {
		k := &s.keys[i]
		whole := append(append([]string{}, k.table...), k.key...)
		if equal(whole, path) {
			return s.replace(k, value)
		}
		if len(whole) == len(path)-1 && equal(whole, path[:len(whole)]) && strings.HasPrefix(s.lines[k.from][k.value:], "{") {
			return s.replace(k, setInline(s.valueOf(k), path[len(path)-1], value))
		}
	}
	if value == "" {
		return text
	}
	return s.insert(path, value)
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// valueOf returns the text of a value, without a comment after it.
func (s *scanned) valueOf(k *keyed) string {
	text := strings.Join(s.lines[k.from:k.to], "\n")[k.value:]
	return text[:valueLength(text)]
}

// valueLength returns the length of a value, without blanks or a comment after it.
func valueLength(text string) int {
	depth, quote, end := 0, "", 0
	for at := 0; at < len(text); {
		n, d, q := valueStep(text[at:], depth, quote)
		if n == 0 {
			if depth == 0 {
				break
			}
			n, d, q = len(text[at:]), depth, "" // a comment within a list
			if line := strings.IndexByte(text[at:], '\n'); line >= 0 {
				n = line
			}
			at += n
			continue
		}
		if at += n; strings.TrimSpace(text[at-n:at]) != "" || quote != "" {
			end = at
		}
		depth, quote = d, q
	}
	return end
}

// replace replaces the value of a key, and keeps the comment after it.
func (s *scanned) replace(k *keyed, value string) string {
	first := s.lines[k.from]
	after := strings.Join(s.lines[k.from:k.to], "\n")[k.value:]
	after = after[valueLength(after):]
	lines := append([]string{}, s.lines[:k.from]...)
	if value != "" {
		lines = append(lines, first[:k.value]+value+after)
	}
	return strings.Join(append(lines, s.lines[k.to:]...), "\n")
}

// insert writes a key at the end of its table, or the table at the end of the text.
func (s *scanned) insert(path []string, value string) string {
	table, key := path[:len(path)-1], quotedKey(path[len(path)-1])
	for _, t := range s.tables {
		if equal(t.table, table) && (t.line >= 0 || len(table) == 0) {
			return s.insertAt(t.nextKey, key+" = "+value)
		}
	}
	text := strings.TrimRight(strings.Join(s.lines, "\n"), "\n")
	if text != "" {
		text += "\n\n"
	}
	parts := make([]string, len(table))
	for i, p := range table {
		parts[i] = quotedKey(p)
	}
	return text + "[" + strings.Join(parts, ".") + "]\n" + key + " = " + value + "\n"
}

func (s *scanned) insertAt(i int, line string) string {
	lines := append(append([]string{}, s.lines[:i]...), line)
	return strings.Join(append(lines, s.lines[i:]...), "\n")
}

func quotedKey(k string) string {
	if k != "" && strings.IndexFunc(k, func(r rune) bool { return !isBare(r) }) < 0 {
		return k
	}
	return quotedTOML(k)
}

// setInline sets a key of a table in braces.
func setInline(table, key, value string) string {
	var parts []string
	found := false
	for _, part := range splitInline(table) {
		path, _, ok := keyPath(part, '=')
		if !ok || len(path) != 1 || path[0] != key {
			parts = append(parts, part)
			continue
		}
		if found = true; value != "" {
			parts = append(parts, quotedKey(key)+" = "+value)
		}
	}
	if !found && value != "" {
		parts = append(parts, quotedKey(key)+" = "+value)
	}
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// splitInline splits the text between the braces at its commas.
func splitInline(table string) []string {
	table = strings.TrimSpace(table)
	table = strings.TrimSuffix(strings.TrimPrefix(table, "{"), "}")
	var parts []string
	depth, quote, from := 0, "", 0
	for at := 0; at < len(table); {
		if depth == 0 && quote == "" && table[at] == ',' {
			parts = append(parts, table[from:at])
			from = at + 1
		}
		n, d, q := valueStep(table[at:], depth, quote)
		if n == 0 {
			break
		}
		at, depth, quote = at+n, d, q
	}
	parts = append(parts, table[from:])
	var whole []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			whole = append(whole, p)
		}
	}
	return whole
}

// quotedTOML is a text as TOML writes it.
func quotedTOML(s string) string {
	if strings.Contains(s, "\n") && !strings.Contains(s, "'''") && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 127 }) {
		return "'''\n" + s + "'''"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 127:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// exprTOML is an expression as TOML writes it: a whole number bare, anything else quoted.
func exprTOML(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return s
	}
	return quotedTOML(s)
}

// exprsTOML is up to three expressions, separated by commas, as TOML writes a list.
func exprsTOML(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	var parts []string
	for _, p := range splitExprs(s) {
		parts = append(parts, exprTOML(p))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// splitExprs splits at commas outside of parentheses.
func splitExprs(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}
