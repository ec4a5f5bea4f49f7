package app

import (
	"bytes"
	"io"
)

// withoutNoise drops messages of Fyne that report nothing wrong and would mislead a reader of a bug report: Fyne
// reads its preferences, which Assay does not use, while it is writing them, and asks for user folders that the
// system need not have. Each message is three writes: what happened, the cause, and the place.
type withoutNoise struct {
	to   io.Writer
	held []byte // what happened, until the cause is known
	drop bool   // the place that follows
}

// noise returns what Fyne reports, each with the part of the cause that makes it harmless.
func noise() map[string]string {
	return map[string]string{"Preferences load error": "EOF", "Getting favorite locations": "does not define"}
}

// Write is part of io.Writer. The log package calls it once for each line, one at a time.
func (w *withoutNoise) Write(line []byte) (int, error) {
	held := w.held
	w.held = nil
	switch {
	case held != nil && harmless(held, line):
		w.drop = true
		return len(line), nil
	case w.drop && bytes.Contains(line, []byte("  At: ")):
		w.drop = false
		return len(line), nil
	}
	w.drop = false
	if held != nil {
		if _, err := w.to.Write(held); err != nil {
			return 0, err
		}
	}
	if suspect(line) {
		w.held = bytes.Clone(line)
		return len(line), nil
	}
	return w.to.Write(line)
}

// suspect reports whether a line's cause decides if it is dropped.
func suspect(line []byte) bool {
	for what := range noise() {
		if bytes.Contains(line, []byte("Fyne error:  "+what)) {
			return true
		}
	}
	return false
}

// harmless reports whether a cause explains the report before it.
func harmless(what, cause []byte) bool {
	for known, why := range noise() {
		if bytes.Contains(what, []byte(known)) && bytes.Contains(cause, []byte("  Cause: ")) && bytes.Contains(cause, []byte(why)) {
			return true
		}
	}
	return false
}
