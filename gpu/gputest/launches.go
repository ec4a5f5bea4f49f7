package gputest

import (
	"bytes"
	"errors"
	"math"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
)

func launchRequirements() []requirement {
	return []requirement{
		{name: "bad launches are refused", run: launchRefused},
		{name: "a refused program runs nothing", run: launchAtomic},
		{name: "released buffers are refused", run: launchReleased},
		{name: "foreign buffers and kernels are refused", run: launchForeign},
		{name: "wrapped buffers are unwrapped", run: launchWrapped},
	}
}

// addJob is add_f32 over n elements, with its own buffers.
func (r *rig) addJob(n uint32) *job {
	r.t.Helper()
	return r.newJob(r.need("add_f32"), shaders.Case{Params: elementwise.ElementwiseParams{N: n}}, setup{poison: 0xFF})
}

func launchRefused(r *rig) {
	j := r.addJob(1000) // 4000 B per argument, 256 B of guard on both sides
	bind := func(i int, b gpu.Binding) func(*gpu.Launch) {
		return func(d *gpu.Launch) { d.Bindings[i] = b }
	}
	at := func(off int) gpu.Binding { return gpu.Binding{Buffer: j.buffers[0], Offset: off} }
	cases := []struct {
		name   string
		kind   error
		words  []string
		change func(*gpu.Launch)
	}{
		{"no kernel", gpu.ErrInvalid, nil, func(d *gpu.Launch) { d.Kernel = nil }},
		{"no parameters", gpu.ErrInvalid, []string{"add_f32"}, func(d *gpu.Launch) { d.Params = nil }},
		{
			"another kernel's parameters", gpu.ErrInvalid,
			[]string{"add_f32", "MatmulParams"},
			func(d *gpu.Launch) { d.Params = gemm.MatmulParams{} },
		},
		{"missing binding", gpu.ErrInvalid, []string{"add_f32", "2", "3"}, func(d *gpu.Launch) {
			d.Bindings = d.Bindings[:2]
		}},
		{"binding too many", gpu.ErrInvalid, []string{"add_f32", "4", "3"}, func(d *gpu.Launch) {
			d.Bindings = append(d.Bindings, at(0))
		}},
		{"binding without a buffer", gpu.ErrInvalid, []string{"add_f32", "b"}, bind(1, gpu.Binding{})},
		{"misaligned offset", gpu.ErrInvalid, []string{"add_f32", "4"}, bind(0, at(4))},
		{"negative offset", gpu.ErrRange, []string{"add_f32"}, bind(0, at(-gpu.Align))},
		{"too little left behind the offset", gpu.ErrRange, []string{"add_f32", "4000", "3744"}, bind(0, at(3*guard))},
		{
			"offset near the largest integer", gpu.ErrRange,
			[]string{"add_f32"},
			bind(0, at(math.MaxInt/gpu.Align*gpu.Align)),
		},
		{"too small a buffer", gpu.ErrRange, []string{"add_f32", "20000", "4256"}, func(d *gpu.Launch) {
			d.Params = elementwise.ElementwiseParams{N: 5000}
		}},
	}
	for _, c := range cases {
		d := j.launch
		d.Bindings = append([]gpu.Binding(nil), d.Bindings...)
		c.change(&d)
		_, err := r.submit(d)
		r.fails(err, c.name, kind(c.kind), c.words...)
	}
	r.refusedMatmul()
	r.run(j.launch) // the queue still works
	r.check(j)
	r.release(j.buffers...)
}

// refusedMatmul binds an argument that does not exist under the kernel's constants, and asks for sizes whose product
// overflows.
func (r *rig) refusedMatmul() {
	k := catalog.MustFind("matmul_tiled_f32")
	if r.engine.Supports(k) != nil {
		return
	}
	j := r.newJob(k, shaders.Case{Params: gemm.MatmulParams{M: 4, N: 4, K: 4, Batch: 1}}, setup{})
	d := j.launch
	d.Bindings[2] = d.Bindings[0]
	_, err := r.submit(d)
	r.fails(err, "a binding for an argument that does not exist", kind(gpu.ErrInvalid), k.Name, "bias")
	d.Bindings[2] = gpu.Binding{}
	for _, p := range []gemm.MatmulParams{
		{M: 1 << 30, N: 1, K: 1 << 30, Batch: 4},
		{M: math.MaxInt32, N: 1, K: math.MaxInt32, Batch: math.MaxUint32},
	} {
		d.Params = p
		_, err = r.submit(d)
		r.fails(err, "sizes whose product overflows", kind(gpu.ErrRange), k.Name)
	}
	r.release(j.buffers...)
}

func launchAtomic(r *rig) {
	j := r.addJob(1000)
	bad := j.launch
	bad.Params = elementwise.ElementwiseParams{N: 1 << 20}
	_, err := r.submit(j.launch, bad)
	r.fails(err, "a program whose second launch is bad", kind(gpu.ErrRange), "add_f32")
	r.run() // anything queued by mistake has run by now
	got := make([]byte, j.buffers[2].Size())
	r.ok(j.buffers[2].Read(0, got), "read")
	if !bytes.Equal(got, j.before[2]) {
		r.t.Error("the first launch of a refused program ran")
	}
	r.release(j.buffers...)
}

func launchReleased(r *rig) {
	for arg := range 3 {
		j := r.addJob(100)
		r.release(j.buffers[arg])
		_, err := r.submit(j.launch)
		r.fails(err, "a released buffer", kind(gpu.ErrReleased), "add_f32")
		for i, b := range j.buffers {
			if i != arg {
				r.release(b)
			}
		}
	}
}

// alien is a buffer that no engine made.
type alien struct{ size int }

func (a alien) Size() int             { return a.size }
func (alien) Storage() gpu.Storage    { return gpu.Shared }
func (alien) Write(int, []byte) error { return errAlien }
func (alien) Read(int, []byte) error  { return errAlien }
func (alien) Fill(byte) error         { return errAlien }
func (alien) Bytes() []byte           { return nil }
func (alien) Release() error          { return nil }

var errAlien = errors.New("not an engine's buffer")

// alienKernel is a kernel that no engine compiled.
type alienKernel struct{ spec shaders.Kernel }

func (a alienKernel) Spec() *shaders.Kernel { return &a.spec }

func launchForeign(r *rig) {
	j := r.addJob(100)
	other := r.newEngine()
	theirs, err := other.NewBuffer(j.buffers[0].Size(), gpu.Shared, "foreign")
	r.ok(err, "allocate on a second engine")
	theirKernel, err := other.Kernel(*j.spec)
	r.ok(err, "compile on a second engine")

	for name, b := range map[string]gpu.Buffer{"another engine's buffer": theirs, "no engine's buffer": alien{1 << 20}} {
		d := j.launch
		d.Bindings = append([]gpu.Binding(nil), d.Bindings...)
		d.Bindings[1] = gpu.Binding{Buffer: b}
		_, err = r.submit(d)
		r.fails(err, name, kind(gpu.ErrInvalid), j.spec.Name)
	}
	for name, k := range map[string]gpu.Kernel{"another engine's kernel": theirKernel, "no engine's kernel": alienKernel{*j.spec}} {
		d := j.launch
		d.Kernel = k
		_, err = r.submit(d)
		r.fails(err, name, kind(gpu.ErrInvalid), j.spec.Name)
	}
	r.release(theirs)
	r.ok(other.Close(), "close the second engine")
	r.run(j.launch)
	r.check(j)
	r.release(j.buffers...)
}

// wrapped refers to another buffer, as a pool's lease does.
type wrapped struct{ gpu.Buffer }

func (w wrapped) Unwrap() (gpu.Buffer, error) { return w.Buffer, nil }

// stale refers to a buffer that was released.
type stale struct{ gpu.Buffer }

func (stale) Unwrap() (gpu.Buffer, error) {
	return nil, gpu.Errorf(gpu.ErrReleased, "use", "", "a stale lease")
}

func launchWrapped(r *rig) {
	j := r.addJob(1000)
	for i := range j.launch.Bindings {
		j.launch.Bindings[i].Buffer = wrapped{wrapped{j.buffers[i]}}
	}
	r.run(j.launch)
	r.check(j)
	j.launch.Bindings[0].Buffer = stale{j.buffers[0]}
	_, err := r.submit(j.launch)
	r.fails(err, "a stale wrapper", kind(gpu.ErrReleased))
	r.release(j.buffers...)
}
