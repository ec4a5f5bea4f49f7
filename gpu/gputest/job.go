package gputest

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"

	"assay/gpu"
	"assay/shaders"
)

// guard is the number of bytes before and after every argument that must not change. It is the minimum binding offset.
const guard = gpu.Align

// job is one launch with an argument in the middle of each buffer, between guards.
type job struct {
	spec    *shaders.Kernel
	c       shaders.Case
	launch  gpu.Launch
	buffers []gpu.Buffer // nil if the argument does not exist
	before  [][]byte     // the content of each buffer before the launch
}

// setup describes the buffers of a job.
type setup struct {
	storage gpu.Storage
	poison  byte // initial content of outputs that are not inputs, too
	special bool // NaN, infinities and zeros among the inputs
	seed    uint64
}

// guardPattern is NaN in f16, bf16 and f32 at any offset, so that reading a guard by mistake corrupts the result.
func guardPattern(n int) []byte {
	return bytes.Repeat([]byte{0xC7, 0xFF}, n/2)
}

func (r *rig) newJob(k shaders.Kernel, c shaders.Case, s setup) *job {
	r.t.Helper()
	compiled := r.kernel(k, c.Constants)
	k = *compiled.Spec()
	j := &job{spec: &k, c: c, launch: gpu.Launch{Kernel: compiled, Params: c.Params}}
	rng := seeded(s.seed, 1)
	for i := range k.Args {
		if !k.Uses(i) {
			j.add(gpu.Binding{}, nil)
			continue
		}
		need := k.Bytes(i, c.Params)
		data := append(guardPattern(guard), make([]byte, need)...)
		data = append(data, guardPattern(guard)...)
		j.fill(i, shaders.View{Type: k.Args[i].Type, Data: data[guard : guard+need]}, s, rng)
		b, err := r.engine.NewBuffer(len(data), s.storage, k.Name+"."+k.Args[i].Name)
		r.ok(err, "allocate")
		r.ok(b.Write(0, data), "write")
		j.add(gpu.Binding{Buffer: b, Offset: guard}, data)
	}
	return j
}

func (j *job) add(b gpu.Binding, data []byte) {
	j.launch.Bindings = append(j.launch.Bindings, b)
	j.buffers = append(j.buffers, b.Buffer)
	j.before = append(j.before, data)
}

func (j *job) fill(arg int, v shaders.View, s setup, rng *rand.Rand) {
	if j.spec.Args[arg].Access == shaders.Out {
		for i := range v.Data {
			v.Data[i] = s.poison
		}
		return
	}
	v.FillWithin(rng, cmp.Or(j.c.Magnitude, 1))
	if j.c.Edit != nil {
		j.c.Edit(arg, v)
	}
	if n := v.Len(); s.special && v.Type.Float() && n > 0 {
		for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1)} {
			v.Set(rng.IntN(n), x)
		}
	}
}

// check reads everything back: outputs against the reference, inputs and guards unchanged.
func (r *rig) check(j *job) {
	r.t.Helper()
	views := make([]shaders.View, len(j.buffers))
	for i, b := range j.buffers {
		if b == nil {
			continue
		}
		got := make([]byte, b.Size())
		r.ok(b.Read(0, got), "read")
		arg := j.spec.Args[i]
		end := len(got) - guard
		views[i] = shaders.View{Type: arg.Type, Data: got[guard:end], Before: j.before[i][guard:end]}
		if at := firstDiff(got[:guard], j.before[i][:guard]); at >= 0 {
			r.t.Errorf("%s: byte %d before argument %s was overwritten", j.spec.Name, guard-at, arg.Name)
		}
		if at := firstDiff(got[end:], j.before[i][end:]); at >= 0 {
			r.t.Errorf("%s: byte %d behind argument %s was overwritten", j.spec.Name, at, arg.Name)
		}
		if at := firstDiff(got, j.before[i]); arg.Access == shaders.In && at >= 0 {
			r.t.Errorf("%s: byte %d of input %s was changed", j.spec.Name, at-guard, arg.Name)
		}
	}
	if res := r.refs.verify(j.spec, j.c.Params, views); !res.OK() {
		r.t.Errorf("%s %+v {%s}: %s", j.spec.Name, j.c.Params, j.c.Constants.Key(), res.Failure)
	}
}

func firstDiff(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
