package msl

import (
	"context"
	"strconv"
	"strings"
)

// place is a position in a source file.
type place struct {
	file      string
	line, col int
}

// token is one preprocessed token. at is its place, or that of the macro it came from; spelled is the place of its text, which
// differs within macros. The translator makes the edits.
type token struct {
	kind, text  string // kind as clang names it
	at, spelled place
	newline     bool // first on its line
	space       bool // white space before it
	match       int  // the index of the other bracket; -1 for other tokens

	drop          bool
	before, after string // C++ text put around it
	replace       string // replaces its text, if not empty
}

// Tokens are those of one source after includes and macros.
type Tokens []token

func (t *token) is(text string) bool { return t.text == text }

// identifier reports whether the token is a name. To clang's lexer, keywords that only MSL has are names, too.
func (t *token) identifier() bool { return t.kind == "identifier" || t.kind == "raw_identifier" }

// word reports whether the token is a name or a keyword.
func (t *token) word() bool {
	c := t.text
	return c != "" && (c[0] == '_' || c[0] >= 'a' && c[0] <= 'z' || c[0] >= 'A' && c[0] <= 'Z') && !t.literal()
}

func (t *token) literal() bool {
	if strings.HasPrefix(t.kind, "_") {
		return false // __is_literal
	}
	return strings.HasSuffix(t.kind, "_literal") || strings.HasSuffix(t.kind, "_constant")
}

// ParseTokens reads the output of clang -dump-tokens: tokens with exact places. Other lines are returned in rest. The error is
// that of ctx, or ErrTooManyTokens.
func ParseTokens(ctx context.Context, dump string) (tokens Tokens, rest []string, err error) {
	files := map[string]string{}
	tokens = make(Tokens, 0, min(strings.Count(dump, "\n"), maxTokens))
	for len(dump) > 0 {
		if err := goesOn(ctx, len(tokens)); err != nil {
			return nil, nil, err
		}
		t, size := parseToken(dump, files)
		if size == 0 {
			line, after, _ := strings.Cut(dump, "\n")
			if strings.TrimSpace(line) != "" {
				rest = append(rest, line)
			}
			dump = after
			continue
		}
		dump = dump[size:]
		switch {
		case t.kind == "eof", strings.HasPrefix(t.kind, "annot_"):
		default:
			tokens = append(tokens, t)
		}
	}
	return tokens, rest, nil
}

// parseToken reads one entry: kind 'text'<tab> [Flags]<tab>Loc=<…>. It returns the number of bytes read, 0 if dump
// does not start with an entry. The text of a raw string may contain anything, even line breaks.
func parseToken(dump string, files map[string]string) (token, int) {
	kind, rest, ok := strings.Cut(dump, " '")
	if !ok || kind == "" || strings.ContainsAny(kind, " \t\n:/") {
		return token{}, 0
	}
	const sep = "'\t"
	for from := 0; ; {
		i := strings.Index(rest[from:], sep)
		if i < 0 {
			return token{}, 0
		}
		i += from
		if t, size := parseFlags(rest[i+len(sep):], files); size > 0 {
			t.kind, t.text, t.match = kind, rest[:i], -1
			return t, len(kind) + 2 + i + len(sep) + size
		}
		if !strings.Contains(kind, "string_literal") {
			return token{}, 0
		}
		from = i + len(sep)
	}
}

// parseFlags reads the end of an entry, from its flags to the end of the line.
func parseFlags(s string, files map[string]string) (token, int) {
	line, _, _ := strings.Cut(s, "\n")
	if i := strings.Index(line, "[UnClean='"); i >= 0 { // holds the text with its line continuations
		end := strings.Index(s, "']\tLoc=<")
		if end < i {
			return token{}, 0
		}
		rest, size := parseFlags(s[end+2:], files)
		if size == 0 {
			return token{}, 0
		}
		rest.newline, rest.space = strings.Contains(s[:i], "StartOfLine"), strings.Contains(s[:i], "LeadingSpace")
		return rest, size + end + 2
	}
	flags, loc, ok := strings.Cut(line, "\tLoc=<")
	if !ok || strings.Trim(flags, " ") != "" && !strings.HasPrefix(strings.TrimLeft(flags, " "), "[") {
		return token{}, 0
	}
	loc, ok = strings.CutSuffix(loc, ">")
	if !ok {
		return token{}, 0
	}
	t := token{newline: strings.Contains(flags, "StartOfLine"), space: strings.Contains(flags, "LeadingSpace")}
	at, spelled, inMacro := strings.Cut(loc, " <Spelling=")
	if t.at, ok = parsePlace(at, files); !ok {
		return token{}, 0
	}
	t.spelled = t.at
	if inMacro {
		if p, ok := parsePlace(strings.TrimSuffix(spelled, ">"), files); ok && p.file != "<scratch space>" {
			t.spelled = p
		}
	}
	return t, min(len(line)+1, len(s))
}

// parsePlace reads file:line:column. files keeps one copy of each name.
func parsePlace(s string, files map[string]string) (place, bool) {
	j := strings.LastIndexByte(s, ':')
	if j < 0 {
		return place{}, false
	}
	i := strings.LastIndexByte(s[:j], ':')
	if i < 0 {
		return place{}, false
	}
	line, err1 := strconv.Atoi(s[i+1 : j])
	col, err2 := strconv.Atoi(s[j+1:])
	if err1 != nil || err2 != nil {
		return place{}, false
	}
	file, ok := files[s[:i]]
	if !ok {
		file = strings.Clone(s[:i])
		files[file] = file
	}
	return place{file, line, col}, true
}

// matchBrackets links matching brackets and returns the first without a match, -1 if there is none.
func matchBrackets(tokens Tokens) int {
	var open []int
	for i := range tokens {
		switch tokens[i].text {
		case "(", "[", "{":
			if !tokens[i].literal() {
				open = append(open, i)
			}
		case ")", "]", "}":
			if len(open) == 0 || !pair(tokens[open[len(open)-1]].text, tokens[i].text) {
				return i
			}
			o := open[len(open)-1]
			open = open[:len(open)-1]
			tokens[o].match, tokens[i].match = i, o
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return -1
}

func pair(open, shut string) bool {
	return open == "(" && shut == ")" || open == "[" && shut == "]" || open == "{" && shut == "}"
}

// Check returns an error for text that clang's lexer could not tokenize. name is the source's.
func (tokens Tokens) Check(name string) error {
	u := newUnit(name, tokens)
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.kind != "unknown" || strings.TrimSpace(t.text) == "":
		case strings.HasPrefix(t.text, `"`):
			u.errorf(i, "unterminated string")
		case strings.HasPrefix(t.text, "'"):
			u.errorf(i, "unterminated character constant")
		default:
			u.errorf(i, "unexpected character %s", t.text)
		}
	}
	return u.failure()
}
