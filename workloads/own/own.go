// Package own describes, checks, runs, verifies and times kernels that users wrote. A kernel is a .metal file with a TOML
// description beside it: named sizes, the contents of each argument, the launch, and a reference (docs/kernels.md).
// Kernels run in a child process of the same program: Start is the parent's side, Serve the child's.
package own

import (
	"fmt"
)

// Problem is one thing that is wrong, at its place. Line and Column count from 1; 0 is not known.
type Problem struct {
	Kind     Kind   `json:"kind"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Key      string `json:"key,omitempty"` // of the description: "args.x.length"
	Message  string `json:"message"`
	Hint     bool   `json:"hint,omitempty"` // nothing is wrong: for the reader only
	Argument string `json:"argument,omitempty"`
}

// Error is one line with the place.
func (p Problem) Error() string {
	message := p.Message
	if p.Key != "" {
		message = p.Key + ": " + message
	}
	switch {
	case p.File == "":
		return message
	case p.Line == 0:
		return p.File + ": " + message
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, message)
}

// Kind says what kind of problem was found.
type Kind string

// Kinds of problems.
const (
	Invalid   Kind = "description"   // of the description
	Compile   Kind = "compile"       // the source does not compile
	Mismatch  Kind = "arguments"     // description and entry point do not fit
	Bounds    Kind = "out of bounds" // an access outside a buffer
	Diverged  Kind = "divergence"    // threads at different barriers
	Race      Kind = "race"          // the result depends on the order of threads
	Wrong     Kind = "wrong result"  // not what the reference says
	Endless   Kind = "endless"       // it did not end within its time
	Memory    Kind = "memory"        // it needs more than its limit
	Crashed   Kind = "crash"         // the process that ran it died
	Refused   Kind = "engine"        // the engine cannot run it
	Reference Kind = "reference"     // the reference failed
)
