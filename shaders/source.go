package shaders

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// headers are what sources include: shared MSL and, in params, the parameter structs, which the CPU engine's C includes
// too.
//
//go:embed include
var headers embed.FS

// Headers returns the folder of shared headers.
func Headers() fs.FS {
	sub, err := fs.Sub(headers, "include")
	if err != nil { // the name is written above
		panic(err)
	}
	return sub
}

// Source is the MSL of an implementation, ready for a compiler without an include path: shared headers replace
// their #include lines. It must be compiled with fast math off. Line numbers in compiler messages are those of the original files.
type Source struct {
	File  string // its name in messages
	text  string
	hash  string
	user  bool
	made  bool
	files []File
}

// File is one of the texts that make up a source, as it was written.
type File struct{ Name, Text string }

// Embedded returns a source of this program: the file with that name among a family's files. It panics if the file or something
// it includes is missing, which a test of the catalog rules out.
func Embedded(files fs.FS, name string) Source {
	text, err := fs.ReadFile(files, name)
	if err == nil {
		var s Source
		if s, err = newSource(name, string(text), nil); err == nil {
			return s
		}
	}
	panic(fmt.Sprintf("shaders: source %s: %v", name, err))
}

// UserSource returns a user's text. It may include the shared headers.
func UserSource(name, text string) (Source, error) { return UserSourceWith(name, text, nil) }

// Opener finds the file that from includes under the given name. The name that it returns distinguishes files. If there is no such file, the
// error is fs.ErrNotExist.
type Opener func(included, from string) (File, error)

// UserSourceWith returns a user's text, which may include headers that open finds, and the shared ones. Includes found in neither
// are left to the compiler, since they may be in a part that is not compiled.
func UserSourceWith(name, text string, open Opener) (Source, error) {
	s, err := newSource(name, text, open)
	s.user = true
	return s, err
}

// GeneratedSource returns a text that Assay wrote at run time. Like a user's text it is distinguished by its hash; an engine may have
// its own code for what the text does.
func GeneratedSource(name, text string) (Source, error) {
	s, err := UserSource(name, text)
	s.made = true
	return s, err
}

func newSource(name, text string, open Opener) (Source, error) {
	f := flattener{open: open}
	flat, err := f.flatten(name, text)
	if err != nil {
		return Source{}, err
	}
	return Source{File: name, text: flat, hash: fmt.Sprintf("%x", sha256.Sum256([]byte(flat))), files: f.files}, nil
}

// Text returns the whole MSL.
func (s Source) Text() string { return s.text }

// Hash identifies the text: hexadecimal digits.
func (s Source) Hash() string { return s.hash }

// Files returns the source's own file, then the shared headers in the order in which they are first included.
func (s Source) Files() []File { return slices.Clone(s.files) }

// Generated reports whether Assay wrote the source at run time.
func (s Source) Generated() bool { return s.made }

// User reports whether the source is not built in: a user wrote it, or Assay at run time.
func (s Source) User() bool { return s.user }

var includeLine = regexp.MustCompile(`^\s*#\s*include\s+"([^"]+)"`)

var pragmaOnce = regexp.MustCompile(`(?m)^\s*#\s*pragma\s+once\b`)

// Limits on includes, since files may include each other: nesting depth, as in clang, and total bytes.
const (
	maxDepth = 200
	maxBytes = 64 << 20
)

// flattener assembles a source and remembers from which files.
type flattener struct {
	files []File
	open  Opener // nil: only the shared headers
	depth int
	bytes int
}

// flatten replaces #include "…" lines with headers, shared ones at their first inclusion.
func (f *flattener) flatten(file, text string) (string, error) {
	if f.depth++; f.depth > maxDepth {
		return "", fmt.Errorf("includes are nested more than %d deep", maxDepth)
	}
	if f.bytes += len(text) + len(file); f.bytes > maxBytes {
		return "", fmt.Errorf("with all that it includes, the source has more than %d MiB", maxBytes>>20)
	}
	defer func() { f.depth-- }()
	if !f.has(file) {
		f.files = append(f.files, File{file, text})
	}
	var out strings.Builder
	mark := func(line int) { fmt.Fprintf(&out, "#line %d %s\n", line, strconv.Quote(file)) }
	mark(1)
	for i, line := range strings.SplitAfter(text, "\n") {
		m := includeLine.FindStringSubmatch(line)
		if m == nil {
			out.WriteString(line)
			continue
		}
		flat, err := f.include(m[1], file)
		if f.open != nil && errors.Is(err, fs.ErrNotExist) {
			flat, err = line, nil
		}
		if err != nil {
			return "", fmt.Errorf("%s:%d: include %q: %w", file, i+1, m[1], err)
		}
		out.WriteString(flat)
		mark(i + 2)
	}
	return out.String(), nil
}

func (f *flattener) has(file string) bool {
	return slices.ContainsFunc(f.files, func(have File) bool { return have.Name == file })
}

// include returns the text of a header: the user's or a shared one.
func (f *flattener) include(name, from string) (string, error) {
	if f.open == nil {
		return f.shared(path.Clean(name))
	}
	file, err := f.open(name, from)
	if errors.Is(err, fs.ErrNotExist) {
		return f.shared(path.Clean(name))
	}
	if err != nil || pragmaOnce.MatchString(file.Text) && f.has(file.Name) {
		return "", err
	}
	return f.flatten(file.Name, file.Text)
}

// shared returns the text of a shared header, or nothing if it was already included.
func (f *flattener) shared(name string) (string, error) {
	file := "include/" + name
	if f.has(file) {
		return "", nil
	}
	text, err := fs.ReadFile(Headers(), name)
	if err != nil {
		return "", err
	}
	return f.flatten(file, string(text))
}
