//go:build !race

package uitest

// UnderRace says that the race detector watches.
const UnderRace = false
