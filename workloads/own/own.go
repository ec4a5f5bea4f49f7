// Package own describes, checks, runs, verifies and times kernels that users wrote. A kernel is a .metal file with a TOML
// description beside it: named sizes, the contents of each argument, the launch, and a reference (docs/kernels.md).
// Kernels run in a child process of the same program: Start is the parent's side, Serve the child's.
package own

import (
	"fmt"
)

// Problem is something that is wrong, with its position. Line and Column count from 1; 0: not known.
type Problem struct {
	Kind     Kind   `json:"kind"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Key      string `json:"key,omitempty"` // in the description: "args.x.length"
	Message  string `json:"message"`
	Hint     bool   `json:"hint,omitempty"` // nothing is wrong: for the reader only
	Argument string `json:"argument,omitempty"`
}

// Error formats the problem in one line with its position.
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
	Invalid   Kind = "description"   // the description is invalid
	Compile   Kind = "compile"       // the source does not compile
	Mismatch  Kind = "arguments"     // the description does not match the entry point
	Bounds    Kind = "out of bounds" // an access outside a buffer
	Diverged  Kind = "divergence"    // threads are at different barriers
	Race      Kind = "race"          // the result depends on thread order
	Wrong     Kind = "wrong result"  // it differs from the reference
	Endless   Kind = "endless"       // it did not end in time
	Memory    Kind = "memory"        // it exceeds its memory limit
	Crashed   Kind = "crash"         // the process that ran it died
	Refused   Kind = "engine"        // the engine cannot run it
	Reference Kind = "reference"     // the reference failed
)
