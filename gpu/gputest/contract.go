// Package gputest has Contract, the tests that every engine must pass, and Fake, an engine in plain Go with scripted times
// and faults, for the tests of packages that use engines.
package gputest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/catalog"
)

// Contract runs every requirement as a subtest. Each subtest opens an engine with open and closes it. Under the race
// detector every kernel is verified on one case.
func Contract(t *testing.T, open func() (gpu.Engine, error)) {
	contract(t, open, requirements(), newReferences())
}

// Setting is one way to open an engine.
type Setting struct {
	Name string
	Open func() (gpu.Engine, error)
}

// ContractOfEach runs Contract on every setting of an engine, each as a subtest.
func ContractOfEach(t *testing.T, settings []Setting) {
	refs := newReferences()
	for _, s := range settings {
		t.Run(s.Name, func(t *testing.T) { contract(t, s.Open, requirements(), refs) })
	}
}

// EncodedContract runs the contract on an engine that passes Contract but here is wrapped or encodes its programs differently:
// every kernel is verified on one case, since results of kernels do not depend on that.
func EncodedContract(t *testing.T, open func() (gpu.Engine, error)) {
	contract(t, open, withoutEveryCase(requirements()), newReferences())
}

func contract(t *testing.T, open func() (gpu.Engine, error), clauses []requirement, refs *references) {
	for _, c := range clauses {
		t.Run(c.name, func(t *testing.T) {
			r := &rig{t: t, open: open, refs: refs}
			r.engine = r.newEngine()
			defer r.finish() // also if it skips
			c.run(r)
		})
	}
}

func withoutEveryCase(clauses []requirement) []requirement {
	return slices.DeleteFunc(clauses, func(r requirement) bool { return r.everyCase })
}

// requirement is one clause of the contract.
type requirement struct {
	name      string
	run       func(*rig)
	everyCase bool // runs all cases of each kernel
}

func requirements() []requirement {
	var all []requirement
	for _, part := range [][]requirement{
		kernelRequirements(), launchRequirements(), queueRequirements(), programRequirements(), optionalRequirements(),
		bufferRequirements(), closeRequirements(),
	} {
		all = append(all, part...)
	}
	if race.On {
		return withoutEveryCase(all)
	}
	return all
}

// rig is the engine and queue of one subtest.
type rig struct {
	t      *testing.T
	open   func() (gpu.Engine, error)
	engine gpu.Engine
	refs   *references
	queue  gpu.Queue // opened on first use
	closed bool      // the subtest closed the engine itself
}

func (r *rig) newEngine() gpu.Engine {
	r.t.Helper()
	e, err := r.open()
	if err != nil {
		r.t.Fatalf("open: %v", err)
	}
	return e
}

// finish closes what the subtest left open. It fails if the engine still has live buffers.
func (r *rig) finish() {
	r.t.Helper()
	if r.closed || r.t.Failed() {
		if !r.closed {
			_ = r.engine.Close() // the failure is already reported; live buffers are its consequence
		}
		return
	}
	if r.queue != nil {
		r.ok(r.queue.Close(), "close the queue")
	}
	if m := r.engine.Memory(); m != (gpu.Memory{}) {
		r.t.Errorf("every buffer was released, yet Memory is %+v", m)
	}
	r.ok(r.engine.Close(), "close the engine")
}

// sub runs f as a subtest that shares r's engine.
func (r *rig) sub(name string, f func(*rig)) {
	outer := r.t
	outer.Run(name, func(t *testing.T) {
		r.t = t
		defer func() { r.t = outer }()
		f(r)
	})
}

func (r *rig) ok(err error, what string) {
	r.t.Helper()
	if err != nil {
		r.t.Fatalf("%s: %v", what, err)
	}
}

// fails checks that err is of one of the kinds (of any, if none is given) and contains every word.
func (r *rig) fails(err error, what string, kinds []error, words ...string) {
	r.t.Helper()
	if err == nil {
		r.t.Errorf("%s: no error, want one of kind %q", what, kinds)
		return
	}
	is := len(kinds) == 0
	for _, k := range kinds {
		is = is || errors.Is(err, k)
	}
	if !is {
		r.t.Errorf("%s: error %q, want kind %q", what, err, kinds)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			r.t.Errorf("%s: error %q does not name %q", what, err, w)
		}
	}
}

func kind(err error) []error { return []error{err} }

func (r *rig) buffer(bytes int) gpu.Buffer {
	r.t.Helper()
	b, err := r.engine.NewBuffer(bytes, gpu.Shared, "contract")
	r.ok(err, "allocate")
	return b
}

func (r *rig) release(buffers ...gpu.Buffer) {
	r.t.Helper()
	for _, b := range buffers {
		if b != nil {
			r.ok(b.Release(), "release")
		}
	}
}

func (r *rig) q() gpu.Queue {
	r.t.Helper()
	if r.queue == nil {
		q, err := r.engine.NewQueue("contract")
		r.ok(err, "new queue")
		r.queue = q
	}
	return r.queue
}

// submit runs the launches once, as a program that is released right after it is submitted.
func (r *rig) submit(d ...gpu.Launch) (gpu.Submission, error) {
	return Submit(r.engine, r.q(), gpu.Launches(d...)...)
}

// Submit prepares the commands, submits them once and releases the program, for tests that run something a single time.
func Submit(e gpu.Engine, q gpu.Queue, commands ...gpu.Command) (gpu.Submission, error) {
	p, err := e.Prepare(commands...)
	if err != nil {
		return nil, err
	}
	s, err := q.Submit(p, 1)
	return s, errors.Join(err, p.Release())
}

// prepare creates a program that the caller releases.
func (r *rig) prepare(commands ...gpu.Command) gpu.Program {
	r.t.Helper()
	p, err := r.engine.Prepare(commands...)
	r.ok(err, "prepare")
	return p
}

// runs submits a program and waits.
func (r *rig) runs(p gpu.Program, repeat int) gpu.Timing {
	r.t.Helper()
	s, err := r.q().Submit(p, repeat)
	r.ok(err, "submit")
	timing, err := s.Wait(context.Background())
	r.ok(err, "wait")
	return timing
}

// run submits the launches and waits.
func (r *rig) run(d ...gpu.Launch) gpu.Timing {
	r.t.Helper()
	s, err := r.submit(d...)
	r.ok(err, "submit")
	timing, err := s.Wait(context.Background())
	r.ok(err, "wait")
	return timing
}

func (r *rig) kernel(k shaders.Kernel, c shaders.Constants) gpu.Kernel {
	r.t.Helper()
	out, err := r.engine.Kernel(k.With(c))
	r.ok(err, "kernel "+k.Name)
	return out
}

// need returns the kernel's description, or skips the subtest if the engine does not support it.
func (r *rig) need(name string) shaders.Kernel {
	r.t.Helper()
	k := catalog.MustFind(name)
	if err := r.engine.Supports(k); err != nil {
		r.t.Skipf("the engine does not support %s: %v", name, err)
	}
	return k
}

// supported lists the kernels that the engine runs.
func (r *rig) supported() []shaders.Kernel {
	var out []shaders.Kernel
	for _, k := range catalog.All() {
		if r.engine.Supports(k) == nil {
			out = append(out, k)
		}
	}
	return out
}

func seeded(a, b uint64) *rand.Rand { return rand.New(rand.NewPCG(a, b)) }
