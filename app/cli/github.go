package cli

import (
	"io"
	"os"
	"unicode"
)

// onGitHub reports whether GitHub's runner reads the output: it obeys lines that begin with "::", or contain "##[", as commands.
func onGitHub() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// quoting returns the command for printing texts from other people's files: GitHub's runner must not take them for commands.
func (c *command) quoting() *command {
	if !onGitHub() {
		return c
	}
	q := *c
	q.out, q.errOut = &inertWriter{w: c.out, leading: true}, &inertWriter{w: c.errOut, leading: true}
	return &q
}

// inertWriter inserts a space into what would be a command to GitHub's runner.
type inertWriter struct {
	w       io.Writer
	leading bool // the line so far is white space only, with at most a colon at its end
	last    rune
	hashes  int // consecutive, at the end
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
