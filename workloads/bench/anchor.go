package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/gemm"
	"assay/shaders/stream"
	"assay/workloads"
	"assay/workloads/measure"
)

// Anchor is the fixed work against which a run's cases are checked, with its own queue and buffers.
type Anchor struct {
	*measure.Anchor
	scope *Scope
	queue gpu.Queue
	pool  *gpu.Pool
}

// What the anchor computes: a multiplication of matrices that fit into caches, and a copy larger than most caches. A simulated device takes
// its time on the host, which computes far less.
const (
	anchorSide          = 512
	anchorSideSimulated = 48
	minAnchorBytes      = 32 << 20 // read and written together
	maxAnchorBytes      = 256 << 20
	simulatedBytes      = 64 << 10
	hostAnchorBytes     = 32 << 20 // for engines on the host, whose caches are shared and slow to fill
	anchorSample        = 2 * time.Millisecond
)

// NewAnchor prepares the anchor on an engine, verifies it and takes its times. The caller closes it, even after an error from Start.
func NewAnchor(ctx context.Context, e gpu.Engine, o measure.AnchorOptions) (*Anchor, error) {
	queue, err := e.NewQueue("anchor")
	if err != nil {
		return nil, err
	}
	a := &Anchor{queue: queue, pool: gpu.NewPool(e, gpu.PoolOptions{Storage: e.Info().Storage(), Disabled: true})}
	env := &workloads.Env{Workload: &workloads.Workload{Name: "anchor"}, Engine: e, Queue: queue, Pool: a.pool, Seed: 1, Observer: nobody{}}
	a.scope = New(env).NewScope(ctx)
	parts, err := a.parts(ctx, e.Info())
	if err == nil {
		a.Anchor = measure.NewAnchor(parts, o)
		err = a.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// Watch returns what cases are checked against; nil for a nil anchor.
func (a *Anchor) Watch() *measure.Anchor {
	if a == nil {
		return nil
	}
	return a.Anchor
}

// Close frees what the anchor holds.
func (a *Anchor) Close() error {
	a.scope.Release()
	return errors.Join(a.queue.Close(), a.pool.Close())
}

// parts returns the parts for which this device has memory and kernels.
func (a *Anchor) parts(ctx context.Context, info gpu.Info) (parts []measure.AnchorPart, err error) {
	for _, p := range []struct {
		name  string
		build func(gpu.Info) (gpu.Launch, error)
	}{{"compute", a.compute}, {"memory", a.memory}} {
		launch, failed := p.build(info)
		if failed == nil {
			var part measure.AnchorPart
			if part, failed = a.part(ctx, p.name, launch); failed == nil {
				parts = append(parts, part)
				continue
			}
		}
		if ctx.Err() != nil || errors.Is(failed, errWrong) || stopping(failed) != nil {
			return nil, fmt.Errorf("anchor, %s: %w", p.name, failed)
		}
		err = errors.Join(err, fmt.Errorf("anchor, %s: %w", p.name, failed))
	}
	if len(parts) > 0 {
		return parts, nil
	}
	return nil, err
}

func (a *Anchor) compute(info gpu.Info) (gpu.Launch, error) {
	n := anchorSide
	if info.Simulated {
		n = anchorSideSimulated
	}
	x, err := a.scope.Random(shaders.F32, n*n, "a")
	if err != nil {
		return gpu.Launch{}, err
	}
	y, err := a.scope.Random(shaders.F32, n*n, "b")
	if err != nil {
		return gpu.Launch{}, err
	}
	out, err := a.scope.Buffer(shaders.F32, n*n, "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	side := uint32(n)
	return a.scope.Dispatch(shaders.Pick{Op: "matmul", Type: shaders.F32}, nil, gemm.MatmulParams{M: side, N: side, K: side, Batch: 1}, x, y, nil, out)
}

func (a *Anchor) memory(info gpu.Info) (gpu.Launch, error) {
	n := anchorBytes(info) / 2 / shaders.F32.Bytes(1)
	x, err := a.scope.Buffer(shaders.F32, n, "x")
	if err != nil {
		return gpu.Launch{}, err
	}
	out, err := a.scope.Buffer(shaders.F32, n, "out")
	if err != nil {
		return gpu.Launch{}, err
	}
	if err := x.Fill(1); err != nil {
		return gpu.Launch{}, err
	}
	return a.scope.Dispatch(shaders.Pick{Op: "copy", Type: shaders.F32}, nil, stream.CopyParams{N: uint32(n)}, x, out)
}

// anchorBytes returns how much the copy moves: twice a GPU's last-level cache, within limits.
func anchorBytes(info gpu.Info) int {
	switch {
	case info.Simulated:
		return simulatedBytes
	case !info.GPU:
		return hostAnchorBytes
	}
	return int(min(max(2*info.LastLevelCache, minAnchorBytes), maxAnchorBytes, max(info.MaxBuffer, minAnchorBytes)))
}

// part verifies a launch and finds how many of them make a sample.
func (a *Anchor) part(ctx context.Context, name string, launch gpu.Launch) (measure.AnchorPart, error) {
	work := a.scope.Launches([]gpu.Launch{launch})
	if err := a.scope.VerifyWork(work); err != nil {
		return measure.AnchorPart{}, err
	}
	reps, least := 1, max(anchorSample, a.scope.bench.Engine.Info().SampleTime/2)
	for reps < work.MaxReps() {
		t, err := run(ctx, work, reps)
		if err != nil {
			return measure.AnchorPart{}, err
		}
		if t <= 0 || t*float64(reps) >= least.Seconds()/2 {
			if t > 0 {
				reps = min(max(1, int(least.Seconds()/t)), work.MaxReps())
			}
			break
		}
		reps *= 4
	}
	return measure.AnchorPart{Name: name, Sample: func(ctx context.Context) (float64, error) { return run(ctx, work, reps) }}, nil
}

// nobody observes the anchor.
type nobody struct{}

func (nobody) Progress(workloads.Progress) {}

func (nobody) Results(...workloads.Result) {}

func (nobody) Finding(workloads.Finding) {}

func (nobody) Iteration(string) {}
