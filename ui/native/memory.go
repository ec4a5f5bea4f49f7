package native

import "runtime/debug"

// GiveBack returns memory to the system that the process holds and does not use: what Go has collected, what the C
// library keeps for later, and the code of libraries that ran at start only. It takes some milliseconds.
func GiveBack() {
	debug.FreeOSMemory()
	trimC()
	dropCode()
}
