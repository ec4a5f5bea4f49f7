//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/shaders/catalog"
	"assay/shaders/norm"
)

// After each of these codes the driver answers nothing else: the submission fails, and every later error has advice.
func TestStickyFaults(t *testing.T) {
	for code, kind := range map[int]error{
		214: gpu.ErrExecution, 700: gpu.ErrExecution, 702: gpu.ErrTimeout, 710: gpu.ErrExecution, 714: gpu.ErrExecution,
		715: gpu.ErrExecution, 716: gpu.ErrExecution, 717: gpu.ErrExecution, 718: gpu.ErrExecution, 719: gpu.ErrExecution,
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			o := fakeOptions(t, fmt.Sprintf("run:add_f32@2=%d", code))
			x := newAdder(t, open(t, o), 1000)
			x.works()
			says(t, x.run(), kind, "add_f32", fmt.Sprintf("code %d", code), "restart Assay")
			x.lost(o)
		})
	}
}

// lost checks that nothing can be used any more, and that everything ends in time.
func (x *adder) lost(o Options) {
	x.t.Helper()
	t := x.t
	for what, err := range map[string]error{
		"Lost": gpu.Lost(x.e), "run": x.run(), "write": x.a.Write(0, []byte{1}), "read": x.a.Read(0, make([]byte, 1)),
		"fill": x.a.Fill(1), "supports": x.e.Supports(catalog.MustFind("copy_f32")),
	} {
		t.Log(what)
		says(t, err, gpu.ErrDeviceLost, "restart Assay")
	}
	says(t, gpu.Lost(x.e), gpu.ErrRestart)
	_, err := x.e.NewBuffer(4, gpu.Private, "late")
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
	_, err = x.e.NewQueue("late")
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
	_, err = x.e.Kernel(catalog.MustFind("copy_f32"))
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
	_, err = x.e.DeviceMemory()
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
	_, err = x.e.Prepare(x.launch())
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
	start := time.Now()
	_ = x.q.Close()
	_ = x.e.Close() // names the live buffers
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("closing took %v", took)
	}
	_, err = OpenWith(o)
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
}

// A fault in one engine ends all others in the process, and work in flight ends.
func TestFaultEndsOtherEngines(t *testing.T) {
	o := fakeOptions(t, "run:add_f32@1=700")
	one, other := newAdder(t, open(t, o), 1000), newAdder(t, open(t, o), 1000)
	says(t, one.run(), gpu.ErrExecution)
	says(t, gpu.Lost(other.e), gpu.ErrDeviceLost, "restart Assay")
	one.lost(o)
	other.lost(o)
}

// impatient sets the timeout of submissions, once the machine, which may be slow, has done everything that must not time out.
func (x *adder) impatient(timeout time.Duration) {
	x.e.mu.Lock()
	x.e.options.Timeout = timeout
	x.e.mu.Unlock()
}

func TestHang(t *testing.T) {
	o := fakeOptions(t, "run:add_f32@1=-1")
	x := newAdder(t, open(t, o), 1000)
	x.impatient(time.Second)
	hung, err := x.start(1)
	if err != nil {
		t.Fatal(err)
	}
	behind, err := x.start(1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = hung.Wait(ctx)
	says(t, err, gpu.ErrTimeout, "wait")
	if gpu.Lost(x.e) != nil {
		t.Error("a wait that was given up lost the device")
	}
	_, err = hung.Wait(context.Background())
	says(t, err, gpu.ErrTimeout, "add_f32", "1s", "only with this process")
	_, err = behind.Wait(context.Background())
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
	says(t, x.q.Close(), gpu.ErrTimeout, "adder", "never ended")
	says(t, x.e.Close(), gpu.ErrInvalid, "floats") // the queue has reported it already
	_, err = OpenWith(o)
	says(t, err, gpu.ErrDeviceLost, "restart Assay")
}

// A submission that fills the stream behind a hanging kernel does not wait forever either, nor does a transfer.
func TestHangWhileSubmitting(t *testing.T) {
	o := fakeOptions(t, "run:add_f32@1=-1")
	x := newAdder(t, open(t, o), 1000)
	x.impatient(200 * time.Millisecond)
	p, err := x.e.Prepare(x.launch())
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.q.Submit(p, 5000)
	says(t, err, gpu.ErrTimeout, "add_f32", "200ms")
	says(t, x.a.Write(0, []byte{1}), gpu.ErrDeviceLost)
	_ = x.q.Close()
	_ = x.e.Close()
}

func TestCloseWithHungQueue(t *testing.T) {
	o := fakeOptions(t, "run:add_f32@1=-1")
	x := newAdder(t, open(t, o), 10)
	x.impatient(100 * time.Millisecond)
	if _, err := x.start(1); err != nil {
		t.Fatal(err)
	}
	says(t, x.e.Close(), gpu.ErrTimeout, `"adder"`, "never ended")
}

// A launch that the driver refuses runs nothing and does no harm, regardless of its position in a submission.
func TestRefusedLaunch(t *testing.T) {
	ledger(t)
	x := newAdder(t, openFake(t, ""), 1000)
	for _, c := range []struct {
		script string
		kind   error
		says   string
	}{
		{"cuLaunchKernel@1=701", gpu.ErrUnsupported, "too many threads, registers"},
		{"cuLaunchKernel@4=1", gpu.ErrExecution, "code 1"},
		{"cuEventRecord=2", gpu.ErrOutOfMemory, "code 2"},
		{"cuEventElapsedTime=1", gpu.ErrExecution, "code 1"},
		{"clock=-1", gpu.ErrExecution, "the device reports -"},
		{"clock=1000000", gpu.ErrExecution, "by the host's clock"},
	} {
		script(t, c.script)
		s, err := x.start(3)
		if err == nil {
			_, err = s.Wait(context.Background())
		}
		says(t, err, c.kind, "", c.says)
		script(t, "")
		x.works()
	}
	x.close()
}

// A kernel with so many registers that the driver allows fewer threads is not launched with more.
func TestThreadsOfRegisters(t *testing.T) {
	e := openFake(t, "")
	k := &kernel{spec: catalog.MustFind("softmax_registers_f32"), engine: e, loaded: &loaded{}}
	rows := norm.SoftmaxParams{Rows: 3, Cols: 16384}
	for allowed, want := range map[int]string{1024: "", 1023: "1024 × 1 × 1 threads in a threadgroup, the pipeline allows 1023"} {
		k.loaded.module.maxThreads = allowed
		does, err := new(command).geometry(k, rows)
		if does != (want == "") || !does && (!errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d allowed: %v, %v", allowed, does, err)
		}
	}
}

// script replaces the driver's script.
func script(t *testing.T, text string) {
	t.Helper()
	if err := os.Setenv("FAKE_CUDA", text); err != nil {
		t.Fatal(err)
	}
}

func TestOutOfMemory(t *testing.T) {
	ledger(t)
	e := openFake(t, "memory=8000000")
	one, err := e.NewBuffer(5_000_000, gpu.Private, "one")
	if err != nil {
		t.Fatal(err)
	}
	_, err = e.NewBuffer(4_000_000, gpu.Private, "two")
	says(t, err, gpu.ErrOutOfMemory, `"two": 4000000 B`, "1 buffers of 5000000 B are live", "3000000 B free of 8000000 B")
	script(t, "memory=8000000 cuMemHostAlloc=2")
	_, err = e.NewBuffer(1000, gpu.Shared, "host")
	says(t, err, gpu.ErrOutOfMemory, `"host": 1000 B`)
	says(t, one.Write(0, []byte{1}), gpu.ErrOutOfMemory, "staging")
	script(t, "memory=8000000 cuMemAlloc_v2=999")
	_, err = e.NewBuffer(1000, gpu.Private, "odd")
	says(t, err, gpu.ErrExecution, "odd", "code 999")
	script(t, "memory=8000000")
	if err := one.Write(0, []byte{1}); err != nil {
		t.Error(err)
	}
	if err := one.Release(); err != nil {
		t.Error(err)
	}
	if m := e.Memory(); m != (gpu.Memory{}) {
		t.Errorf("nothing is live, Memory is %+v", m)
	}
	closed(t, e)
}

// Memory released while something else is in flight is freed later, or sooner if it is needed.
func TestFreesWait(t *testing.T) {
	ledger(t)
	x := newAdder(t, openFake(t, "memory=20000000"), 100_000)
	big, err := x.e.NewBuffer(12_000_000, gpu.Private, "big")
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.start(300)
	if err != nil {
		t.Fatal(err)
	}
	if err := big.Release(); err != nil {
		t.Fatal(err)
	}
	if big, err = x.e.NewBuffer(12_000_000, gpu.Private, "big again"); err != nil {
		t.Fatal(err)
	}
	if err := big.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	m, err := x.e.DeviceMemory()
	if want := int64(3*400_000 + arenaBytes); err != nil || m.Allocated != want {
		t.Errorf("%d B are allocated, want %d: %v", m.Allocated, want, err)
	}
	x.works()
	x.close()
}
