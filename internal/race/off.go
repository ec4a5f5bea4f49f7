//go:build !race

// Package race lets tests and what they share with the program deal with the race detector: whether it is on, so that
// tests of one goroutine's arithmetic or drawing, which have passed without it, need not be repeated at a tenth of the
// speed; and accesses that it should see although the code that makes them is not instrumented.
package race

// On reports whether the race detector is on.
const On = false

// Reads tells the race detector that b is read.
func Reads([]byte) {}

// Writes tells the race detector that b is written.
func Writes([]byte) {}
