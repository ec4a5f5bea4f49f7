//go:build metalsim && cgo && !darwin

package metal

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/metal/sim"
	"assay/shaders/catalog"
)

// Every error of a command buffer becomes a gpu error that names the kernel and the encoder. If the device is not lost, the
// same queue then works. If it is, all later calls fail with ErrDeviceLost, and an engine opened again works.
func TestCommandBufferErrors(t *testing.T) {
	cases := []struct {
		code sim.ErrorCode
		kind error
		lost bool
	}{
		{sim.Internal, gpu.ErrExecution, false},
		{sim.Timeout, gpu.ErrTimeout, true},
		{sim.PageFault, gpu.ErrExecution, false},
		{sim.AccessRevoked, gpu.ErrExecution, false},
		{sim.NotPermitted, gpu.ErrUnsupported, false},
		{sim.OutOfMemory, gpu.ErrOutOfMemory, false},
		{sim.InvalidResource, gpu.ErrExecution, false},
		{sim.DeviceRemoved, gpu.ErrDeviceLost, true},
		{sim.StackOverflow, gpu.ErrExecution, false},
		{sim.ImpactingInteractivity, gpu.ErrTimeout, false},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.code), func(t *testing.T) {
			o := simOptions(t)
			ledger(t)
			x := newAdder(t, openSim(t, o), 1000)
			sim.Inject(sim.Script{Commit: 1, CommitError: c.code})
			_, err := x.run()
			if !errors.Is(err, c.kind) {
				t.Errorf("error %v, want %v", err, c.kind)
			}
			says(t, err, "add_f32", `encoder "add_f32"`, fmt.Sprintf("code %d", c.code))
			sim.Inject(sim.Script{})
			if c.lost {
				isLost(t, x)
			} else {
				x.works()
			}
			x.close()
			again := newAdder(t, openSim(t, o), 1000)
			again.works()
			again.close()
		})
	}
}

// isLost checks that every call fails with ErrDeviceLost.
func isLost(t *testing.T, x *adder) {
	t.Helper()
	if err := gpu.Lost(x.e); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("Lost of a lost device: %v", err)
	}
	_, errSubmit := gputest.Submit(x.e, x.q, x.dispatch())
	_, errBuffer := x.e.NewBuffer(100, gpu.Shared, "late")
	_, errKernel := x.e.Kernel(catalog.MustFind("copy_f32"))
	_, errQueue := x.e.NewQueue("late")
	_, errCapture := x.e.Capture(t.TempDir() + "/late.gputrace")
	for call, err := range map[string]error{
		"Submit": errSubmit, "NewBuffer": errBuffer, "Kernel": errKernel, "NewQueue": errQueue, "Capture": errCapture,
		"Supports": x.e.Supports(catalog.MustFind("copy_f32")), "Write": x.a.Write(0, []byte{1}),
		"Read": x.a.Read(0, []byte{1}), "Fill": x.a.Fill(1),
	} {
		if !errors.Is(err, gpu.ErrDeviceLost) {
			t.Errorf("%s on a lost device: %v", call, err)
		}
	}
}

// One refusal may be an accident; a second in a row means that the device ignores all later work.
func TestAccessRevokedTwice(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{Commit: 1, Commits: 2, CommitError: sim.AccessRevoked})
	if _, err := x.run(); !errors.Is(err, gpu.ErrExecution) {
		t.Errorf("the first: %v", err)
	}
	if _, err := x.run(); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("the second: %v", err)
	}
	isLost(t, x)
	x.close()
}

// Successful work in between resets the count.
func TestAccessRevokedApart(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	for range 3 {
		sim.Inject(sim.Script{Commit: 1, CommitError: sim.AccessRevoked})
		if _, err := x.run(); !errors.Is(err, gpu.ErrExecution) {
			t.Errorf("error %v", err)
		}
		sim.Inject(sim.Script{})
		x.works()
	}
	x.close()
}

// Of several command buffers in flight, only the one that failed returns an error.
func TestFaultAmongOthers(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{Commit: 3, CommitError: sim.PageFault})
	var all []gpu.Submission
	for range 6 {
		s, err := gputest.Submit(x.e, x.q, x.dispatch())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for i, s := range all {
		_, err := s.Wait(context.Background())
		if failed := errors.Is(err, gpu.ErrExecution); failed != (i == 2) {
			t.Errorf("command buffer %d: %v", i+1, err)
		}
	}
	x.works()
	x.close()
}

// The device is removed in the middle of a run: that command buffer and those after it fail, and none hangs.
func TestDeviceRemoved(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{RemoveDevice: 2})
	first, err := gputest.Submit(x.e, x.q, x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	second, err := gputest.Submit(x.e, x.q, x.dispatch(), x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Wait(context.Background()); err != nil {
		t.Errorf("before the removal: %v", err)
	}
	if _, err := second.Wait(context.Background()); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("at the removal: %v", err)
	}
	isLost(t, x)
	x.close()
	sim.Inject(sim.Script{})
	again := newAdder(t, openSim(t, o), 1000)
	again.works()
	again.close()
}

// A command buffer that never ends times out after Options.Timeout, as do those after it, and closing does not wait for it.
// If it does end later, nothing leaks or is released twice.
func TestHang(t *testing.T) {
	o := simOptions(t)
	o.Timeout = 500 * time.Millisecond
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{Hang: 1})
	hung, err := gputest.Submit(x.e, x.q, x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	behind, err := gputest.Submit(x.e, x.q, x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := hung.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait that gives up: %v", err)
	}
	_, err = hung.Wait(context.Background())
	if !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("what hangs: %v", err)
	}
	says(t, err, "add_f32", "500ms")
	if _, err := behind.Wait(context.Background()); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("what waits behind it: %v", err)
	}
	isLost(t, x)
	x.release()
	err = x.q.Close()
	if !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("closing the queue: %v", err)
	}
	says(t, err, "adder", "2 command buffers")
	if err := x.e.Close(); err != nil {
		t.Errorf("closing the engine: %v", err)
	}
	sim.ReleaseHangs()
}

// Close returns although a queue hangs, and the error names the work that keeps memory.
func TestHangClose(t *testing.T) {
	o := simOptions(t)
	o.Timeout = 100 * time.Millisecond
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{Hang: 1})
	s, err := gputest.Submit(x.e, x.q, x.dispatch())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []gpu.Buffer{x.a, x.b, x.out} { // in use, so that they are still counted
		if err := b.Release(); err != nil {
			t.Error(err)
		}
	}
	err = x.e.Close()
	if !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("closing: %v", err)
	}
	says(t, err, `"adder"`, "keeps their memory")
	if _, err := s.Wait(context.Background()); !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("what hung: %v", err)
	}
	sim.ReleaseHangs()
	again := newAdder(t, openSim(t, simOptions(t)), 1000)
	again.works()
	again.close()
}

// A transfer that hangs makes the device count as lost, as a kernel does.
func TestHangTransfer(t *testing.T) {
	o := simOptions(t)
	o.Timeout = 100 * time.Millisecond
	ledger(t)
	e := openSim(t, o)
	b, err := e.NewBuffer(100, gpu.Private, "hidden")
	if err != nil {
		t.Fatal(err)
	}
	sim.Inject(sim.Script{Hang: 1})
	err = b.Fill(1)
	if !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("fill: %v", err)
	}
	says(t, err, "fill hidden")
	if err := b.Fill(1); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("fill again: %v", err)
	}
	if err := b.Release(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	sim.ReleaseHangs()
}

// An allocation that the device refuses leaves the ledger unchanged, and the next one can succeed.
func TestAllocationFails(t *testing.T) {
	for _, storage := range []gpu.Storage{gpu.Shared, gpu.Private} {
		t.Run(storage.String(), func(t *testing.T) {
			o := simOptions(t)
			ledger(t)
			x := newAdder(t, openSim(t, o), 1000)
			before := x.e.Memory()
			sim.Inject(sim.Script{Allocation: 1})
			_, err := x.e.NewBuffer(12345, storage, "refused")
			if !errors.Is(err, gpu.ErrOutOfMemory) {
				t.Errorf("error %v", err)
			}
			says(t, err, "refused", "12345 B", "3 buffers of 12000 B", "working set")
			if m := x.e.Memory(); m != before {
				t.Errorf("Memory is %+v, was %+v", m, before)
			}
			b, err := x.e.NewBuffer(12345, storage, "second try")
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Release(); err != nil {
				t.Error(err)
			}
			x.works()
			x.close()
		})
	}
}

// Private memory is accessed through a staging buffer, whose allocation may fail.
func TestStagingFails(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	e := openSim(t, o)
	b, err := e.NewBuffer(100, gpu.Private, "hidden")
	if err != nil {
		t.Fatal(err)
	}
	sim.Inject(sim.Script{Allocation: 1})
	if err := b.Write(0, []byte("text")); !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Errorf("error %v", err)
	}
	if err := b.Write(0, []byte("text")); err != nil {
		t.Errorf("second try: %v", err)
	}
	got := make([]byte, 4)
	if err := b.Read(0, got); err != nil || string(got) != "text" {
		t.Errorf("read %q, %v", got, err)
	}
	if err := b.Release(); err != nil {
		t.Error(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

// A device that creates no queue cannot be opened. If a later queue cannot be created, only that call fails.
func TestNoQueue(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	sim.Inject(sim.Script{NoQueue: true})
	if _, err := OpenWith(o); !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Errorf("open: %v", err)
	}
	sim.Inject(sim.Script{})
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{NoQueue: true})
	_, err := x.e.NewQueue("second")
	if !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Errorf("error %v", err)
	}
	says(t, err, "second")
	sim.Inject(sim.Script{})
	x.works()
	x.close()
}

// An implausible time is an error; the next command buffer can have a valid one.
func TestTimesMissing(t *testing.T) {
	o := simOptions(t)
	ledger(t)
	x := newAdder(t, openSim(t, o), 1000)
	sim.Inject(sim.Script{ZeroTimes: true})
	timing, err := x.run()
	if !errors.Is(err, gpu.ErrExecution) || timing != (gpu.Timing{}) {
		t.Errorf("%+v, %v", timing, err)
	}
	says(t, err, "add_f32", "no time")
	sim.Inject(sim.Script{})
	x.works()
	x.close()
}
