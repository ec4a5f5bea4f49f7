//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"bytes"
	"fmt"
	"testing"

	"assay/gpu"
)

// Private memory is accessed in pieces, at any offset and of any size.
func TestLargeTransfers(t *testing.T) {
	ledger(t)
	e := openFake(t, "")
	const size = 3*stageBytes + 1001
	b, err := e.NewBuffer(size, gpu.Private, "large")
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, size)
	for i := range want {
		want[i] = byte(i * 7 >> 3)
	}
	if err := b.Write(0, want); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ off, n int }{{0, size}, {1, stageBytes}, {stageBytes - 3, stageBytes + 7}, {size - 1, 1}, {5, 0}} {
		got := make([]byte, c.n)
		if err := b.Read(c.off, got); err != nil || !bytes.Equal(got, want[c.off:c.off+c.n]) {
			t.Errorf("%d B at %d differ: %v", c.n, c.off, err)
		}
	}
	copy(want[3:], bytes.Repeat([]byte{9}, 2*stageBytes+2))
	if err := b.Write(3, bytes.Repeat([]byte{9}, 2*stageBytes+2)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, size)
	if err := b.Read(0, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after a write in the middle: %v", err)
	}
	if err := b.Fill(0x5B); err != nil {
		t.Fatal(err)
	}
	if err := b.Read(0, got); err != nil || !bytes.Equal(got, bytes.Repeat([]byte{0x5B}, size)) {
		t.Errorf("after a fill: %v", err)
	}
	if err := b.Release(); err != nil {
		t.Error(err)
	}
	closed(t, e)
}

// A transfer that fails leaves nothing in use.
func TestTransferFails(t *testing.T) {
	ledger(t)
	e := openFake(t, "")
	b, err := e.NewBuffer(2*stageBytes, gpu.Private, "large")
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 2; i++ {
		script(t, fmt.Sprintf("cuMemcpyAsync@%d=1", i))
		says(t, b.Write(0, make([]byte, 2*stageBytes)), gpu.ErrExecution, "upload large", "code 1")
	}
	script(t, "cuMemcpyAsync=1")
	says(t, b.Read(0, make([]byte, 10)), gpu.ErrExecution, "download large", "code 1")
	script(t, "")
	if err := b.Write(0, make([]byte, 2*stageBytes)); err != nil {
		t.Error(err)
	}
	if err := b.Release(); err != nil {
		t.Error(err)
	}
	closed(t, e)
}

// The parameters of many programs share memory, and memory that no program needs any more is reused or freed.
func TestArena(t *testing.T) {
	ledger(t)
	e := openFake(t, "")
	a := &e.params
	first, err := a.take(100)
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.take(300)
	if err != nil || second.address()-first.address() != 256 {
		t.Fatalf("places at %d and %d: %v", first.address(), second.address(), err)
	}
	a.give(first)
	large, err := a.take(arenaBytes + 1)
	if err != nil || large.chunk == second.chunk || large.offset != 0 {
		t.Fatalf("%+v, %v", large, err)
	}
	a.give(second)
	a.give(large)
	again, err := a.take(10)
	if err != nil || again.address() != large.address() {
		t.Errorf("%+v, %v: want the memory that nobody needs any more", again, err)
	}
	a.give(again)
	closed(t, e)
}

// Threadgroup memory beyond what every launch may have is requested once.
func TestSharedMemory(t *testing.T) {
	x := newAdder(t, openFake(t, ""), 10)
	l := x.kernel.(*kernel).loaded
	if err := l.allow(x.e.device, plainShared); err != nil || l.allowed != 0 {
		t.Errorf("%d B allowed: %v", l.allowed, err)
	}
	if err := l.allow(x.e.device, 100<<10); err != nil || l.allowed != 100<<10 {
		t.Errorf("%d B allowed: %v", l.allowed, err)
	}
	if err := l.allow(x.e.device, 300<<10); err == nil {
		t.Error("more threadgroup memory than there is")
	}
	x.close()
}

func TestCheckGrid(t *testing.T) {
	e := openFake(t, "")
	defer closed(t, e)
	says(t, e.facts.checkGrid("k", [3]uint32{1, 65536, 1}, [3]uint32{1, 1, 1}), gpu.ErrUnsupported, "k", "65536 threadgroups along y", "65535")
	says(t, e.facts.checkGrid("k", [3]uint32{1, 1, 70000}, [3]uint32{1, 1, 1}), gpu.ErrUnsupported, "70000 threadgroups along z")
	says(t, e.facts.checkGrid("k", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 65}), gpu.ErrUnsupported, "65 threads along z", "64")
	if err := e.facts.checkGrid("k", [3]uint32{1 << 30, 65535, 65535}, [3]uint32{1024, 1, 64}); err != nil {
		t.Error(err)
	}
}
