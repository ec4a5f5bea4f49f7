package shaders

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// headers are what sources include: shared MSL, and in params the parameter structs, which the CPU engine's C includes,
// too.
//
//go:embed include
var headers embed.FS

// Headers is the folder of shared headers.
func Headers() fs.FS {
	sub, err := fs.Sub(headers, "include")
	if err != nil { // the name is written above
		panic(err)
	}
	return sub
}

// Source is the MSL of an implementation, ready for a compiler without an include path: shared headers stand in place
// of their #include lines. It must be compiled with fast math off. Line numbers in compiler messages are the files' own.
type Source struct {
	File  string // its name in messages
	text  string
	hash  string
	user  bool
	made  bool
	files []File
}

// File is one of the texts that a source is put together from, as it was written.
type File struct{ Name, Text string }

// Embedded is a source of this program: the file of that name in a family's files. It panics if the file or what it
// includes is missing, which a test of the catalog rules out.
func Embedded(files fs.FS, name string) Source {
	text, err := fs.ReadFile(files, name)
	if err == nil {
		var s Source
		if s, err = newSource(name, string(text)); err == nil {
			return s
		}
	}
	panic(fmt.Sprintf("shaders: source %s: %v", name, err))
}

// UserSource is a text that a user wrote. It may include the shared headers.
func UserSource(name, text string) (Source, error) {
	s, err := newSource(name, text)
	s.user = true
	return s, err
}

// GeneratedSource is a text that Assay wrote while it ran. Like a user's it is distinguished by its hash; an engine may have
// code of its own for what it does.
func GeneratedSource(name, text string) (Source, error) {
	s, err := UserSource(name, text)
	s.made = true
	return s, err
}

func newSource(name, text string) (Source, error) {
	var f flattener
	flat, err := f.flatten(name, text)
	if err != nil {
		return Source{}, err
	}
	return Source{File: name, text: flat, hash: fmt.Sprintf("%x", sha256.Sum256([]byte(flat))), files: f.files}, nil
}

// Text is the whole MSL.
func (s Source) Text() string { return s.text }

// Hash tells texts apart: hexadecimal digits.
func (s Source) Hash() string { return s.hash }

// Files are the source's own file, then the shared headers in the order in which they are first included.
func (s Source) Files() []File { return slices.Clone(s.files) }

// Generated reports whether Assay wrote it while it ran.
func (s Source) Generated() bool { return s.made }

// User reports whether it is not built in: a user wrote it, or Assay while it ran.
func (s Source) User() bool { return s.user }

var includeLine = regexp.MustCompile(`^\s*#\s*include\s+"([^"]+)"`)

// flattener puts a source together, and remembers of which files.
type flattener struct{ files []File }

// flatten puts headers in place of #include "…" lines, each where it is first asked for.
func (f *flattener) flatten(file, text string) (string, error) {
	f.files = append(f.files, File{file, text})
	var out strings.Builder
	mark := func(line int) { fmt.Fprintf(&out, "#line %d %s\n", line, strconv.Quote(file)) }
	mark(1)
	for i, line := range strings.SplitAfter(text, "\n") {
		m := includeLine.FindStringSubmatch(line)
		if m == nil {
			out.WriteString(line)
			continue
		}
		flat, err := f.include(path.Clean(m[1]))
		if err != nil {
			return "", fmt.Errorf("%s:%d: include %q: %w", file, i+1, m[1], err)
		}
		out.WriteString(flat)
		mark(i + 2)
	}
	return out.String(), nil
}

// include is the text of a shared header, empty where it was included before.
func (f *flattener) include(name string) (string, error) {
	file := "include/" + name
	if slices.ContainsFunc(f.files, func(have File) bool { return have.Name == file }) {
		return "", nil
	}
	text, err := fs.ReadFile(Headers(), name)
	if err != nil {
		return "", err
	}
	return f.flatten(file, string(text))
}
