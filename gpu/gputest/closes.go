package gputest

import (
	"context"

	"assay/gpu"
	"assay/shaders/catalog"
)

func closeRequirements() []requirement {
	return []requirement{
		{name: "the engine describes itself", run: closeInfo},
		{name: "Close reports live buffers", run: closeLive},
		{name: "Close waits for work in flight", run: closeInFlight},
		{name: "a closed engine refuses use", run: closeRefuses},
	}
}

func closeInfo(r *rig) {
	i := r.engine.Info()
	if i.Engine == "" || i.Device == "" || i.Clock == "" {
		r.t.Errorf("Info does not name engine, device and clock: %+v", i)
	}
	if i.WorkingSet < 0 || i.Cores < 0 {
		r.t.Errorf("Info has negative figures: %+v", i)
	}
}

func closeLive(r *rig) {
	a, b := r.buffer(100), r.buffer(200)
	err := r.engine.Close()
	r.closed = true
	r.fails(err, "Close with two live buffers", nil, "2")
	if m := r.engine.Memory(); m != (gpu.Memory{}) {
		r.t.Errorf("Close frees what is live, yet Memory is %+v", m)
	}
	for _, left := range []gpu.Buffer{a, b} {
		kinds := []error{gpu.ErrReleased, gpu.ErrClosed}
		r.fails(left.Write(0, []byte{1}), "Write after the engine was closed", kinds)
		r.fails(left.Release(), "Release after the engine was closed", kinds)
	}
}

func closeInFlight(r *rig) {
	c := r.newChain(100_003)
	s, err := r.submit(c.steps(20)...)
	r.ok(err, "submit")
	c.release()
	r.ok(r.engine.Close(), "close with work in flight")
	r.closed = true
	timing, err := s.Wait(context.Background())
	r.ok(err, "wait after the engine was closed")
	if timing.Device <= 0 {
		r.t.Errorf("the work took %+v", timing)
	}
}

func closeRefuses(r *rig) {
	copyKernel := catalog.MustFind("copy_f32")
	supported := r.engine.Supports(copyKernel) == nil
	q := r.q()
	forgotten := r.prepare()
	r.ok(r.engine.Close(), "close")
	r.closed = true

	_, err := r.engine.NewBuffer(100, gpu.Shared, "late")
	r.fails(err, "NewBuffer", kind(gpu.ErrClosed))
	if supported {
		_, err = r.engine.Kernel(copyKernel)
		r.fails(err, "Kernel", kind(gpu.ErrClosed))
		r.fails(r.engine.Supports(copyKernel), "Supports", kind(gpu.ErrClosed))
	}
	_, err = r.engine.NewQueue("late")
	r.fails(err, "NewQueue", kind(gpu.ErrClosed))
	_, err = r.engine.NewEvent("late")
	r.fails(err, "NewEvent", kind(gpu.ErrClosed))
	_, err = r.engine.Prepare()
	r.fails(err, "Prepare", kind(gpu.ErrClosed))
	_, err = q.Submit(forgotten, 1)
	r.fails(err, "Submit on an old queue", kind(gpu.ErrClosed))
	r.fails(forgotten.Release(), "Release of a program that Close freed", kind(gpu.ErrReleased))
	r.fails(r.engine.Close(), "a second Close", kind(gpu.ErrClosed))
	if r.engine.Info().Engine == "" {
		r.t.Error("Info is gone after Close")
	}
}
