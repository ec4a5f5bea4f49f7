package gputest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/gemm"
	"assay/shaders/stream"
)

func TestFakeKeepsTheContract(t *testing.T) {
	Contract(t, func() (gpu.Engine, error) { return NewFake(Script{}), nil })
}

func TestFakeOfFewKernelsKeepsTheContract(t *testing.T) {
	s := Script{Unsupported: map[string]string{}}
	for _, k := range catalog.All() {
		if k.Name != "add_f32" && k.Name != "copy_f32" {
			s.Unsupported[k.Name] = "the script excludes it"
		}
	}
	Contract(t, func() (gpu.Engine, error) { return NewFake(s), nil })
}

// scripted is a fake engine with an open queue and a copy of n floats to submit.
type scripted struct {
	t      *testing.T
	fake   *Fake
	queue  gpu.Queue
	copy   gpu.Launch
	kept   gpu.Program // of copy
	in, to gpu.Buffer
}

func newScripted(t *testing.T, s Script) *scripted {
	t.Helper()
	c := &scripted{t: t, fake: NewFake(s)}
	k, err := c.fake.Kernel(catalog.MustFind("copy_f32"))
	c.must(err)
	c.in, err = c.fake.NewBuffer(400, gpu.Shared, "in")
	c.must(err)
	c.to, err = c.fake.NewBuffer(400, gpu.Shared, "to")
	c.must(err)
	c.queue, err = c.fake.NewQueue("scripted")
	c.must(err)
	c.copy = gpu.Launch{Kernel: k, Params: stream.CopyParams{N: 100}, Bindings: gpu.Bind(c.in, c.to)}
	c.kept, err = c.fake.Prepare(c.copy)
	c.must(err)
	return c
}

func (c *scripted) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *scripted) submit() gpu.Submission {
	c.t.Helper()
	s, err := Submit(c.fake, c.queue, c.copy)
	c.must(err)
	return s
}

// run submits one copy and waits.
func (c *scripted) run() (gpu.Timing, error) {
	c.t.Helper()
	return c.submit().Wait(context.Background())
}

func (c *scripted) verify() shaders.Check {
	k := c.copy.Kernel.Spec()
	views := []shaders.View{{Type: shaders.F32, Data: c.in.Bytes()}, {Type: shaders.F32, Data: c.to.Bytes()}}
	return k.Verify(c.copy.Params, views, 0, 0)
}

func TestFakeTimesAreScripted(t *testing.T) {
	steps := []Step{{Seconds: 0.5}, {Seconds: 0.25}, {}}
	for _, repeat := range []bool{false, true} {
		t.Run(fmt.Sprintf("repeat=%v", repeat), func(t *testing.T) {
			c := newScripted(t, Script{Steps: steps, Repeat: repeat})
			modeled := fakeDispatch + 800/fakeBytes
			want := []float64{0.5, 0.25, modeled, modeled, modeled}
			if repeat {
				want = []float64{0.5, 0.25, modeled, 0.5, 0.25}
			}
			for i, w := range want {
				got, err := c.run()
				c.must(err)
				if got.Device != w || got.Wall != w+fakeOverhead {
					t.Errorf("submission %d took %+v, want %g s", i, got, w)
				}
			}
			if n := c.fake.Submissions(); n != len(want) {
				t.Errorf("%d submissions, want %d", n, len(want))
			}
		})
	}
}

func TestFakeModelsTimeByCost(t *testing.T) {
	c := newScripted(t, Script{})
	one, two := gpu.Launches(c.copy), gpu.Launches(c.copy, c.copy)
	if a, b := seconds(one), seconds(two); b != 2*a {
		t.Errorf("one dispatch takes %g s, two take %g s", a, b)
	}
	k, err := c.fake.Kernel(catalog.MustFind("matmul_tiled_f32"))
	c.must(err)
	d := gpu.Launch{Kernel: k, Params: gemm.MatmulParams{M: 1000, N: 1000, K: 1000, Batch: 1}}
	if got, want := seconds(gpu.Launches(d)), fakeDispatch+2e9/fakeOps; got != want {
		t.Errorf("a 1000³ product takes %g s, want %g", got, want)
	}
}

func TestFakeFailsAsScripted(t *testing.T) {
	for _, kind := range []error{gpu.ErrExecution, gpu.ErrTimeout, gpu.ErrOutOfMemory} {
		c := newScripted(t, Script{Steps: []Step{{Err: kind}}})
		timing, err := c.run()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), "copy_f32") || timing != (gpu.Timing{}) {
			t.Errorf("%v, %v: want %q without a time", timing, err, kind)
		}
		if _, err := c.run(); err != nil {
			t.Errorf("after %q: %v", kind, err)
		}
	}
}

func TestFakeStaysLost(t *testing.T) {
	c := newScripted(t, Script{Steps: []Step{{}, {Err: gpu.ErrDeviceLost}}})
	_, err := c.run()
	c.must(err)
	_, err = c.run()
	errs := map[string]error{"the submission": err}
	_, errs["Submit"] = c.queue.Submit(c.kept, 1)
	_, errs["Prepare"] = c.fake.Prepare(c.copy)
	_, errs["NewBuffer"] = c.fake.NewBuffer(1, gpu.Shared, "late")
	_, errs["NewQueue"] = c.fake.NewQueue("late")
	_, errs["Kernel"] = c.fake.Kernel(catalog.MustFind("copy_f32"))
	for what, err := range errs {
		if !errors.Is(err, gpu.ErrDeviceLost) {
			t.Errorf("%s: %v, want ErrDeviceLost", what, err)
		}
	}
	c.must(c.in.Release())
	c.must(c.to.Release())
	c.must(c.fake.Close())
}

func TestFakeHangs(t *testing.T) {
	c := newScripted(t, Script{Steps: []Step{{Hang: true}, {}}})
	hung, behind := c.submit(), c.submit()
	for name, s := range map[string]gpu.Submission{"hung": hung, "behind it": behind} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		if _, err := s.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want the context's end", name, err)
		}
		cancel()
	}
	c.must(c.queue.Close())
	if _, err := hung.Wait(context.Background()); !errors.Is(err, gpu.ErrTimeout) {
		t.Errorf("hung, after Close: %v, want ErrTimeout", err)
	}
	if _, err := behind.Wait(context.Background()); err != nil {
		t.Errorf("behind it, after Close: %v", err)
	}
}

func TestFakeGivesWrongResults(t *testing.T) {
	c := newScripted(t, Script{Steps: []Step{{Wrong: true}}})
	_, err := c.run()
	c.must(err)
	if res := c.verify(); res.OK() || !strings.Contains(res.Failure, "out[50]") {
		t.Errorf("a corrupted output verifies as %+v, want a failure at out[50]", res)
	}
	_, err = c.run()
	c.must(err)
	if res := c.verify(); !res.OK() {
		t.Errorf("the next submission: %s", res.Failure)
	}
}

// TestFakeCorruptsEveryKernel checks that Verify finds a corrupted element in any output.
func TestFakeCorruptsEveryKernel(t *testing.T) {
	if race.On {
		t.Skip("one goroutine computes and compares: nothing to race with")
	}
	for _, k := range catalog.All() {
		c := lastQuick(k)
		k = k.With(c.Constants)
		w := fakeWork{spec: &k, params: c.Params, args: make([]shaders.View, len(k.Args))}
		for i := range k.Args {
			w.args[i] = shaders.View{Type: k.Args[i].Type, Data: make([]byte, k.Bytes(i, c.Params))}
			w.args[i].FillUniform(seeded(uint64(i), 5))
			w.args[i].Before = bytes.Clone(w.args[i].Data)
		}
		w.compute()
		if res := k.Verify(c.Params, w.args, 0, 0); !res.OK() {
			t.Errorf("computed: %s", res.Failure)
		}
		w.corrupt()
		if res := k.Verify(c.Params, w.args, 0, 0); res.OK() {
			t.Errorf("%s: a corrupted output passes", k.Name)
		}
	}
}

func TestFakeAllocationsFailAsScripted(t *testing.T) {
	f := NewFake(Script{Allocations: map[int]error{2: gpu.ErrOutOfMemory}, MemoryLimit: 250})
	a, err := f.NewBuffer(100, gpu.Shared, "first")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.NewBuffer(100, gpu.Shared, "second"); !errors.Is(err, gpu.ErrOutOfMemory) || !strings.Contains(err.Error(), "second") {
		t.Errorf("the second allocation: %v", err)
	}
	if _, err := f.NewBuffer(151, gpu.Shared, "third"); !errors.Is(err, gpu.ErrOutOfMemory) || !strings.Contains(err.Error(), "250") {
		t.Errorf("over the memory limit: %v", err)
	}
	b, err := f.NewBuffer(150, gpu.Shared, "fourth")
	if err != nil {
		t.Errorf("just at the limit: %v", err)
	}
	if n := f.Allocations(); n != 4 {
		t.Errorf("%d allocations, want 4", n)
	}
	if err := errors.Join(a.Release(), b.Release(), f.Close()); err != nil {
		t.Error(err)
	}
}

func TestFakeSaysItIsSimulated(t *testing.T) {
	if i := NewFake(Script{}).Info(); !i.Simulated {
		t.Errorf("%+v", i)
	}
}
