//go:build (darwin || metalsim) && cgo

package metal

// Mark begins an interval of Instruments (os_signpost) with the name of a phase. Elsewhere it does nothing.
func (e *engine) Mark(name, what string) (end func()) {
	mark := markBegin(name, what)
	return func() { markEnd(name, mark) }
}
