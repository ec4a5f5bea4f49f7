package gputest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"assay/gpu"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/elementwise"
)

func queueRequirements() []requirement {
	return []requirement{
		{name: "launches of one program run in order", run: queueOrderWithin},
		{name: "submissions of one queue run in order", run: queueOrderAcross},
		{name: "an empty submission completes", run: queueEmpty},
		{name: "Wait may be called again", run: queueWaitTwice},
		{name: "Wait may be called from many goroutines", run: queueWaitTogether},
		{name: "a canceled wait does not cancel the work", run: queueCanceledWait},
		{name: "times are sane", run: queueTiming},
		{name: "queues run side by side", run: queueConcurrent},
		{name: "a buffer may be released while in flight", run: queueReleaseInFlight},
		{name: "a closed queue refuses work", run: queueClosed},
	}
}

// chain repeatedly adds 1 to every element, from one buffer to the other and back.
type chain struct {
	r          *rig
	kernel     gpu.Kernel
	params     elementwise.ElementwiseParams
	x, y, ones gpu.Buffer
	done       int
}

// long is the length of a chain that takes a while on any engine.
func long() int {
	if race.On {
		return 20_011 // the fake computes in Go
	}
	return 200_003
}

func (r *rig) newChain(n int) *chain {
	r.t.Helper()
	c := &chain{r: r, kernel: r.kernel(r.need("add_f32"), nil), params: elementwise.ElementwiseParams{N: uint32(n)}}
	ones := shaders.View{Type: shaders.F32, Data: make([]byte, 4*n)}
	start := shaders.View{Type: shaders.F32, Data: make([]byte, 4*n)}
	for i := range n {
		ones.Set(i, 1)
		start.Set(i, float64(i%1000))
	}
	c.x, c.y, c.ones = r.buffer(4*n), r.buffer(4*n), r.buffer(4*n)
	r.ok(c.x.Write(0, start.Data), "write")
	r.ok(c.ones.Write(0, ones.Data), "write")
	return c
}

// step returns the next addition.
func (c *chain) step() gpu.Launch {
	d := gpu.Launch{Kernel: c.kernel, Params: c.params, Bindings: gpu.Bind(c.x, c.ones, c.y)}
	c.x, c.y = c.y, c.x
	c.done++
	return d
}

func (c *chain) steps(n int) []gpu.Launch {
	var out []gpu.Launch
	for range n {
		out = append(out, c.step())
	}
	return out
}

// check checks that each element is its start plus the number of steps, which is exact in floats.
func (c *chain) check() {
	c.r.t.Helper()
	got := shaders.View{Type: shaders.F32, Data: make([]byte, c.x.Size())}
	c.r.ok(c.x.Read(0, got.Data), "read")
	for i := range got.Len() {
		if want := float64(i%1000 + c.done); got.At(i) != want {
			c.r.t.Fatalf("after %d dependent additions element %d is %g, want %g", c.done, i, got.At(i), want)
		}
	}
}

func (c *chain) release() { c.r.release(c.x, c.y, c.ones) }

func queueOrderWithin(r *rig) {
	c := r.newChain(10007)
	r.run(c.steps(50)...) // an even number: backward, the chain would start from the empty buffer
	c.check()
	c.release()
}

func queueOrderAcross(r *rig) {
	c := r.newChain(10007)
	var last gpu.Submission
	for range 25 {
		s, err := r.submit(c.steps(2)...)
		r.ok(err, "submit")
		last = s
	}
	_, err := last.Wait(context.Background())
	r.ok(err, "wait for the last")
	c.check()
	c.release()
}

func queueEmpty(r *rig) {
	if got := r.run(); got.Device < 0 || got.Wall < got.Device {
		r.t.Errorf("an empty submission took %+v", got)
	}
}

func queueWaitTwice(r *rig) {
	c := r.newChain(1000)
	s, err := r.submit(c.step())
	r.ok(err, "submit")
	first, err := s.Wait(context.Background())
	r.ok(err, "wait")
	second, err := s.Wait(context.Background())
	r.ok(err, "wait again")
	if first != second {
		r.t.Errorf("the second Wait says %+v, the first said %+v", second, first)
	}
	c.check()
	c.release()
}

func queueWaitTogether(r *rig) {
	c := r.newChain(10007)
	s, err := r.submit(c.steps(20)...)
	r.ok(err, "submit")
	const n = 6
	var got [n]gpu.Timing
	var errs [n]error
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { got[i], errs[i] = s.Wait(context.Background()) })
	}
	wg.Wait()
	for i := range n {
		r.ok(errs[i], "wait")
		if got[i] != got[0] {
			r.t.Errorf("two waits for one submission say %+v and %+v", got[0], got[i])
		}
	}
	c.check()
	c.release()
}

// queueCanceledWait submits enough work that it is normally unfinished at the first wait; an engine that has finished may
// return its result.
func queueCanceledWait(r *rig) {
	c := r.newChain(long())
	s, err := r.submit(c.steps(40)...)
	r.ok(err, "submit")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Wait(ctx); err != nil && !errors.Is(err, context.Canceled) {
		r.t.Errorf("a canceled wait says %v, want %v", err, context.Canceled)
	}
	timing, err := s.Wait(context.Background())
	r.ok(err, "wait after a canceled wait")
	if timing.Device <= 0 {
		r.t.Errorf("the work took %+v", timing)
	}
	c.check()
	c.release()
}

func queueTiming(r *rig) {
	c := r.newChain(long())
	got := r.run(c.steps(10)...)
	if known := r.engine.Info().GapWhy == ""; known && !(got.Gap > 0 && got.Gap+got.Device <= got.Wall) || !known && got.Gap != 0 {
		r.t.Errorf("10 additions took %+v: want 0 < Gap ≤ Wall − Device where the clocks tell, else 0", got)
	}
	if got.Device <= 0 || got.Wall < got.Device {
		r.t.Errorf("10 additions took %+v: want 0 < Device ≤ Wall", got)
	}
	if r.engine.Info().Clock == "" {
		r.t.Error("Info.Clock does not say where the device time is read")
	}
	c.release()
}

// queueConcurrent runs kernels of all kinds on four queues at once and verifies each.
func queueConcurrent(r *rig) {
	kernels := r.supported()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			own := &rig{t: r.t, engine: r.engine, refs: r.refs}
			if err := own.runMany(kernels, g); err != nil {
				r.t.Errorf("queue %d: %v", g, err)
			}
		})
	}
	wg.Wait()
}

// runMany must not end the test, since it runs concurrently: failures are returned or reported.
func (r *rig) runMany(kernels []shaders.Kernel, g int) error {
	q, err := r.engine.NewQueue(fmt.Sprintf("contract %d", g))
	if err != nil {
		return err
	}
	for i := range kernels {
		k := kernels[(i*7+g)%len(kernels)]
		if err := r.runBeside(q, k, k.Cases()[(2+g)%len(k.Cases())]); err != nil {
			return err
		}
	}
	return q.Close()
}

func (r *rig) runBeside(q gpu.Queue, k shaders.Kernel, c shaders.Case) error {
	compiled, err := r.engine.Kernel(k.With(c.Constants))
	if err != nil {
		return err
	}
	d := gpu.Launch{Kernel: compiled, Params: c.Params, Bindings: make([]gpu.Binding, len(k.Args))}
	views := make([]shaders.View, len(k.Args))
	k = *compiled.Spec()
	j := &job{spec: &k, c: c}
	for i := range k.Args {
		if !k.Uses(i) {
			continue
		}
		views[i] = shaders.View{Type: k.Args[i].Type, Data: make([]byte, k.Bytes(i, c.Params))}
		j.fill(i, views[i], setup{poison: 0xFF}, seeded(uint64(i), 2))
		views[i].Before = bytes.Clone(views[i].Data)
		b, err := r.engine.NewBuffer(max(1, len(views[i].Data)), gpu.Shared, k.Name)
		if err != nil {
			return err
		}
		defer b.Release() //nolint:errcheck // the engine's ledger is checked at the end
		if err := b.Write(0, views[i].Data); err != nil {
			return err
		}
		d.Bindings[i].Buffer = b
	}
	s, err := Submit(r.engine, q, d)
	if err != nil {
		return err
	}
	if _, err := s.Wait(context.Background()); err != nil {
		return err
	}
	for _, i := range k.Outputs() {
		if err := d.Bindings[i].Buffer.Read(0, views[i].Data); err != nil {
			return err
		}
	}
	if res := k.Verify(c.Params, views, 0, 0); !res.OK() {
		return errors.New(res.Failure)
	}
	return nil
}

func queueReleaseInFlight(r *rig) {
	c := r.newChain(long())
	s, err := r.submit(c.steps(21)...)
	r.ok(err, "submit")
	r.release(c.y, c.ones)
	_, err = s.Wait(context.Background())
	r.ok(err, "wait for work whose buffers were released")
	c.check()
	r.release(c.x)
	if m := r.engine.Memory(); m != (gpu.Memory{}) {
		r.t.Errorf("all was released and the work is done, yet Memory is %+v", m)
	}
}

func queueClosed(r *rig) {
	c := r.newChain(1000)
	q, err := r.engine.NewQueue("to be closed")
	r.ok(err, "new queue")
	s, err := Submit(r.engine, q, c.step())
	r.ok(err, "submit")
	r.ok(q.Close(), "close")
	c.check() // Close waited
	_, err = s.Wait(context.Background())
	r.ok(err, "wait after the queue was closed")
	_, err = Submit(r.engine, q, c.step())
	r.fails(err, "submit after Close", kind(gpu.ErrClosed))
	r.fails(q.Close(), "a second Close", kind(gpu.ErrClosed))
	c.release()
}
