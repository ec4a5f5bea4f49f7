package native

import "runtime/debug"

// GiveBack returns unused memory to the system: memory freed by Go, memory cached by the C library, and the code of
// libraries used only at start. It takes a few milliseconds.
func GiveBack() {
	debug.FreeOSMemory()
	trimC()
	dropCode()
}
