//go:build amd64 || arm64

package gpu

// callers stores the return addresses above it by following frame pointers, which costs a few nanoseconds where
// runtime.Callers costs hundreds.
//
//go:noescape
func callers(s *site)
