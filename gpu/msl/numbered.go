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
		if renumbers(l) || hardToRead(l) {
			return false
		}
	}
	return true
}

// hardToRead reports whether a line may hide a directive, or be one that directiveOf does not see.
func hardToRead(line string) bool {
	line = strings.TrimRight(line, " \t\r")
	directive, is := directiveOf(line)
	_, behind, comment := strings.Cut(line, "*/")
	return strings.Contains(line, "R\"") || strings.Contains(line, "%:") || strings.Contains(line, "\r") ||
		comment && strings.Contains(behind, "#") || is && strings.HasSuffix(line, "\\") && !strings.HasPrefix(directive, "define")
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

var (
	lineDirective = regexp.MustCompile(`^line[ \t]+([0-9]{1,9})[ \t]+"([^"\\]+)"$`)
	systemInclude = regexp.MustCompile(`^include[ \t]*<(metal_[a-z_]+|stdint\.h|sys/types\.h)>([ \t]*//.*)?$`)
)

// divide numbers the lines of a source with #line directives. None has a number if it is hard to tell what is a directive, or if an
// included file may have the same name. Where a condition may exclude a directive, the lines of the files before and after it
// have none.
func (s *sourceLines) divide(name string, lines []string) {
	d := division{s: s, at: spot{name, 1}, twice: map[spot]bool{}, unsure: map[string]bool{}}
	for _, l := range lines {
		if !d.next(l) {
			clear(s.lines)
			return
		}
	}
	for at := range s.lines {
		if d.twice[at] || d.unsure[at.file] {
			delete(s.lines, at)
		}
	}
}

// division is how far divide is.
type division struct {
	s          *sourceLines
	at         spot // of the next line
	conditions int  // that it depends on
	goesOn     bool // the line before it ends in a backslash
	twice      map[spot]bool
	unsure     map[string]bool
}

// next takes a line. It returns false if the source cannot be divided.
func (d *division) next(line string) bool {
	directive, is := directiveOf(line)
	if is && d.goesOn || hardToRead(line) || strings.Contains(line, "/*") {
		return false
	}
	d.goesOn = strings.HasSuffix(strings.TrimRight(line, " \t\r"), "\\")
	switch {
	case !is:
	case renumbers(line):
		return d.renumber(directive)
	case strings.HasPrefix(directive, "if"):
		d.conditions++
	case strings.HasPrefix(directive, "endif"):
		d.conditions--
	case strings.HasPrefix(directive, "in"), strings.HasPrefix(directive, "im"), strings.HasPrefix(directive, "em"):
		if !systemInclude.MatchString(directive) {
			return false
		}
	}
	if _, known := d.s.lines[d.at]; known {
		d.twice[d.at] = true
	}
	d.s.lines[d.at] = line
	d.at.line++
	return true
}

// renumber takes a #line directive.
func (d *division) renumber(directive string) bool {
	m := lineDirective.FindStringSubmatch(directive)
	if m == nil {
		return false
	}
	if d.conditions != 0 {
		d.unsure[d.at.file], d.unsure[m[2]] = true, true
	}
	d.at.file = m[2]
	d.at.line, _ = strconv.Atoi(m[1])
	d.s.tried[d.at.file] = true
	return true
}
