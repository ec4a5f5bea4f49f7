package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/workloads"
	"assay/workloads/measure"
)

// TuneRequest asks for the one point that shows a parameter that was just moved.
type TuneRequest struct {
	Workload string
	Params   workloads.Values // of all parameters, as in a bundle.Job
	Moved    string           // name of the parameter
	Engine   string           // "auto" or an engine's name; empty is "auto"
	Seed     uint64           // 0: 1
}

// Tuned is a point of live tuning: the results of one case, measured briefly.
type Tuned struct {
	Workload string
	Moved    string
	Place    string           // the parameter that chose the case
	Params   workloads.Values // as asked
	Case     workloads.Values // narrowed to the one case
	Curve    string           // points of different curves must not be joined; see workloads.Workload.Curve
	Engine   gpu.Info
	Seed     uint64
	At       time.Time     // time of the request
	Took     time.Duration // from the request to the point
	Results  []workloads.Result

	energy func(gpu.Engine) *measure.EnergyCounter // also measures energy; nil: it does not
}

// TuneUpdate comes when a tuning is over, unless a newer one replaced it. On an error there is no point.
type TuneUpdate struct {
	Request TuneRequest
	Point   Tuned
	Err     error
}

// SavedUpdate comes when points of live tuning were written into a run bundle.
type SavedUpdate struct{ Run *bundle.Run }

// ErrSuperseded is the error of a tuning replaced by a newer one.
var ErrSuperseded = errors.New("superseded by a newer setting")

// Limits on the time of a tuning and on the memory cached for the next one.
const (
	tuneBudget    = 350 * time.Millisecond // building inputs and verification included
	minTune       = tuneBudget / 4         // minimum after waiting for an earlier tuning to end
	tunePrecision = 0.02
	tuneKeep      = 256 << 20 // bytes of inputs, and as many of unused buffers
	tuneRest      = 20 * time.Second
)

// tuner measures single settings while the user moves them. The zero value is ready.
type tuner struct {
	bench *tuneBench // nil while none is open; guarded by the lease on the device

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the newest tuning
	last   map[string]string       // place of the newest point, by workload
	points points
}

// Tuner is the service for live tuning.
type Tuner struct{ session *Session }

// Tuner is the service for live tuning.
func (s *Session) Tuner() *Tuner { return &Tuner{s} }

// Measure measures the case that stands for the moved parameter and returns its results, one per variant. It takes about
// 0.4 s, including setup and verification, and longer only if one sample of each variant does. Inputs stay cached for the
// next tuning for a while.
//
// One tuning runs at a time: a newer one ends it with ErrSuperseded. During a run Measure returns ErrBusy, and the start
// of a run ends a tuning with ErrBusy. The session keeps the newest points; see Save.
func (t *Tuner) Measure(ctx context.Context, r TuneRequest) ([]workloads.Result, error) {
	s := t.session
	point, err := s.tune(ctx, r)
	if err != nil {
		return nil, err
	}
	return point.Results, nil
}

// Start is Measure in the background: a TuneUpdate reports its end. It fails at once for what cannot be measured.
func (t *Tuner) Start(r TuneRequest) error {
	s := t.session
	if _, err := s.narrow(&r); err != nil {
		return err
	}
	if err := s.hold(); err != nil {
		return err
	}
	ctx, cancel := s.tuner.supersede(s.ctx)
	go func() {
		defer s.work.Done()
		_, _ = s.tuneIn(ctx, cancel, r)
	}()
	return nil
}

// Stop ends the tuning in progress, if any, waits for it, and releases the memory cached for the next. Points stay.
func (t *Tuner) Stop() {
	s := t.session
	s.tuner.stop(context.Canceled)
	lease, err := s.device.Acquire(context.Background(), UseRest)
	if err != nil {
		return
	}
	defer lease.Release()
	s.tuner.closeBench()
}

// hold counts work that Close waits for, while nothing else measures.
func (s *Session) hold() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("tune: the session is closed")
	}
	if err := s.device.busy(); err != nil {
		return err
	}
	s.work.Add(1)
	return nil
}

func (s *Session) tune(ctx context.Context, r TuneRequest) (Tuned, error) {
	if err := s.hold(); err != nil {
		return Tuned{}, err
	}
	defer s.work.Done()
	ctx, cancel := s.tuner.supersede(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(context.Canceled) })
	defer stop()
	return s.tuneIn(ctx, cancel, r)
}

// supersede ends the newest tuning and replaces it.
func (t *tuner) supersede(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		t.cancel(ErrSuperseded)
	}
	ctx, t.cancel = context.WithCancelCause(ctx)
	return ctx, t.cancel
}

// tell stores a point and publishes it, or the error.
func (s *Session) tell(u TuneUpdate) {
	if u.Err == nil {
		s.tuner.keep(u.Point)
	}
	s.publish(u)
}

// tuneIn measures as soon as the previous tuning has ended, and publishes the point unless it was superseded.
func (s *Session) tuneIn(ctx context.Context, cancel context.CancelCauseFunc, r TuneRequest) (Tuned, error) {
	defer cancel(nil)
	asked := time.Now()
	point, err := s.measureAlone(ctx, asked, &r)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	point.Took = time.Since(asked)
	if !errors.Is(err, ErrSuperseded) {
		s.tell(TuneUpdate{r, point, err})
	}
	return point, err
}

// measureAlone acquires the device and measures one case, requested at the given time.
func (s *Session) measureAlone(ctx context.Context, asked time.Time, r *TuneRequest) (Tuned, error) {
	lease, err := s.device.Acquire(ctx, UseTuning)
	if err != nil {
		return Tuned{}, err
	}
	defer lease.Release()
	ctx, unbind := lease.bind(ctx)
	defer unbind()
	if ctx.Err() != nil {
		return Tuned{}, context.Cause(ctx)
	}
	point, err := s.measureOne(ctx, asked, r)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return point, err
}

// measureOne measures one case. The caller holds the device.
func (s *Session) measureOne(ctx context.Context, asked time.Time, r *TuneRequest) (Tuned, error) {
	point, err := s.narrow(r)
	if err == nil {
		err = s.measurePoint(ctx, asked, r.Engine, &point)
	}
	return point, err
}

// measurePoint measures the case of a point and sets its results. The caller holds the device.
func (s *Session) measurePoint(ctx context.Context, asked time.Time, engine string, point *Tuned) error {
	w, err := workloads.Find(s.config.Workloads, point.Workload)
	if err != nil {
		return err
	}
	b, err := s.tuneBench(engine)
	if err == nil {
		err = notTiming(b.engine)
	}
	if err != nil {
		return err
	}
	var heard collector
	env := &workloads.Env{
		Workload: w, Engine: b.engine, Queue: b.queue, Pool: b.pool, Inputs: b.inputs, Seed: point.Seed, Observer: &heard,
		Options: measure.Options{
			Short: true, Precision: tunePrecision, Budget: max(minTune, tuneBudget-time.Since(asked)),
			Surroundings: s.surroundings(0, b.engine.Info().GPU, b.engine),
		},
	}
	if point.energy != nil {
		env.Options.Energy = point.energy(b.engine)
	}
	err = w.Run(ctx, env, point.Case)
	point.At, point.Engine, point.Results = asked, b.engine.Info(), heard.results
	s.place(point.Engine, point.Results)
	s.afterTuning(b, errors.Is(err, workloads.ErrPending), err)
	return err
}

// narrow completes the request and finds the one case that represents it.
func (s *Session) narrow(r *TuneRequest) (Tuned, error) {
	if r.Seed == 0 {
		r.Seed = 1
	}
	r.Params = maps.Clone(r.Params)
	w, err := workloads.Find(s.config.Workloads, r.Workload)
	if err != nil {
		return Tuned{}, err
	}
	narrow, place, err := w.Narrow(r.Params, r.Moved, s.tuner.lastPlace(w.Name))
	if err != nil {
		return Tuned{}, err
	}
	return Tuned{
		Workload: w.Name, Moved: r.Moved, Place: place, Params: r.Params, Case: narrow, Curve: w.Curve(narrow), Seed: r.Seed,
	}, nil
}

func (t *tuner) lastPlace(workload string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last[workload]
}

// keep stores a point and its place.
func (t *tuner) keep(p Tuned) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]string{}
	}
	t.last[p.Workload] = p.Place
	t.points.add(p)
}

// stop ends the newest tuning for a reason.
func (t *tuner) stop(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		t.cancel(why)
	}
}

// collector is an Observer of work too short for progress reports.
type collector struct{ results []workloads.Result }

func (c *collector) Results(rs ...workloads.Result) { c.results = append(c.results, rs...) }
func (*collector) Progress(workloads.Progress)      {}
func (*collector) Finding(workloads.Finding)        {}
func (*collector) Iteration(string)                 {}

// tuneBench is the environment of tunings, kept open between them.
type tuneBench struct {
	engine gpu.Engine
	queue  gpu.Queue
	pool   *gpu.Pool
	inputs *workloads.InputCache
	rest   *time.Timer // fires when unused for a while
	closed chan struct{}
}

// tuneBench returns the bench on the engine of that name. The caller holds the device.
func (s *Session) tuneBench(name string) (*tuneBench, error) {
	engine, _, err := s.engines.get(cmp.Or(name, "auto"))
	if err != nil {
		return nil, err
	}
	t := &s.tuner
	if t.bench != nil && t.bench.engine == engine {
		t.bench.rest.Reset(tuneRest)
		return t.bench, nil
	}
	t.closeBench()
	queue, err := engine.NewQueue("live tuning")
	if err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	t.bench = &tuneBench{
		engine: engine, queue: queue, inputs: workloads.NewInputCache(tuneKeep), rest: time.NewTimer(tuneRest),
		closed: make(chan struct{}),
	}
	t.bench.pool = gpu.NewPool(engine, s.Pool().Settings().options(engine.Info()))
	b := t.bench
	s.work.Go(func() { s.watchBench(b) })
	return b, nil
}

// watchBench closes the bench when it has been idle for long enough or the session ends.
func (s *Session) watchBench(b *tuneBench) {
	select {
	case <-b.closed:
		return
	case <-b.rest.C:
	case <-s.ctx.Done():
	}
	lease, err := s.device.Acquire(context.Background(), UseRest)
	if err != nil {
		return
	}
	defer lease.Release()
	if s.tuner.bench == b {
		s.tuner.closeBench()
	}
}

// afterTuning prepares the bench for the next tuning: only cached inputs stay live, and little unused memory. A bench with
// hung work is closed, and a lost device is dropped, so that the next use reopens it.
func (s *Session) afterTuning(b *tuneBench, hung bool, err error) {
	if errors.Is(err, gpu.ErrDeviceLost) || gpu.Lost(b.engine) != nil {
		s.tuner.closeBench()
		s.engines.drop(b.engine)
		return
	}
	if _, err := b.pool.ShrinkToFit(tuneKeep); err != nil || hung {
		s.tuner.closeBench()
		return
	}
	b.rest.Reset(tuneRest)
}

// closeBench releases everything. The caller holds the device.
func (t *tuner) closeBench() {
	b := t.bench
	if b == nil {
		return
	}
	t.bench = nil
	b.rest.Stop()
	close(b.closed)
	// Errors mean a lost device or hung work with its buffers; the next use of the engine reports it.
	_ = b.inputs.Release()
	_, _ = b.pool.Reclaim()
	_ = b.pool.Close()
	_ = b.queue.Close()
}
