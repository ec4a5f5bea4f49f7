//go:build !race

// Package race reports whether the race detector is on, so that tests of one goroutine's arithmetic or drawing, which
// have passed without it, need not be repeated at a tenth of the speed.
package race

// On reports whether the race detector is on.
const On = false
