package inject

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
)

// submit runs commands on an engine once and returns the device's time.
func submit(t *testing.T, q gpu.Queue, p gpu.Program) float64 {
	t.Helper()
	s, err := q.Submit(p, 1)
	if err != nil {
		t.Fatal(err)
	}
	timing, err := s.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return timing.Device
}

// filling returns a program that fills a buffer, and the buffer.
func filling(t *testing.T, e gpu.Engine) (gpu.Program, gpu.Buffer) {
	t.Helper()
	b, err := e.NewBuffer(64, gpu.Shared, "filled")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.Prepare(gpu.Fill{To: gpu.Binding{Buffer: b}, Bytes: 64, Value: 7})
	if err != nil {
		t.Fatal(err)
	}
	return p, b
}

func queueOf(t *testing.T, e gpu.Engine) gpu.Queue {
	t.Helper()
	q, err := e.NewQueue("test")
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestHeatLastsUntilTheDeviceHasRested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heat := Heat{Factor: 3, Rest: time.Second}
		e := Slow(gputest.NewFake(gputest.Script{}), &heat)
		p, _ := filling(t, e)
		q := queueOf(t, e)
		usual := submit(t, q, p)
		heat.Begin()
		for _, c := range []struct {
			held, rest time.Duration
			times      float64
		}{{0, 0, 3}, {time.Minute, 0, 3}, {0, 600 * time.Millisecond, 3}, {time.Minute, 300 * time.Millisecond, 3}, {0, 100 * time.Millisecond, 1}, {0, 0, 1}} {
			time.Sleep(c.held)
			heat.Sleep(t.Context(), c.rest)
			if got := submit(t, q, p) / usual; got < 0.999*c.times || got > 1.001*c.times || heat.Hot() != (c.times > 1) {
				t.Errorf("after a rest of %v: %g times as long, hot %v, want %g", c.rest, got, heat.Hot(), c.times)
			}
		}
		heat.Begin()
		ended, stop := context.WithCancel(t.Context())
		stop()
		heat.Sleep(ended, time.Hour)
		if got := submit(t, q, p) / usual; got < 2.9 {
			t.Errorf("heated again, and a rest that was cut short: %g times as long", got)
		}
	})
}

func TestDefectBeginsWhenItShould(t *testing.T) {
	d := Defect{After: 2}
	e := Wrong(gputest.NewFake(gputest.Script{}), &d)
	d.Edit = func(all []gpu.Command) []gpu.Command {
		f := all[0].(gpu.Fill)
		f.Value = 9
		return []gpu.Command{f}
	}
	p, b := filling(t, e)
	q := queueOf(t, e)
	for i, want := range []byte{7, 7, 9, 9} {
		submit(t, q, p)
		if got := b.Bytes()[63]; got != want {
			t.Errorf("submission %d filled with %d, want %d", i, got, want)
		}
	}
	if err := p.Release(); err != nil {
		t.Error(err)
	}
}

// A held fault happens after it is armed, and reports what it affected.
func TestHeldFault(t *testing.T) {
	plan := Plan{Fault: OutOfMemory, At: 2, Held: true}
	e := Wrap(gputest.NewFake(gputest.Script{}), &plan)
	for i, want := range []bool{false, false, false, false, true, false} {
		if i == 3 {
			plan.Arm()
		}
		_, err := e.NewBuffer(4096, gpu.Shared, "weights")
		if failed := err != nil; failed != want || want && !errors.Is(err, gpu.ErrOutOfMemory) {
			t.Errorf("buffer %d: %v", i, err)
		}
	}
	if on := plan.On(); on != "the buffer “weights” (4.10 kB)" || !plan.Fired() {
		t.Errorf("it happened to %q", on)
	}
}
