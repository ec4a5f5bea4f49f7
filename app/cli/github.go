package cli

import (
	"io"
	"os"
	"unicode"
)

// onGitHub reports whether GitHub's runner reads what is printed, and obeys lines that begin with "::", or have "##[", as its commands.
func onGitHub() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// quoting is the command where texts of other people's files are printed: on GitHub's runner they are no commands.
func (c *command) quoting() *command {
	if !onGitHub() {
		return c
	}
	q := *c
	q.out, q.errOut = &inertWriter{w: c.out, leading: true}, &inertWriter{w: c.errOut, leading: true}
	return &q
}

// inertWriter parts with a space what would be a command to GitHub's runner.
type inertWriter struct {
	w       io.Writer
	leading bool // only white space, and then a colon if that is last, is on the line so far
	last    rune
	hashes  int // in a row, at the end
}

// Write is part of io.Writer.
func (i *inertWriter) Write(p []byte) (int, error) {
	var out []rune
	for _, r := range string(p) {
		if i.leading && r == ':' && i.last == ':' || i.hashes > 1 && r == '[' {
			out = append(out, ' ')
		}
		out = append(out, r)
		i.follow(r)
	}
	if _, err := io.WriteString(i.w, string(out)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (i *inertWriter) follow(r rune) {
	switch {
	case r == '\n' || r == '\r':
		i.leading = true
	case i.last == ':' || r != ':' && !unicode.IsSpace(r):
		i.leading = false
	}
	if i.last = r; r != '#' {
		i.hashes = 0
	} else {
		i.hashes++
	}
}
