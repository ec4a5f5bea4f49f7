//go:build !linux

package clang

// limitMemory does nothing: macOS does not enforce limits on address space. The timeout holds.
func limitMemory(int) {}
