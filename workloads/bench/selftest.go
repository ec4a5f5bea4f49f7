package bench

import (
	"context"
	"errors"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/gemm"
	"assay/shaders/stream"
	"assay/workloads"
)

// Tried is one capability of a device, tested by computing a small known answer.
type Tried struct {
	Name  string // stable, for files: "matmul_f16"
	Title string
	OK    bool
	// Why is what was wrong or, with Absent, why the engine lacks it.
	Why    string
	Absent bool
}

// selfTest is one small computation.
type selfTest struct {
	name, title string
	pick        shaders.Pick
	params      any
	inputs      []int // elements of each
	types       []shaders.Type
	out         int
	optional    int // how many of the arguments after the inputs are left out
	outType     shaders.Type
}

// Sides of the small matrices, which are not multiples of tiles, and a length. There are few enough outputs for verification to compare all.
const (
	testRows, testCols, testDepth = 13, 19, 45
	testLength                    = 251
)

// selfTests lists what every device is tested for. Adding one takes a line.
func selfTests() []selfTest {
	product := func(name, title string, t shaders.Type) selfTest {
		return selfTest{
			name: name, title: title, pick: shaders.Pick{Op: "matmul", Type: t},
			params: gemm.MatmulParams{M: testRows, N: testCols, K: testDepth, Batch: 1},
			inputs: []int{testRows * testDepth, testDepth * testCols}, types: []shaders.Type{t, t}, optional: 1, out: testRows * testCols, outType: t,
		}
	}
	return []selfTest{
		{
			name: "copy_f32", title: "Copy in memory", pick: shaders.Pick{Op: "copy", Type: shaders.F32}, params: stream.CopyParams{N: testLength},
			inputs: []int{testLength}, types: []shaders.Type{shaders.F32}, out: testLength, outType: shaders.F32,
		},
		product("matmul_f32", "Matrix product in f32", shaders.F32),
		product("matmul_f16", "Matrix product in f16", shaders.F16),
		product("matmul_bf16", "Matrix product in bf16", shaders.BF16),
		{
			name: "matmul_int8", title: "Matrix product in int8", pick: shaders.Pick{Op: "matmul_int8", Type: shaders.I8},
			params: gemm.Int8MatmulParams{M: testRows, N: testCols, K: 64}, inputs: []int{testRows * 64, testCols * 64},
			types: []shaders.Type{shaders.I8, shaders.I8}, out: testRows * testCols, outType: shaders.I32,
		},
		{
			name: "gelu_f32", title: "Exponentials in f32", pick: shaders.Pick{Op: "gelu", Type: shaders.F32}, params: elementwise.ElementwiseParams{N: testLength},
			inputs: []int{testLength}, types: []shaders.Type{shaders.F32}, out: testLength, outType: shaders.F32,
		},
	}
}

// SelfTest computes a small known answer with each capability, on poisoned outputs, and compares it with the float64 reference.
// The error is ctx's, or says that nothing can be tried.
func SelfTest(ctx context.Context, e gpu.Engine) ([]Tried, error) {
	queue, err := e.NewQueue("self-test")
	if err != nil {
		return nil, err
	}
	pool := gpu.NewPool(e, gpu.PoolOptions{Storage: e.Info().Storage(), Disabled: true})
	env := &workloads.Env{Workload: &workloads.Workload{Name: "self-test"}, Engine: e, Queue: queue, Pool: pool, Seed: 1, Observer: nobody{}}
	var all []Tried
	for _, test := range selfTests() {
		if ctx.Err() != nil {
			break
		}
		scope := New(env).NewScope(ctx)
		t := Tried{Name: test.name, Title: test.title}
		err := test.run(scope)
		scope.Release()
		if t.OK = err == nil; !t.OK {
			t.Why, t.Absent = err.Error(), errors.Is(err, gpu.ErrUnsupported)
		}
		all = append(all, t)
	}
	return all, errors.Join(ctx.Err(), queue.Close(), pool.Close())
}

func (t *selfTest) run(s *Scope) error {
	if err := s.Supports(t.pick); err != nil {
		return err
	}
	var args []gpu.Buffer
	for i, n := range t.inputs {
		x, err := s.Random(t.types[i], n, "input")
		if err != nil {
			return err
		}
		args = append(args, x)
	}
	out, err := s.Buffer(t.outType, t.out, "output")
	if err != nil {
		return err
	}
	args = append(append(args, make([]gpu.Buffer, t.optional)...), out)
	launch, err := s.Dispatch(t.pick, nil, t.params, args...)
	if err != nil {
		return err
	}
	return s.Verify(launch)
}
