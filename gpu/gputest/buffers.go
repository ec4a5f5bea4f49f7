package gputest

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"sync"

	"assay/gpu"
)

func bufferRequirements() []requirement {
	return []requirement{
		{name: "buffers hold what was written", run: bufferReadWrite},
		{name: "access out of range is refused", run: bufferRange},
		{name: "a released buffer refuses use", run: bufferReleased},
		{name: "impossible sizes are refused", run: bufferSizes},
		{name: "the ledger follows every buffer", run: bufferLedger},
		{name: "buffers may be made and released by many goroutines", run: bufferConcurrent},
	}
}

func storages() []gpu.Storage { return []gpu.Storage{gpu.Shared, gpu.Private} }

func bufferReadWrite(r *rig) {
	for _, s := range storages() {
		const n = 1000
		b, err := r.engine.NewBuffer(n, s, "read and write")
		r.ok(err, "allocate")
		if b.Size() != n || b.Storage() != s {
			r.t.Errorf("a buffer of %d B, %v says %d B, %v", n, s, b.Size(), b.Storage())
		}
		want := bytes.Repeat([]byte{0xA5}, n)
		r.ok(b.Fill(0xA5), "fill")
		copy(want[33:], "some bytes at an odd offset")
		r.ok(b.Write(33, []byte("some bytes at an odd offset")), "write")
		got := make([]byte, n)
		r.ok(b.Read(0, got), "read")
		if !bytes.Equal(got, want) {
			r.t.Errorf("%v: read %x, want %x", s, got[:64], want[:64])
		}
		part := make([]byte, 7)
		r.ok(b.Read(35, part), "read a part")
		if !bytes.Equal(part, want[35:42]) {
			r.t.Errorf("%v: read %q at 35, want %q", s, part, want[35:42])
		}
		r.bytesAgree(b, want)
		r.release(b)
	}
}

// bytesAgree compares Bytes with the results of Write and Read, if the host can access the memory.
func (r *rig) bytesAgree(b gpu.Buffer, want []byte) {
	r.t.Helper()
	mem := b.Bytes()
	if mem == nil {
		if b.Storage() == gpu.Shared && r.engine.Info().Unified {
			r.t.Error("a shared buffer of an engine with unified memory has no Bytes")
		}
		return
	}
	if !bytes.Equal(mem, want) {
		r.t.Errorf("Bytes (%d B) differ from what was written (%d B)", len(mem), len(want))
		return
	}
	mem[3]++
	got := make([]byte, 1)
	r.ok(b.Read(3, got), "read")
	if got[0] != want[3]+1 {
		r.t.Errorf("a byte stored through Bytes reads as %d, want %d", got[0], want[3]+1)
	}
}

func bufferRange(r *rig) {
	b := r.buffer(100)
	r.ok(b.Fill(7), "fill")
	for _, c := range []struct{ off, n int }{{-1, 1}, {0, 101}, {100, 1}, {96, 5}, {math.MaxInt, 1}, {math.MinInt, 8}} {
		what := fmt.Sprintf("%d B at %d of 100 B", c.n, c.off)
		words := []string{strconv.Itoa(c.off), strconv.Itoa(c.n), "100"}
		r.fails(b.Write(c.off, make([]byte, c.n)), "write "+what, kind(gpu.ErrRange), words...)
		r.fails(b.Read(c.off, make([]byte, c.n)), "read "+what, kind(gpu.ErrRange), words...)
	}
	for _, off := range []int{0, 50, 100} {
		r.ok(b.Write(off, nil), "write nothing")
		r.ok(b.Read(off, nil), "read nothing")
	}
	got := make([]byte, 100)
	r.ok(b.Read(0, got), "read")
	if !bytes.Equal(got, bytes.Repeat([]byte{7}, 100)) {
		r.t.Error("a refused write changed the buffer")
	}
	r.release(b)
}

func bufferReleased(r *rig) {
	for _, s := range storages() {
		b, err := r.engine.NewBuffer(64, s, "to be released")
		r.ok(err, "allocate")
		r.release(b)
		r.fails(b.Release(), "a second Release", kind(gpu.ErrReleased))
		r.fails(b.Write(0, []byte{1}), "Write", kind(gpu.ErrReleased))
		r.fails(b.Read(0, []byte{1}), "Read", kind(gpu.ErrReleased))
		r.fails(b.Fill(1), "Fill", kind(gpu.ErrReleased))
		if b.Bytes() != nil {
			r.t.Error("Bytes of a released buffer is not nil")
		}
		if b.Size() != 64 || b.Storage() != s {
			r.t.Errorf("a released buffer says %d B, %v", b.Size(), b.Storage())
		}
		if m := r.engine.Memory(); m != (gpu.Memory{}) {
			r.t.Errorf("after Release twice Memory is %+v", m)
		}
	}
}

func bufferSizes(r *rig) {
	for _, n := range []int{0, -1, math.MinInt} {
		_, err := r.engine.NewBuffer(n, gpu.Shared, "impossible")
		r.fails(err, fmt.Sprintf("a buffer of %d B", n), kind(gpu.ErrInvalid), strconv.Itoa(n), "impossible")
	}
	limit := r.engine.Info().MaxBuffer
	if limit <= 0 {
		r.t.Fatalf("Info.MaxBuffer is %d", limit)
	}
	for _, n := range []int{math.MaxInt/2 + 1, math.MaxInt} {
		_, err := r.engine.NewBuffer(n, gpu.Shared, "absurd")
		r.fails(err, fmt.Sprintf("a buffer of %d B", n), kind(gpu.ErrOutOfMemory), strconv.Itoa(n), "absurd")
	}
	if limit < math.MaxInt {
		_, err := r.engine.NewBuffer(int(limit)+1, gpu.Private, "over the limit")
		r.fails(err, "a buffer over Info.MaxBuffer", kind(gpu.ErrOutOfMemory), strconv.Itoa(int(limit)+1))
	}
	if m := r.engine.Memory(); m != (gpu.Memory{}) {
		r.t.Errorf("after refused allocations Memory is %+v", m)
	}
	r.release(r.buffer(1)) // the engine can still allocate
}

func bufferLedger(r *rig) {
	sizes := []int{1, 255, 4096, 1 << 20}
	var live []gpu.Buffer
	var total int64
	for i, n := range sizes {
		live = append(live, r.buffer(n))
		total += int64(n)
		if m := r.engine.Memory(); m.Buffers != int64(i+1) || m.Bytes < total {
			r.t.Errorf("%d buffers of %d B are live, Memory is %+v", i+1, total, m)
		}
	}
	for i, b := range live {
		r.release(b)
		if m := r.engine.Memory(); m.Buffers != int64(len(live)-i-1) {
			r.t.Errorf("%d buffers are live, Memory is %+v", len(live)-i-1, m)
		}
	}
	if m := r.engine.Memory(); m.Bytes != 0 {
		r.t.Errorf("nothing is live, Memory is %+v", m)
	}
}

func bufferConcurrent(r *rig) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				if err := r.churn(1+i*97, byte(g)); err != nil {
					r.t.Errorf("goroutine %d: %v", g, err)
				}
			}
		})
	}
	wg.Wait()
}

func (r *rig) churn(n int, mark byte) error {
	b, err := r.engine.NewBuffer(n, gpu.Shared, "churn")
	if err != nil {
		return err
	}
	if err := b.Fill(mark); err != nil {
		return err
	}
	got := make([]byte, n)
	if err := b.Read(0, got); err != nil {
		return err
	}
	if !bytes.Equal(got, bytes.Repeat([]byte{mark}, n)) {
		return fmt.Errorf("a buffer of %d B holds another's bytes", n)
	}
	return b.Release()
}
