package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/measure"
)

// NewScope returns a scope of buffers on b outside any case. The caller releases it.
func (b *Bench) NewScope(ctx context.Context) *Scope { return &Scope{bench: b, ctx: ctx} }

// Scope owns the buffers of one case: all are released when the case ends, for whatever reason.
type Scope struct {
	bench  *Bench
	ctx    context.Context
	c      *Case
	phase  measure.Phase // last reported
	said   time.Time     // when the progress of a long step was last reported
	leases []gpu.Lease
	// programs that use the leases, released before them
	programs []gpu.Program
	queues   []gpu.Queue  // of streams
	events   []gpu.Event  // between them
	owned    []gpu.Buffer // buffers in a storage mode of their own
	after    []func()     // cleanup to run last
	seeds    uint64
	alike    *alike // nil: no variant was built with For
}

// Tells reports whether this case is the one that reports something, such as what the engine does not support: the first case that asks.
// If the case is measured again, it reports that again.
func (s *Scope) Tells(what string) bool {
	name := ""
	if s.c != nil {
		name = s.c.Name
	}
	if s.bench.tellers == nil {
		s.bench.tellers = map[string]string{}
	}
	if _, asked := s.bench.tellers[what]; !asked {
		s.bench.tellers[what] = name
	}
	return s.bench.tellers[what] == name
}

// enter reports the current phase.
func (s *Scope) enter(p measure.Phase) {
	if s.c != nil {
		s.bench.Spans.Enter(p, "")
	}
	if s.phase != p && s.c != nil && s.ctx.Err() == nil {
		s.phase = p
		s.bench.progress(s.c, measure.Progress{Phase: p})
	}
}

// partEvery is the minimum interval between reports of a long step's progress.
const partEvery = 100 * time.Millisecond

// Progress reports from time to time how much of a long verification step on the host is done.
func (s *Scope) Progress(done, all int) { s.part(measure.Verifying, done, all) }

func (s *Scope) part(p measure.Phase, done, all int) {
	if done == 0 {
		s.said = time.Now()
	}
	if s.c == nil || s.ctx.Err() != nil || time.Since(s.said) < partEvery {
		return
	}
	s.said, s.phase = time.Now(), p
	s.bench.Spans.Enter(p, "")
	s.bench.progress(s.c, measure.Progress{Phase: p, Part: float64(done) / float64(all)})
}

// Release returns the buffers to the pool. If work that uses them does not complete, they stay live: if reused, they would
// have two writers.
func (s *Scope) Release() {
	if s.bench.drain() != nil {
		if s.bench.InFlight != nil {
			s.bench.InFlight()
		}
		return
	}
	for _, q := range s.queues {
		_ = q.Close() // its work has ended
	}
	s.queues = nil
	for _, p := range s.programs {
		_ = p.Release() // nothing else does
	}
	s.programs = nil
	for _, e := range s.events {
		_ = e.Release() // no program needs it any more
	}
	s.events = nil
	for _, b := range s.owned {
		_ = b.Release() // already gone if the case released it itself
	}
	s.owned = nil
	for _, free := range s.after {
		free()
	}
	s.after = nil
	for _, l := range s.leases {
		_ = l.Release() // already gone if the case released it itself
	}
	s.leases = nil
}

// Buffer acquires a buffer of n ≥ 0 elements from the pool; label names it in the ledger.
//
//go:noinline
func (s *Scope) Buffer(t shaders.Type, n int, label string) (gpu.Buffer, error) {
	return s.bytes(max(t.Bytes(n), 1), label)
}

// bytes acquires a buffer of n bytes, rounded up to what commands can copy.
//
//go:noinline
func (s *Scope) bytes(n int, label string) (gpu.Buffer, error) {
	n = aligned(n)
	l, err := s.bench.Pool.Acquire(n, label)
	if cache := s.bench.Inputs; cache != nil && errors.Is(err, gpu.ErrOutOfMemory) && cache.Evict() == nil {
		l, err = s.bench.Pool.Acquire(n, label) // after evicting inputs not in use
	}
	if err != nil {
		return nil, err
	}
	s.leases = append(s.leases, l)
	return l, nil
}

// Random returns a buffer of n elements, uniform in [−1, 1) from the run's seed. Nothing may write to it.
//
//go:noinline
func (s *Scope) Random(t shaders.Type, n int, label string) (gpu.Buffer, error) {
	kind := fmt.Sprintf("random %v × %d, %s", t, n, label)
	if b := s.alike.have(kind); b != nil {
		return b, nil
	}
	s.enter(measure.Preparing)
	s.seeds++
	seed, stream := s.bench.Seed, s.seeds
	b, err := Cached(s, fmt.Sprintf("random %v × %d, seed %d.%d", t, n, seed, stream), func(s *Scope) (gpu.Buffer, error) {
		b, err := s.Buffer(t, n, label)
		if err != nil {
			return nil, err
		}
		r := rand.New(rand.NewPCG(seed, stream))
		return b, s.fill(b, t, n, func(v shaders.View, _ int) error {
			v.FillUniform(r)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	s.alike.keep(kind, b)
	return b, nil
}

// Chunk is how many elements the host processes at once: even, so that pieces of int4 start at a byte boundary.
const Chunk = 1 << 16

// FloatReader reads the values of a matrix, starting at index at, into dst.
type FloatReader func(dst []float32, at int) error

// fill writes n elements of b in chunks, so that the host does not need memory for all of them. set sets all elements of a
// view, which starts at index at of b.
func (s *Scope) fill(b gpu.Buffer, t shaders.Type, n int, set func(v shaders.View, at int) error) error {
	data := make([]byte, t.Bytes(min(n, Chunk)))
	for at := 0; at < n; at += Chunk {
		s.part(measure.Preparing, at, n)
		v := shaders.View{Type: t, Data: data[:t.Bytes(min(Chunk, n-at))]}
		if err := errors.Join(s.ctx.Err(), set(v, at)); err != nil {
			return err
		}
		if err := b.Write(t.Bytes(at), v.Data); err != nil {
			return err
		}
	}
	return nil
}

// FillFloats fills b from a source of floats, rounded to t.
func (s *Scope) FillFloats(b gpu.Buffer, t shaders.Type, n int, next FloatReader) error {
	values := make([]float32, min(n, Chunk))
	return s.fill(b, t, n, func(v shaders.View, at int) error {
		size := min(v.Len(), n-at)
		err := next(values[:size], at)
		if t == shaders.F32 { // same as View.Set, at a third of the cost
			for i, x := range values[:size] {
				binary.NativeEndian.PutUint32(v.Data[4*i:], math.Float32bits(x))
			}
			return err
		}
		for i, x := range values[:size] {
			v.Set(i, float64(x))
		}
		return err
	})
}

// Floats returns a reader of the elements of b, which are of type t, in pieces of any size.
func (s *Scope) Floats(b gpu.Buffer, t shaders.Type) FloatReader {
	all := b.Bytes() // nil if not visible to the host
	var data []byte
	if all == nil {
		data = make([]byte, t.Bytes(Chunk))
	}
	read := func(dst []float32, at int) error {
		v := shaders.View{Type: t}
		if all != nil {
			v.Data = all[t.Bytes(at):][:t.Bytes(len(dst))]
		} else {
			v.Data = data[:t.Bytes(len(dst))]
			if err := b.Read(t.Bytes(at), v.Data); err != nil {
				return err
			}
		}
		if t == shaders.F32 { // same as View.At, at a third of the cost
			for i := range dst {
				dst[i] = math.Float32frombits(binary.NativeEndian.Uint32(v.Data[4*i:]))
			}
			return nil
		}
		for i := range dst {
			dst[i] = float32(v.At(i))
		}
		return nil
	}
	return func(dst []float32, at int) error {
		for part := range slices.Chunk(dst, Chunk) {
			if err := read(part, at); err != nil {
				return err
			}
			at += len(part)
		}
		return nil
	}
}

// Seed is the run's seed, from which all random data is derived.
func (s *Scope) Seed() uint64 { return s.bench.Seed }

// Context is canceled when the run is stopped.
func (s *Scope) Context() context.Context { return s.ctx }

// Supports returns an error that says why the engine cannot run the kernel that pick selects, or nil if it can.
func (s *Scope) Supports(pick shaders.Pick) error { return s.SupportsWith(pick, nil) }

// SupportsWith is Supports for a kernel with constants. Tunables that the engine ignores are an error, since a measurement
// would show a difference where there is none.
func (s *Scope) SupportsWith(pick shaders.Pick, c shaders.Constants) error {
	k, err := find(pick)
	if err != nil {
		return err
	}
	return s.supports(k.With(c))
}

// MayHave reports whether a library is of the engine's kind and for this system, although it may not be installed.
func (s *Scope) MayHave(l shaders.Library) bool { return s.bench.MayHave(l) }

// SupportsCall is SupportsWith for a call with params, which the implementation may refuse.
func (s *Scope) SupportsCall(pick shaders.Pick, c shaders.Constants, params any) error {
	k, _, err := s.choose(pick, c, params)
	if err != nil {
		return err
	}
	if err := s.supports(k); err != nil {
		return err
	}
	if err := k.Check(params); err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // without the kernel's name: the variant names it
		}
		return gpu.Errorf(gpu.ErrUnsupported, "dispatch", pick.Op, "%w", err)
	}
	return nil
}

func (s *Scope) supports(k shaders.Kernel) error { return workloads.Supports(s.bench.Engine, k) }

// choose returns the kernel for a call, and why it was chosen if the pick leaves a choice; for a library, which one runs it.
func (s *Scope) choose(pick shaders.Pick, c shaders.Constants, params any) (k shaders.Kernel, why string, err error) {
	info := s.bench.Engine.Info()
	device := shaders.Device{Family: info.Family, Compute: info.Compute, Supports: s.supports}
	if k, why, err = catalog.Choose(pick, c, params, device); err != nil {
		return k, "", gpu.Errorf(gpu.ErrUnsupported, "dispatch", pick.Op, "%w", err)
	}
	if adjusted, set, err := s.bench.adjusted(k, c, params); err != nil || set != "" {
		return adjusted, set, err
	}
	if tuned, ok := s.tuned(pick, &k, params); ok {
		return tuned.kernel, tuned.why, nil
	}
	if namer, named := gpu.As[gpu.LibraryNamer](s.bench.Engine); named && k.Impl.Library != shaders.Own {
		why = namer.LibraryName(k)
	}
	return k, why, nil
}

func find(pick shaders.Pick) (shaders.Kernel, error) {
	k, err := catalog.Pick(pick)
	if err != nil {
		return k, gpu.Errorf(gpu.ErrUnsupported, "dispatch", pick.Op, "%w", err)
	}
	return k, nil
}

// Dispatch compiles the kernel that pick selects and binds buffers to its arguments in order; nil for an argument that does not
// exist under c.
func (s *Scope) Dispatch(pick shaders.Pick, c shaders.Constants, params any, buffers ...gpu.Buffer) (gpu.Launch, error) {
	spec, why, err := s.choose(pick, c, params)
	if err != nil {
		return gpu.Launch{}, err
	}
	return s.Launch(spec, why, params, gpu.Bind(buffers...)...)
}

// Choose returns the kernel for a call on the engine, and why it was chosen if the pick leaves a choice.
func (s *Scope) Choose(pick shaders.Pick, c shaders.Constants, params any) (k shaders.Kernel, why string, err error) {
	return s.choose(pick, c, params)
}

// Launch compiles a kernel and binds places in buffers to its arguments.
func (s *Scope) Launch(spec shaders.Kernel, why string, params any, at ...gpu.Binding) (gpu.Launch, error) {
	if err := s.supports(spec); err != nil {
		return gpu.Launch{}, err
	}
	s.enter(measure.Compiling) // immediate, if the engine already has the kernel
	k, err := s.bench.Engine.Kernel(spec)
	if err != nil {
		return gpu.Launch{}, err
	}
	d := gpu.Launch{Kernel: k, Bindings: at, Params: params, Why: why}
	if err := d.Check(); err != nil {
		return d, fmt.Errorf("bind %s: %w", spec.Name, err)
	}
	return d, nil
}

// prepare creates a program that lives as long as the scope.
func (s *Scope) prepare(commands ...gpu.Command) (gpu.Program, error) {
	p, err := s.bench.Engine.Prepare(commands...)
	if err == nil {
		s.programs = append(s.programs, p)
	}
	return p, err
}

// errWrong is the error of work whose outputs differ from the reference.
var errWrong = measure.ErrOutput

// Wrong returns the error for a case with a wrong outcome, in words.
func Wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errWrong, fmt.Sprintf(format, args...))
}

// Verify runs launches that a case needs before it is measured, once, and compares their outputs with the references.
func (s *Scope) Verify(launches ...gpu.Launch) error { return s.VerifyWork(s.Launches(launches)) }

// VerifyWork is Verify for existing work.
func (s *Scope) VerifyWork(w Work) error {
	s.enter(measure.Verifying)
	check, err := check(s.ctx, &Variant{Work: w})
	if err == nil && !check.OK {
		err = fmt.Errorf("%w: %s", errWrong, check.Failure)
	}
	return err
}
