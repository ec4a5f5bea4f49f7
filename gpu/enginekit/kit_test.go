package enginekit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/gpu"
)

// mem is the buffer of an engine that has nothing else.
type mem struct {
	Buffer
	data []byte
}

func (m *mem) Write(off int, src []byte) error {
	return m.Access("write", off, len(src), func() error { copy(m.data[off:], src); return nil })
}

func (m *mem) Read(off int, dst []byte) error {
	return m.Access("read", off, len(dst), func() error { copy(dst, m.data[off:]); return nil })
}

func (m *mem) Fill(v byte) error {
	return m.Access("fill", 0, m.Size(), func() error { FillBytes(m.data, v); return nil })
}
func (m *mem) Bytes() []byte { return m.data }

// allocate allocates a buffer of n bytes that adds 1 to freed when its memory is freed.
func allocate(r *Registry, n int, label string, freed *atomic.Int32) (*mem, error) {
	m := &mem{}
	err := r.Allocate(&m.Buffer, Request{Bytes: n, Label: label, Limit: 1000}, nil, func() (func(), error) {
		m.data = make([]byte, n)
		return func() { freed.Add(1) }, nil
	})
	return m, err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemoryStaysWhileBound(t *testing.T) {
	var r Registry
	var freed atomic.Int32
	m, err := allocate(&r, 100, "bound", &freed)
	must(t, err)
	var work Bindings
	for range 2 {
		own, err := Bind[*mem](&work, &r, m)
		must(t, err)
		if own != m {
			t.Fatal("another buffer was bound")
		}
	}
	must(t, m.Release())
	if freed.Load() != 0 || r.Memory() != (gpu.Memory{Bytes: 100, Buffers: 1}) {
		t.Errorf("freed %d times while bound, %+v are live", freed.Load(), r.Memory())
	}
	if _, err := Bind[*mem](&work, &r, m); !errors.Is(err, gpu.ErrReleased) {
		t.Errorf("binding what was released: %v", err)
	}
	if err := m.Release(); !errors.Is(err, gpu.ErrReleased) || !strings.Contains(err.Error(), `"bound", 100 B`) {
		t.Errorf("a second Release: %v", err)
	}
	work.Drop()
	if freed.Load() != 1 || r.Memory() != (gpu.Memory{}) {
		t.Errorf("freed %d times, %+v are live", freed.Load(), r.Memory())
	}
}

func TestForeignBuffersAreNotBound(t *testing.T) {
	var r, other Registry
	var freed atomic.Int32
	m, err := allocate(&other, 1, "foreign", &freed)
	must(t, err)
	var work Bindings
	if _, err := Bind[*mem](&work, &r, m); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("another engine's buffer: %v", err)
	}
	must(t, m.Release())
}

func TestRefusedAllocationsCountNothing(t *testing.T) {
	var r Registry
	broken := errors.New("broken")
	create := func() (func(), error) { return nil, broken }
	for _, c := range []struct {
		request Request
		admit   func(gpu.Memory) error
		kind    error
	}{
		{Request{Bytes: 0, Limit: 10}, nil, gpu.ErrInvalid},
		{Request{Bytes: 11, Limit: 10}, nil, gpu.ErrOutOfMemory},
		{Request{Bytes: 1, Limit: 10, Storage: 7}, nil, gpu.ErrInvalid},
		{Request{Bytes: 1, Limit: 10}, func(gpu.Memory) error { return gpu.ErrDeviceLost }, gpu.ErrDeviceLost},
		{Request{Bytes: 1, Limit: 10}, nil, broken},
	} {
		if err := r.Allocate(&Buffer{}, c.request, c.admit, create); !errors.Is(err, c.kind) {
			t.Errorf("%+v: %v, want %v", c.request, err, c.kind)
		}
		if m := r.Memory(); m != (gpu.Memory{}) {
			t.Errorf("%+v: %+v are live", c.request, m)
		}
	}
}

// Admission counts buffers that are being created as live, so that two at once cannot both take the last space.
func TestReservationsAreSeen(t *testing.T) {
	var r Registry
	room := func(live gpu.Memory) error {
		if live.Bytes+60 > 100 {
			return gpu.ErrOutOfMemory
		}
		return nil
	}
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := r.Allocate(&Buffer{}, Request{Bytes: 60, Limit: 100}, room, func() (func(), error) {
				made.Add(1)
				time.Sleep(time.Millisecond)
				return func() {}, nil
			})
			if err != nil && !errors.Is(err, gpu.ErrOutOfMemory) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("%d buffers of 60 B in 100 B", made.Load())
	}
}

func TestClosedRegistryTakesNothing(t *testing.T) {
	var r Registry
	var freed atomic.Int32
	_, err := allocate(&r, 30, "b", &freed)
	must(t, err)
	m := &mem{}
	err = r.Allocate(&m.Buffer, Request{Bytes: 1, Limit: 10}, nil, func() (func(), error) {
		r.Close() // while the buffer is being created
		return func() { freed.Add(1) }, nil
	})
	if !errors.Is(err, gpu.ErrClosed) || freed.Load() != 1 {
		t.Errorf("closed meanwhile: %v, freed %d times", err, freed.Load())
	}
	if _, err := allocate(&r, 1, "late", &freed); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := r.FreeLive(); err == nil || !strings.Contains(err.Error(), `1 buffers (30 B) were still live: "b"`) {
		t.Errorf("FreeLive: %v", err)
	}
	if err := r.FreeLive(); err != nil || freed.Load() != 2 || r.Memory() != (gpu.Memory{}) {
		t.Errorf("FreeLive again: %v; freed %d times, %+v are live", err, freed.Load(), r.Memory())
	}
}

func TestLeftLive(t *testing.T) {
	if err := leftLive(nil, 0); err != nil {
		t.Errorf("no buffers: %v", err)
	}
	err := leftLive([]string{"b", "a", "b"}, 30)
	if !errors.Is(err, gpu.ErrInvalid) || !strings.HasSuffix(err.Error(), `3 buffers (30 B) were still live: "a", "b"`) {
		t.Errorf("three buffers: %v", err)
	}
	if err := leftLive(strings.Split("g f e d c b a", " "), 7); !strings.HasSuffix(err.Error(), `"e", …`) {
		t.Errorf("seven buffers: %v", err)
	}
}

func TestFillBytes(t *testing.T) {
	for n := range 70 {
		data := bytes.Repeat([]byte{1}, n+1)
		FillBytes(data[:n], 7)
		if !bytes.Equal(data[:n], bytes.Repeat([]byte{7}, n)) || data[n] != 1 {
			t.Errorf("%d bytes: %v", n, data)
		}
	}
}

// The deadline may fall anywhere between the last check for calls and the wait for them: none of many waits on a busy machine may
// hang, and each abandoned device is freed once, by the call that leaves last.
func TestGateWaitsNoLongerThanItsDeadline(t *testing.T) {
	const waiters = 32
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(waiters)) // the system then interrupts them anywhere
	var wg sync.WaitGroup
	for range waiters {
		wg.Go(func() {
			for i := range 3000 {
				if err := abandon(time.Duration(i%200)*10, i%4 == 0); err != nil {
					t.Errorf("wait %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// abandon waits for a call that ends with the deadline, or after it.
func abandon(timeout time.Duration, soon bool) error {
	var g Gate
	var freed atomic.Int32
	g.Enter()
	ended := make(chan bool, 1)
	go func() { ended <- g.Wait(timeout, func() { freed.Add(1) }) }()
	if soon {
		g.Leave()
	}
	var idle bool
	select {
	case idle = <-ended:
	case <-time.After(20 * time.Second):
		return fmt.Errorf("a wait of %v for a call that does not end hangs", timeout)
	}
	if !soon {
		g.Leave()
	}
	want := int32(1)
	if idle {
		want = 0
	}
	if got := freed.Load(); got != want {
		return fmt.Errorf("idle %v, freed %d times, want %d", idle, got, want)
	}
	return nil
}

func TestGateWaitsForCalls(t *testing.T) {
	var g Gate
	if !g.Wait(0, nil) {
		t.Error("nobody is inside, and it waits")
	}
	g.Enter()
	g.Enter()
	time.AfterFunc(5*time.Millisecond, g.Leave)
	time.AfterFunc(10*time.Millisecond, g.Leave)
	if !g.Wait(time.Minute, nil) {
		t.Error("both calls ended, and it gave up")
	}
}

func TestSubmissionEndsOnce(t *testing.T) {
	s := NewSubmission()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled wait: %v", err)
	}
	late, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := s.Wait(late); !errors.Is(err, gpu.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait past its deadline: %v", err)
	}
	s.Finish(gpu.Timing{Device: 1, Wall: 2}, gpu.ErrExecution)
	if got, err := s.Wait(ctx); !errors.Is(err, gpu.ErrExecution) || got != (gpu.Timing{}) {
		t.Errorf("a failed submission: %+v, %v", got, err)
	}
}

func TestCheckPages(t *testing.T) {
	const page = 16384
	for _, c := range []struct {
		address uintptr
		bytes   int
		ok      bool
	}{
		{4 * page, page, true},
		{4 * page, 3 * page, true},
		{4*page + 8, page, false},
		{4 * page, page + 1, false},
		{4 * page, 0, false},
	} {
		err := checkPages(c.address, c.bytes, page, "weights")
		if (err == nil) != c.ok {
			t.Errorf("%d B at %#x: %v", c.bytes, c.address, err)
		}
		if err != nil && !errors.Is(err, gpu.ErrInvalid) {
			t.Errorf("%d B at %#x: %v is not ErrInvalid", c.bytes, c.address, err)
		}
	}
}
