package exec

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// What the host writes elsewhere in a buffer while a kernel runs is kept, even if the kernel works on a copy: in checking mode,
// and on memory that is not aligned.
func TestHostWritesStay(t *testing.T) {
	const text = `kernel void k(device uint *x [[buffer(0)]], device atomic_uint *n [[buffer(1)]]) {
		x[1] = 7;
		for (uint i = 0; i < 20000000; i++) atomic_fetch_add_explicit(n, 1u, memory_order_relaxed);
	}`
	run := func(t *testing.T, checked bool, offset int) {
		k := entryPoint(t, text, checked)
		memory := make([]byte, 4096+64)
		for uintptr(unsafe.Pointer(&memory[0]))%32 != 0 {
			memory = memory[1:]
		}
		x := memory[offset : offset+4096]
		l := line(1, x, make([]byte, 4))
		first := (*uint32)(unsafe.Pointer(&x[0]))
		done := make(chan error)
		go func() { done <- k.Run(t.Context(), l) }()
		time.Sleep(20 * time.Millisecond)
		atomic.StoreUint32(first, 99)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(x); got != 99 {
			t.Errorf("the host's 99 became %d", got)
		}
		if got := binary.LittleEndian.Uint32(x[4:]); got != 7 {
			t.Errorf("the kernel's 7 is %d", got)
		}
	}
	t.Run("own memory", func(t *testing.T) { run(t, false, 0) })
	t.Run("copy", func(t *testing.T) { run(t, false, 4) })
	t.Run("checked", func(t *testing.T) { run(t, true, 0) })
}
