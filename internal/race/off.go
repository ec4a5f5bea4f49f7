//go:build !race

// Package race lets tests, and code they share with the program, deal with the race detector. It reports whether the detector is on,
// so tests of single-goroutine arithmetic or drawing, which have passed without it, need not be repeated at a tenth of the
// speed; and it announces accesses that the detector should see although the code making them is not instrumented.
package race

// On reports whether the race detector is on.
const On = false

// Reads reports to the race detector that b is read.
func Reads([]byte) {}

// Writes reports to the race detector that b is written.
func Writes([]byte) {}
