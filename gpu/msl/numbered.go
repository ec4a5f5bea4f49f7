package msl

import (
	"regexp"
	"strconv"
	"strings"
)

// sourceLines finds the lines of source files by number: of one source, which #line directives may divide into several files, as
// they do in Assay's own kernels, and of files that it includes.
type sourceLines struct {
	lines map[spot]string
	last  map[string]int // the last line of each file that is completely known
	tried map[string]bool
}

// spot is a line of a file.
type spot struct {
	file string
	line int
}

// linesOf returns the lines of a source.
func linesOf(name, text string) *sourceLines {
	s := &sourceLines{lines: map[spot]string{}, last: map[string]int{}, tried: map[string]bool{name: true}}
	if lines := strings.Split(text, "\n"); plainLines(lines) {
		s.add(name, lines)
	} else {
		s.divide(name, lines)
	}
	return s
}

// line returns a line, and false if it is not certain which one has the number.
func (s *sourceLines) line(file string, n int) (string, bool) {
	if _, divided := s.lines[spot{file, n}]; !divided && !s.tried[file] {
		s.tried[file] = true
		if text, err := ReadFile(file); err == nil { // a #line directive may name anything
			if lines := strings.Split(text, "\n"); plainLines(lines) {
				s.add(file, lines)
			}
		}
	}
	l, ok := s.lines[spot{file, n}]
	return l, ok
}

// ends reports whether the file certainly has no line with that number.
func (s *sourceLines) ends(file string, n int) bool {
	last, known := s.last[file]
	return known && n > last
}

func (s *sourceLines) add(file string, lines []string) {
	for i, l := range lines {
		s.lines[spot{file, i + 1}] = l
	}
	s.last[file] = len(lines)
}

// plainLines reports whether clang counts the lines as they are.
func plainLines(lines []string) bool {
	for _, l := range lines {
		if renumbers(l) || strings.Contains(l, "R\"") || strings.Contains(l, "%:") { // numbered differently, or hard to read
			return false
		}
	}
	return true
}

// renumbers reports whether a line is a #line directive or a line marker.
func renumbers(line string) bool {
	directive, ok := directiveOf(line)
	return ok && directive != "" && (strings.HasPrefix(directive, "line") || isDigit(directive[0]))
}

// directiveOf returns what follows the # of a directive.
func directiveOf(line string) (string, bool) {
	directive, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
	return strings.TrimSpace(directive), ok
}

var lineDirective = regexp.MustCompile(`^line\s+([0-9]{1,9})\s+"([^"\\]+)"$`)

// divide numbers the lines of a source with #line directives. A line has its number from a directive that no condition excludes;
// none has one if it is hard to tell what is a directive, or if an included file may have the same name.
func (s *sourceLines) divide(name string, lines []string) {
	twice := map[spot]bool{}
	at, sure, conditions, goesOn := spot{name, 1}, true, 0, false
	for _, l := range lines {
		directive, is := directiveOf(l)
		if is && goesOn || hidesDirectives(l) || is && includesFile(directive) {
			clear(s.lines)
			return
		}
		goesOn = strings.HasSuffix(strings.TrimRight(l, " \t\r"), "\\")
		switch {
		case renumbers(l):
			m := lineDirective.FindStringSubmatch(directive)
			if sure = m != nil && conditions == 0; sure {
				at.file = m[2]
				at.line, _ = strconv.Atoi(m[1])
				s.tried[at.file] = true
			}
			continue
		case is && strings.HasPrefix(directive, "if"):
			conditions++
		case is && strings.HasPrefix(directive, "endif"):
			conditions--
		}
		_, known := s.lines[at]
		twice[at] = twice[at] || known
		if sure {
			s.lines[at] = l
		}
		at.line++
	}
	for at, again := range twice {
		if again {
			delete(s.lines, at)
		}
	}
}

// hidesDirectives reports whether a comment or literal may begin on the line and contain what looks like a directive, or the line
// is one in other characters.
func hidesDirectives(line string) bool {
	return strings.Contains(line, "/*") || strings.Contains(line, "R\"") || strings.Contains(line, "%:")
}

// includesFile reports whether a directive includes a file that is not the language's own.
func includesFile(directive string) bool {
	return (strings.HasPrefix(directive, "in") || strings.HasPrefix(directive, "im")) && !strings.Contains(directive, "<")
}
