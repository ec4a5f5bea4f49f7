//go:build metalsim && cgo && !darwin

package metal

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/metal/sim"
	"assay/gpu/probe"
	"assay/shaders"
)

// No figure of a simulated device may be mistaken for that of a GPU.
func TestSimulatedSaysSo(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	info := e.Info()
	if !info.Simulated || !strings.Contains(strings.ToLower(info.Device), "simulated") || info.Clock != simulatedClock {
		t.Errorf("Info: %+v", info)
	}
	c := e.caps
	if c.simdWidth != 32 || !c.device.simulated || c.chip != "" || c.bandwidth != 0 {
		t.Errorf("capabilities: %+v", c)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// Metal binds objects of its own as tensors, which the engine cannot make: it says so before anything is compiled.
func TestTensorsAsArgumentsAreRefused(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	source, err := shaders.UserSource("k.metal", "kernel void k() {}")
	if err != nil {
		t.Fatal(err)
	}
	m := &shaders.Impl{Op: &shaders.Op{Name: "own"}, Source: source, Entry: "k", Needs: shaders.HostTensors}
	if err := e.Supports(m.Kernel(shaders.F32)); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "need MTLTensor, which is part of macOS 26") {
		t.Errorf("error %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestDevices(t *testing.T) {
	ledger(t)
	all := listDevices()
	if len(all) == 0 {
		t.Fatal("no device is listed")
	}
	name, listed := all[0].describe().name, len(all)
	for _, d := range all {
		d.release()
	}
	t.Setenv(deviceVariable, name)
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Info().Device; got != name {
		t.Errorf("opened %q, want %q", got, name)
	}
	chooser, _ := gpu.As[gpu.Chooser](e)
	if devices, how := chooser.Devices(); len(devices) != listed || !strings.HasPrefix(devices[0].Name, name) || how != deviceVariable {
		t.Errorf("devices %q, by %s", devices, how)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	t.Setenv(deviceVariable, "Voodoo")
	if _, err := Open(); !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("a device that is not there: %v", err)
	}
}

// Transfers of private memory begin and end at any byte, and are larger than the staging buffer.
func TestPrivateTransfers(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	const size = 2*stageBytes + 12345
	b, err := e.NewBuffer(size, gpu.Private, "hidden")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Fill(0x5a); err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte{0x5a}, size)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ off, n int }{
		{0, 1},
		{1, 2},
		{3, 1},
		{5, 3},
		{7, 9},
		{size - 1, 1},
		{size - 6, 6},
		{2, stageBytes},
		{1, size - 2},
		{stageBytes - 1, 2},
	} {
		part := make([]byte, c.n)
		for i := range part {
			part[i] = byte(rng.Uint32())
		}
		if err := b.Write(c.off, part); err != nil {
			t.Fatal(err)
		}
		copy(want[c.off:], part)
		got := make([]byte, c.n)
		if err := b.Read(c.off, got); err != nil || !bytes.Equal(got, part) {
			t.Fatalf("%d B at %d do not read back, %v", c.n, c.off, err)
		}
	}
	got := make([]byte, size)
	if err := b.Read(0, got); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the whole buffer is not what was written, %v", err)
	}
	if err := errors.Join(b.Release(), e.Close()); err != nil {
		t.Error(err)
	}
}

// The caller's memory is used in place, and returned to the caller once: when it is released and nothing in flight uses it.
func TestNoCopy(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	pages, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(pages) //nolint:errcheck // the test ends
	var given atomic.Int32
	b, err := x.e.Wrap(pages, "mapped", func() { given.Add(1) })
	if err != nil {
		t.Fatal(err)
	}
	d := x.dispatch()
	d.Bindings = gpu.Bind(x.a, x.b, b)
	s, err := gputest.Submit(x.e, x.q, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	if given.Load() != 1 {
		t.Errorf("the memory was given back %d times", given.Load())
	}
	sum := shaders.View{Type: shaders.F32, Data: pages[:4000]}
	for i := range 1000 {
		if sum.At(i) != 3 {
			t.Fatalf("element %d of the mapped memory is %g, want 3", i, sum.At(i))
		}
	}
	if _, err := x.e.Wrap(pages[:100], "part of a page", nil); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("part of a page: %v", err)
	}
	x.close()
}

// The caller's memory is returned when the buffer is released, even if nothing was submitted, but not before a command buffer
// that hangs with it ends.
func TestNoCopyGivesBack(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		o := simOptions(t)
		ledger(t)
		x := newAdder(t, openSim(t, o), 1000)
		x.e.options.Timeout = 50 * time.Millisecond
		pages, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		given := make(chan struct{})
		b, err := x.e.Wrap(pages, "mapped", func() { close(given) })
		if err != nil {
			t.Fatal(err)
		}
		if hangs {
			sim.Inject(sim.Script{Hang: 1})
			d := x.dispatch()
			d.Bindings = gpu.Bind(x.a, x.b, b)
			s, err := gputest.Submit(x.e, x.q, d)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Wait(context.Background()); !errors.Is(err, gpu.ErrTimeout) {
				t.Errorf("what hangs: %v", err)
			}
		}
		if err := b.Release(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-given:
			if hangs {
				t.Error("the memory was given back though the device may use it")
			}
		default:
			if !hangs {
				t.Error("the memory was not given back")
			}
		}
		sim.Inject(sim.Script{})
		<-given
		if err := unix.Munmap(pages); err != nil {
			t.Error(err)
		}
		x.release()
		if err := errors.Join(x.q.Close(), x.e.Close()); hangs != (err != nil) {
			t.Errorf("closing: %v", err)
		}
	}
}

// Released memory is returned to the device at once, whether or not the residency set was used.
func TestReleaseFreesDeviceMemory(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	x.works()
	before := deviceMemory(t, x.e).Allocated
	for range 3 {
		b, err := x.e.NewBuffer(1<<20, gpu.Private, "short-lived")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Release(); err != nil {
			t.Fatal(err)
		}
		if now := deviceMemory(t, x.e).Allocated; now != before {
			t.Errorf("the device has %d B, had %d B before", now, before)
		}
	}
	x.close()
}

func TestCapture(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	path := filepath.Join(t.TempDir(), "run.gputrace")
	_, err := x.e.Capture(path)
	if !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("captures are not enabled: %v", err)
	}
	says(t, err, "MTL_CAPTURE_ENABLED=1", "MetalCaptureEnabled")
	says(t, x.e.Capturable(), "MTL_CAPTURE_ENABLED=1")

	t.Setenv("MTL_CAPTURE_ENABLED", "1")
	if err := x.e.Capturable(); err != nil {
		t.Error(err)
	}
	if _, err := x.e.Capture(path + ".zip"); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("a wrong name: %v", err)
	}
	stop, err := x.e.Capture(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.e.Capture(path + "2.gputrace"); !errors.Is(err, gpu.ErrExecution) {
		t.Errorf("a second capture at once: %v", err)
	}
	x.works()
	for range 2 { // stopping twice is harmless
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	if _, err := x.e.Capture(path); !errors.Is(err, gpu.ErrInvalid) {
		t.Errorf("a document that is there already: %v", err)
	}
	x.close()
}

// Close stops an active capture.
func TestCaptureLeftOpen(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	t.Setenv("MTL_CAPTURE_ENABLED", "1")
	path := filepath.Join(t.TempDir(), "run.gputrace")
	x := newAdder(t, openSim(t, o), 1000)
	if _, err := x.e.Capture(path); err != nil {
		t.Fatal(err)
	}
	x.close()
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// The optional interfaces work when the probe tries them.
func TestAbilities(t *testing.T) {
	t.Setenv("MTL_CAPTURE_ENABLED", "1")
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	for _, a := range probe.Abilities(t.Context(), e) {
		if !a.Available {
			t.Errorf("%+v", a)
		}
	}
	if m := e.Memory(); m != (gpu.Memory{}) {
		t.Errorf("left: %+v", m)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeviceMemory(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	before := deviceMemory(t, e)
	b, err := e.NewBuffer(1<<20, gpu.Shared, "a megabyte")
	if err != nil {
		t.Fatal(err)
	}
	m := deviceMemory(t, e)
	if m.Allocated-before.Allocated < 1<<20 {
		t.Errorf("with 1 MiB more: %+v, before: %+v", m, before)
	}
	if err := errors.Join(b.Release(), e.Close()); err != nil {
		t.Error(err)
	}
	if got, err := e.DeviceMemory(); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("a closed engine has %+v, %v", got, err)
	}
}

func deviceMemory(t *testing.T, e gpu.MemoryReporter) gpu.DeviceMemory {
	t.Helper()
	m, err := e.DeviceMemory()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// More submissions than a queue has in flight at a time, without a wait in between.
func TestManyInFlight(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 64)
	var last gpu.Submission
	for range gpu.QueueDepth + 50 {
		s, err := gputest.Submit(x.e, x.q, x.dispatch())
		if err != nil {
			t.Fatal(err)
		}
		last = s
	}
	if _, err := last.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	x.works()
	x.close()
}

// A thousand runs, each with its own buffers and queue, leave no more objects than one run does.
func TestThousandRuns(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	once := func() {
		x := newAdder(t, e, 256)
		x.works()
		x.release()
		if err := x.q.Close(); err != nil {
			t.Fatal(err)
		}
	}
	once()
	before := len(remaining(0))
	for range 1000 {
		once()
	}
	if live := remaining(before); len(live) > before {
		t.Errorf("%d objects after the first run, %d after a thousand more, such as %v", before, len(live), live[0])
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
