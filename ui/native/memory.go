package native

import "runtime/debug"

// GiveBack returns unused memory to the system: memory freed by Go, memory cached by the C library and, on Linux, code, which is
// read again when it runs. It takes a few milliseconds.
func GiveBack() {
	debug.FreeOSMemory()
	trimC()
	dropCode()
}
