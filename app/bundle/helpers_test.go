package bundle

import (
	"bytes"
	"slices"
)

// wholeLines leaves out a torn last line.
func wholeLines(data []byte) []byte {
	return data[:bytes.LastIndexByte(data, '\n')+1]
}

// withoutCases leaves out the events that every case has.
func withoutCases(events []Event) []Event {
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Kind == CaseOver })
}
