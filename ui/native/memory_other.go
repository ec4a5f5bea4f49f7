//go:build !linux && !darwin

package native

func trimC() {}

func dropCode() {}

// LimitArenas does nothing: there are no arenas to limit.
func LimitArenas() {}
