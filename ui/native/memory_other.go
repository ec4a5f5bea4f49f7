//go:build !linux && !darwin

package native

func trimC() {}

func dropCode() {}

// TuneMalloc does nothing: there is no glibc malloc.
func TuneMalloc() {}
