package cpu_test

import (
	"errors"
	"testing"

	"assay/gpu"
	"assay/gpu/cpu"
	"assay/gpu/gputest"
)

// Command buffers add to the CPU time of kernels: long ones by the threads' clocks, brief ones by their duration.
func TestWorkedGrowsWithCommands(t *testing.T) {
	e, err := cpu.OpenWith(cpu.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	worker, ok := gpu.As[gpu.Worker](e)
	if !ok {
		t.Fatal("the engine does not report the CPU time of its kernels")
	}
	q, err := e.NewQueue("test")
	if err != nil {
		t.Fatal(err)
	}
	for _, bytes := range []int{64, 64 << 20} {
		b, err := e.NewBuffer(bytes, gpu.Shared, "filled")
		if err != nil {
			t.Fatal(err)
		}
		before, err := worker.Worked()
		if err != nil {
			t.Fatal(err)
		}
		sub, err := gputest.Submit(e, q, gpu.Fill{To: gpu.Binding{Buffer: b}, Bytes: bytes, Value: 7})
		if err != nil {
			t.Fatal(err)
		}
		timing, err := sub.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		after, err := worker.Worked()
		if got := after.Seconds - before.Seconds; err != nil || got <= 0 || after.Elsewhere != before.Elsewhere {
			t.Errorf("filling %d B took %v s, of the CPU %v (%v)", bytes, timing.Device, got, err)
		}
		if err := b.Release(); err != nil {
			t.Error(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := worker.Worked(); !errors.Is(err, gpu.ErrClosed) {
		t.Errorf("of a closed engine: %v", err)
	}
}
