package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/stats"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
)

// ABRequest asks which of two points of live tuning is faster. Both belong to one workload.
type ABRequest struct{ A, B Tuned }

// ABUpdate comes after each round of an A/B comparison, and at its end: Done, or Err.
type ABUpdate struct {
	Request ABRequest
	Rounds  int // undisturbed ones measured so far, out of Of
	Of      int
	// Speedup is B's over A so far: in work per second if operations are counted, else in time.
	Speedup stats.Estimate
	// Disturbed counts disturbed rounds, which do not count. After Of of them the comparison ends without a conclusion.
	Disturbed int
	Done      bool
	Err       error
}

// abRounds is the number of rounds of a comparison: enough for an interval. A round measures each setting twice. As many
// more may be disturbed.
const abRounds = 10

// Compare measures two settings alternately, A B B A, so that drift affects both alike. ABUpdates report its progress. It
// replaces a tuning in progress, and a newer one ends it with ErrSuperseded.
func (t *Tuner) Compare(r ABRequest) error {
	s := t.session
	if r.A.Workload != r.B.Workload {
		return fmt.Errorf("compare settings: %s and %s are different workloads", r.A.Workload, r.B.Workload)
	}
	if err := s.hold(); err != nil {
		return err
	}
	ctx, cancel := s.tuner.supersede(s.ctx)
	go func() {
		defer s.work.Done()
		defer cancel(nil)
		u := ABUpdate{Request: r, Of: abRounds}
		if u.Err = s.compareTuned(ctx, &u); u.Err != nil && ctx.Err() != nil {
			u.Err = context.Cause(ctx)
		}
		u.Done = u.Err == nil
		s.publish(u)
	}()
	return nil
}

// compareTuned measures the rounds and publishes each but the last. Disturbed ones are repeated.
func (s *Session) compareTuned(ctx context.Context, u *ABUpdate) error {
	lease, err := s.device.Acquire(ctx, UseTuning)
	if err != nil {
		return err
	}
	defer lease.Release()
	ctx, unbind := lease.bind(ctx)
	defer unbind()
	var a, b []float64
	for u.Rounds < u.Of && u.Disturbed < u.Of {
		costs, disturbed, err := s.abRound(ctx, &u.Request)
		if err != nil {
			return err
		}
		if disturbed {
			u.Disturbed++
		} else {
			a, b = append(a, costs[0], costs[3]), append(b, costs[1], costs[2])
			u.Rounds++
			u.Speedup = stats.Speedup(a, b)
		}
		if u.Rounds < u.Of && u.Disturbed < u.Of {
			s.publish(*u)
		}
	}
	return nil
}

// abRound measures A, B, B and A.
func (s *Session) abRound(ctx context.Context, r *ABRequest) (costs [4]float64, disturbed bool, err error) {
	for i, point := range []*Tuned{&r.A, &r.B, &r.B, &r.A} {
		result, err := s.measureAgain(ctx, point)
		if err != nil {
			return costs, false, err
		}
		costs[i] = costOf(result)
		_, is := result.Disturbed()
		disturbed = disturbed || is
	}
	return costs, disturbed, nil
}

// measureAgain measures a point once more; its output was correct.
func (s *Session) measureAgain(ctx context.Context, p *Tuned) (*workloads.Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	again := *p
	if err := s.measurePoint(ctx, time.Now(), p.Engine.Engine, &again); err != nil {
		return nil, err
	}
	r := again.Headline()
	switch {
	case r == nil:
		return nil, errors.New("compare settings: no result")
	case r.Status != workloads.OK:
		return nil, fmt.Errorf("compare settings: %s, %s: %s", r.Case, r.Variant, r.Failure.Text)
	}
	return r, nil
}

// costOf is a result's seconds per operation, or per repetition if operations are not counted.
func costOf(r *workloads.Result) float64 {
	if rate := r.Number(workloads.Throughput); rate > 0 {
		return 1 / rate
	}
	return r.Time().Median
}

// inLibrary reports whether a result is from a kernel in a platform’s library.
func inLibrary(r *workloads.Result) bool {
	ran, _ := r.Setting("kernel").(string)
	return slices.ContainsFunc(catalog.Default().All(), func(k shaders.Kernel) bool {
		return k.Impl.Library != shaders.Own && strings.HasPrefix(ran, k.Impl.Op.Name+"/"+k.Impl.Name+"/")
	})
}

// Headline returns the main result of a point of live tuning: the one with a baseline, if any, else the first; nil if there is
// none. A platform’s library beside an Assay kernel does not count: two points would be compared by different kernels.
func (p *Tuned) Headline() *workloads.Result {
	for i := range p.Results {
		if r := &p.Results[i]; r.Baseline != "" && r.Status == workloads.OK && r.Speedup().Median > 0 && !inLibrary(r) {
			return r
		}
	}
	if len(p.Results) == 0 {
		return nil
	}
	return &p.Results[0]
}
