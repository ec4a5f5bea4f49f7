package exec

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// fillMappings leaves only this many of the mappings that the process may have.
func fillMappings(t *testing.T, left int) {
	t.Helper()
	b, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		t.Skip(err)
	}
	limit, err := strconv.Atoi(string(bytes.TrimSpace(b)))
	if err != nil {
		t.Fatal(err)
	}
	if limit > 1<<17 {
		t.Skipf("vm.max_map_count is %d: too many to fill", limit)
	}
	page := os.Getpagesize()
	pairs := (limit - mappings(t) - left) / 2
	m, err := syscall.Mmap(-1, 0, 2*pairs*page, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(m) })
	for i := range pairs { // every other page is a separate mapping
		if err := syscall.Mprotect(m[2*i*page:(2*i+1)*page], syscall.PROT_READ); err != nil {
			t.Fatal(err)
		}
	}
}

// A stack that cannot be guarded is an error, never a stack without a guard.
func TestMappingsRunOut(t *testing.T) {
	k := entryPoint(t, reverse, false)
	wide := entryPoint(t, strings.ReplaceAll(reverse, "256", "1024"), false)
	if err := k.Run(t.Context(), line(256, make([]byte, 4*256))); err != nil {
		t.Fatal(err)
	}
	fillMappings(t, 1200)
	err := wide.Run(t.Context(), line(1024, make([]byte, 4*1024)))
	var f *Fault
	if !errors.As(err, &f) || !strings.Contains(f.Message, "no memory mapping") {
		t.Errorf("error %v, want one about mappings", err)
	}
	if err := k.Run(t.Context(), line(256, make([]byte, 4*256))); err != nil {
		t.Errorf("a smaller group after it: %v", err)
	}
}

// Regardless of the number of workers requested, their stacks leave mappings for others.
func TestManyWorkers(t *testing.T) {
	k := entryPoint(t, strings.ReplaceAll(strings.Replace(reverse, "uint i [[", "uint g [[threadgroup_position_in_grid]], uint i [[", 1),
		"256", "1024"), false)
	l := line(1024, make([]byte, 4*1024))
	l.Groups[0], l.Workers = 64, 64
	if err := k.Run(t.Context(), l); err != nil {
		t.Fatal(err)
	}
}
