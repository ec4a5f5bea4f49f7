package bundle

import (
	"bytes"
	"slices"
)

// wholeLines drops a torn last line.
func wholeLines(data []byte) []byte {
	return data[:bytes.LastIndexByte(data, '\n')+1]
}

// withoutCases drops the events that every case has.
func withoutCases(events []Event) []Event {
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Kind == CaseOver })
}
