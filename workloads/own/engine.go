package own

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"assay/gpu"
	"assay/gpu/msl"
	"assay/gpu/msl/exec"
	"assay/shaders"
)

// Engine is an engine that kernels can run on, besides this processor.
type Engine struct {
	Name, Title string
	Open        func() (gpu.Engine, error) // nil: not part of this build
}

// CPU names the executor of gpu/msl, on which every kernel runs.
const CPU = "cpu"

// Auto names the first engine that opens and has a device, or else the CPU.
const Auto = "auto"

// runner runs one kernel's launches somewhere.
type runner interface {
	// start begins reps launches, and returns a function that waits for them and gives the seconds of each.
	start(ctx context.Context, reps int) (func() (float64, error), error)
	// reset restores the buffers' initial contents, and read copies their contents to the call.
	reset() error
	read() error
	close()
}

// device is where kernels run.
type device struct {
	engine      gpu.Engine // nil: the CPU
	name, title string
}

// open opens the engine that the job names.
func (w *worker) open() (device, error) {
	name := w.job.Engine
	if name == "" {
		name = Auto
	}
	cpu := device{nil, CPU, ""}
	if name == CPU {
		return cpu, nil
	}
	names := []string{Auto, CPU}
	for _, e := range w.engines {
		names = append(names, e.Name)
		if name != Auto && name != e.Name || e.Open == nil {
			continue
		}
		engine, err := e.Open()
		if err == nil && (name == e.Name || !engine.Info().Simulated) {
			return device{engine, e.Name, engine.Info().Device}, nil
		}
		if err == nil {
			_ = engine.Close()
		} else if name == e.Name {
			return device{}, w.problem(Problem{Kind: Refused, Message: fmt.Sprintf("engine %s does not open: %v", name, err)})
		}
	}
	if name == Auto {
		return cpu, nil
	}
	return device{}, w.problem(Problem{Kind: Refused, Message: fmt.Sprintf("no engine %q: want one of %s", name, strings.Join(names, ", "))})
}

func (d *device) close() {
	if d.engine != nil {
		_ = d.engine.Close()
	}
}

// tellDevice adds the device to the report.
func (w *worker) tellDevice(d *device) {
	w.report.Engine, w.report.Device = d.name, d.title
	w.report.OnCPU = d.engine == nil || d.engine.Info().Simulated
}

// runner prepares the kernel to run for a call.
func (w *worker) runner(ctx context.Context, d *device, k *kernel, c *call) (runner, error) {
	if d.engine == nil {
		x, err := w.load(ctx, k, c.vars, false)
		if err != nil {
			return nil, err
		}
		return &executed{w, k, c, x}, nil
	}
	r, err := newEngineRunner(d.engine, k, c)
	if err != nil {
		return nil, w.problem(Problem{Kind: Refused, File: k.source.Name, Line: k.entry.Line, Message: err.Error()})
	}
	r.launching = func(do func() error) error { return w.launching(k, 1, do) }
	return r, nil
}

// executed runs a kernel on this processor.
type executed struct {
	w *worker
	k *kernel
	c *call
	x *exec.Kernel
}

func (e *executed) start(ctx context.Context, reps int) (func() (float64, error), error) {
	start := time.Now()
	for range reps {
		if err := e.w.execute(ctx, e.k, e.x, e.c); err != nil {
			return nil, err
		}
	}
	seconds := time.Since(start).Seconds() / float64(reps)
	return func() (float64, error) { return seconds, nil }, nil
}

func (e *executed) reset() error { e.c.reset(); return nil }

func (e *executed) read() error { return nil }

func (e *executed) close() { _ = e.x.Close() }

// engineRunner runs a kernel on an engine.
type engineRunner struct {
	c         *call
	buffers   [31]gpu.Buffer
	program   gpu.Program
	queue     gpu.Queue
	launching func(func() error) error // guards launches that may never end
}

func newEngineRunner(e gpu.Engine, k *kernel, c *call) (_ *engineRunner, err error) {
	r := &engineRunner{c: c}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	params, last := c.parameters()
	spec, err := k.spec(c, params, last)
	if err != nil {
		return nil, err
	}
	if err := e.Supports(spec); err != nil {
		return nil, err
	}
	compiled, err := e.Kernel(spec)
	if err != nil {
		return nil, err
	}
	if err := r.allocate(e, last); err != nil {
		return nil, err
	}
	bindings := gpu.Bind(r.buffers[:last]...)
	if r.program, err = e.Prepare(gpu.Launch{Kernel: compiled, Bindings: bindings, Params: params}); err != nil {
		return nil, err
	}
	r.queue, err = e.NewQueue("own kernel")
	return r, err
}

// parameters returns the argument of the highest index, and its index, if it is a parameter struct, which engines pass with each
// launch. Otherwise it is a struct that no argument reads.
func (c *call) parameters() (params any, index int) {
	last := -1
	for i := range c.args {
		if c.args[i].of.Kind == msl.Buffer {
			last = max(last, c.args[i].of.Index)
		}
	}
	if s := c.entry.Shapes; s.Count > 0 {
		last = max(last, s.Index)
	}
	words := uint32s(nil)
	if last >= 0 && c.before[last] == nil && len(c.buffers[last]) <= 256 && len(c.buffers[last])%4 == 0 {
		words = c.buffers[last]
	} else {
		last++
		words = make([]byte, 4)
	}
	return words.structure(), last
}

// uint32s returns the bytes of 4-byte numbers.
type uint32s []byte

// structure returns a struct type of that many numbers.
func (u uint32s) structure() any {
	fields := make([]reflect.StructField, len(u)/4)
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[uint32]()}
	}
	v := reflect.New(reflect.StructOf(fields)).Elem()
	uint, _ := elementOf("uint")
	for i := range fields {
		v.Field(i).SetUint(uint64(View{uint, u}.At(i)))
	}
	return v.Interface()
}

// absent names the function constant for arguments that do not exist: no kernel sets it.
const absent = "absent"

// spec describes the kernel in the form that engines expect: the arguments before the parameter struct are buffers, in the order of
// their indices.
func (k *kernel) spec(c *call, params any, last int) (none shaders.Kernel, err error) {
	text := defines(k.source.Macros) + k.source.Text + fmt.Sprintf("\n// %s\n", c.signature(last))
	source, err := shaders.UserSourceWith(k.source.Name, text, headers(k.source))
	if err != nil {
		return none, err
	}
	op := &shaders.Op{
		Name: "own", About: k.parser.d.About, Params: reflect.Zero(reflect.TypeOf(params)).Interface(),
		Cost: func(shaders.Call) shaders.Cost { return shaders.Cost{Bytes: float64(c.bytes)} },
	}
	for i := range last {
		op.Args = append(op.Args, c.shaderArg(i))
	}
	m := &shaders.Impl{Op: op, Name: "own", Types: []shaders.Type{shaders.F32}, Source: source, Entry: k.entry.Name}
	if m.Fixed, err = k.constants(c); err != nil {
		return none, err
	}
	if k.entry.Shapes.Count > 0 {
		m.Needs |= shaders.HostTensors
	}
	l := c.geometryOfEngine()
	m.Launch = func(shaders.Call, shaders.Limits) shaders.Launch { return l }
	return m.Kernel(shaders.F32), nil
}

// signature spells out what distinguishes a call, besides constants: engines treat kernels with the same text as one, which keeps the
// launch and the arguments of its first description.
func (c *call) signature(last int) string {
	lengths := make([]int, last)
	for i := range lengths {
		lengths[i] = len(c.buffers[i])
	}
	return fmt.Sprintf("called with buffers of %d bytes, %+v", lengths, c.geometryOfEngine())
}

// headers finds the files that a kernel includes: first next to the including file, then next to the kernel, then in the description's
// folders.
func headers(s msl.Source) shaders.Opener {
	return func(included, from string) (shaders.File, error) {
		for _, dir := range append([]string{filepath.Dir(from), filepath.Dir(s.Name)}, s.Include...) {
			name := filepath.Join(dir, filepath.FromSlash(included))
			text, err := msl.ReadFile(name)
			if !errors.Is(err, fs.ErrNotExist) {
				return shaders.File{Name: name, Text: text}, err
			}
		}
		return shaders.File{}, fs.ErrNotExist
	}
}

// defines returns the description's macros as text to put before the source, whose lines keep their numbers.
func defines(macros map[string]string) string {
	if len(macros) == 0 {
		return ""
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(macros)) {
		fmt.Fprintf(&text, "#define %s %s\n", name, macros[name])
	}
	return text.String() + "#line 1\n"
}

// shaderArg returns argument i in bytes; an argument that the kernel lacks is never bound.
func (c *call) shaderArg(i int) shaders.Arg {
	a := shaders.Arg{Name: fmt.Sprint("buffer", i), Type: shaders.I8, If: absent, Len: func(shaders.Call) int { return 0 }}
	if c.buffers[i] != nil {
		a.If, a.Len = "", func(shaders.Call) int { return len(c.buffers[i]) }
	}
	if c.before[i] != nil {
		a.Access = shaders.InOut
	}
	return a
}

// constants returns the values of the function constants, in the form that engines expect.
func (k *kernel) constants(c *call) ([]shaders.ConstantValue, error) {
	p := &parser{d: k.parser.d, text: k.parser.text}
	var all []shaders.ConstantValue
	for _, v := range constantValues(p, k.library.Constants(), c.vars) {
		e, err := elementOf(typeOf(v.of.Type))
		if err != nil {
			return nil, fmt.Errorf("function constant %s: %w", v.of.Name, err)
		}
		all = append(all, shaders.ConstantValue{Name: v.of.Name, Index: v.of.Index, Type: e.plain(), Other: string(v.value)})
	}
	if len(p.problems) > 0 {
		return nil, errors.New(p.problems[0].Message)
	}
	return all, nil
}

// geometryOfEngine returns the launch; as a grid if the last threadgroups are partial.
func (c *call) geometryOfEngine() shaders.Launch {
	l := shaders.Launch{Groups: c.groups, Threads: c.threads}
	for i := range 3 {
		if c.grid[i]%c.threads[i] != 0 {
			l.Grid = c.grid
		}
	}
	for _, n := range c.threadgroup {
		if n > 0 {
			l.Shared = append(l.Shared, (n+15)/16*16)
		}
	}
	return l
}

// allocate creates the buffers before the parameter struct, in the memory that the device's kernels access fastest.
func (r *engineRunner) allocate(e gpu.Engine, last int) error {
	for i := range last {
		b := r.c.buffers[i]
		if b == nil {
			continue
		}
		buffer, err := e.NewBuffer(len(b), e.Info().Storage(), fmt.Sprintf("own buffer %d", i))
		if err != nil {
			return err
		}
		r.buffers[i] = buffer
		if err := buffer.Write(0, b); err != nil {
			return err
		}
	}
	return nil
}

func (r *engineRunner) start(ctx context.Context, reps int) (func() (float64, error), error) {
	var s gpu.Submission
	err := r.launching(func() (err error) {
		s, err = r.queue.Submit(r.program, reps)
		return err
	})
	if err != nil {
		return nil, err
	}
	return func() (float64, error) {
		var t gpu.Timing
		err := r.launching(func() (err error) {
			t, err = s.Wait(ctx)
			return err
		})
		return t.Device / float64(reps), err
	}, nil
}

func (r *engineRunner) reset() error {
	var all error
	for i, b := range r.c.before {
		if b != nil {
			all = errors.Join(all, r.buffers[i].Write(0, b))
		}
	}
	return all
}

func (r *engineRunner) read() error {
	var all error
	for i, b := range r.c.before {
		if b != nil {
			all = errors.Join(all, r.buffers[i].Read(0, r.c.buffers[i]))
		}
	}
	return all
}

func (r *engineRunner) close() {
	if r.queue != nil {
		_ = r.queue.Close()
	}
	if r.program != nil {
		_ = r.program.Release()
	}
	for _, b := range r.buffers {
		if b != nil {
			_ = b.Release()
		}
	}
}
