//go:build amd64 || arm64

package gpu

// callers stores the return addresses above it by following frame pointers, which costs a few nanoseconds where
// runtime.Callers costs hundreds.
//
//go:noescape
func callers(s *site)

// ticks reads the processor's counter, which never runs backward and has a constant rate. time.Now costs three times as
// much.
func ticks() uint64

// publish stores v after everything before it, for others who load it atomically. An atomic store would wait for that.
//
//go:noescape
func publish(to *uint64, v uint64)
