package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"assay/gpu"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// ABSide is one of the two things compared: settings of a workload, one of its variants, an engine, or another build of Assay.
type ABSide struct {
	Params  workloads.Values // for all parameters
	Engine  string           // empty: "auto"
	Variant string           // empty: the one with a baseline, or the first
	Program string           // path of another assay executable, which measures it; empty: this one
}

// ABPlan is a comparison of two sides.
type ABPlan struct {
	Workload string
	A, B     ABSide
	Rounds   int     // of A B B A, undisturbed; as many disturbed ones are allowed; more are added while the result is undecided
	Matters  float64 // relative difference up to which both count as the same
	Seed     uint64  // 0: 1
	// Take is how long one measurement takes, including setup and verification; 0: as long as a point of live tuning.
	Take time.Duration
	// Energy also measures the energy of both sides, after their times.
	Energy bool
}

// Limits of an ABPlan.
const (
	MinABRounds, MaxABRounds = 6, 1000
	MaxABMatters             = 0.5
	MaxABTake                = time.Minute
)

// ABTake is one measurement of one side.
type ABTake struct {
	Round     int     `json:"round"`
	Side      string  `json:"side"` // "A" or "B"
	Seconds   float64 `json:"time_s"`
	Work      float64 `json:"ops"`                // of one repetition; 0: not counted
	Clock     float64 `json:"clock_hz,omitempty"` // of the GPU, from the newest reading; 0: unknown
	Disturbed string  `json:"disturbed,omitempty"`
	Case      string  `json:"case"`
	Variant   string  `json:"variant"`
}

// cost returns the seconds per operation, or per repetition.
func (t *ABTake) cost(perOp bool) float64 {
	if perOp {
		return t.Seconds / t.Work
	}
	return t.Seconds
}

// ABResult is what a comparison shows. Speedup is B's over A: above 1, B is faster.
type ABResult struct {
	Plan     ABPlan
	Takes    []ABTake
	Rounds   int  // rounds that count
	Wanted   int  // rounds that should count: the plan's, and more if those decided nothing
	Aside    int  // disturbed rounds, which do not count
	PerOp    bool // compared per operation: the cases differ, and both sides count operations
	Speedup  stats.Estimate
	Verdict  stats.Verdict
	Clocks   stats.Interval // of B relative to A: the range of the medians of rounds; unknown if there is no clock reading
	Engine   [2]string      // of A and B, including the device
	Energy   *ABEnergy      // nil: not requested
	Canceled bool
	differ   bool // the cases differ, not only the variants
}

// abMeasurer measures a side once.
type abMeasurer func(ctx context.Context, side *ABSide) (ABTake, error)

// Check refuses a plan that cannot be carried out.
func (p *ABPlan) Check() error {
	switch {
	case p.Rounds < MinABRounds || p.Rounds > MaxABRounds:
		return fmt.Errorf("rounds must be between %d and %d (you entered %d)", MinABRounds, MaxABRounds, p.Rounds)
	case p.Take < 0 || p.Take > MaxABTake:
		return fmt.Errorf("time of a measurement must be between 0 and %v (you entered %v)", MaxABTake, p.Take)
	case !(p.Matters >= 0 && p.Matters <= MaxABMatters):
		return fmt.Errorf("the difference that matters must be between 0 and %g %% (you entered %g %%)", 100*MaxABMatters, 100*p.Matters)
	}
	return nil
}

// InPrograms lets this executable measure a side that names no program if the other side names one, and checks that both programs
// exist: builds are measured alike, each in its own process.
func (p *ABPlan) InPrograms() (err error) {
	if p.A.Program == "" && p.B.Program == "" {
		return nil
	}
	for _, side := range []*ABSide{&p.A, &p.B} {
		if side.Program == "" {
			if side.Program, err = os.Executable(); err != nil {
				return err
			}
		}
		if _, err := os.Stat(side.Program); err != nil {
			return err
		}
	}
	return nil
}

// Variants returns the names of the variants of a side's case, by measuring it once.
func (t *Tuner) Variants(ctx context.Context, workload string, side ABSide) (names []string, err error) {
	s := t.session
	err = s.measuring(ctx, workload, func(ctx context.Context, w *workloads.Workload) error {
		one, err := w.One(side.Params, "", true)
		if err != nil {
			return err
		}
		point := Tuned{Workload: w.Name, Case: one, Seed: 1}
		if err := s.measurePoint(ctx, time.Now(), side.Engine, &point); err != nil {
			return err
		}
		for i := range point.Results {
			if name := point.Results[i].Variant; name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return nil
	})
	return names, err
}

// AB compares two sides alternately, A B B A, so that drift affects both alike. tell is called after each round, with a copy.
func (t *Tuner) AB(ctx context.Context, p ABPlan, tell func(*ABResult)) (r *ABResult, err error) {
	err = t.session.measuring(ctx, p.Workload, func(ctx context.Context, w *workloads.Workload) error {
		r, err = t.session.compareSides(ctx, w, p, "", tell)
		return err
	})
	return r, err
}

// measuring finds the workload and holds the device while f measures.
func (s *Session) measuring(ctx context.Context, workload string, f func(ctx context.Context, w *workloads.Workload) error) error {
	w, err := workloads.Find(s.config.Workloads, workload)
	if err != nil {
		return err
	}
	if err := s.hold(); err != nil {
		return err
	}
	defer s.work.Done()
	lease, err := s.device.Acquire(ctx, UseTuning)
	if err != nil {
		return err
	}
	defer lease.Release()
	ctx, unbind := lease.bind(ctx)
	defer unbind()
	return f(ctx, w)
}

// compareSides measures one case of each side: the one that shows the parameter or axis along, if it is not empty. The caller
// holds the device.
func (s *Session) compareSides(ctx context.Context, w *workloads.Workload, p ABPlan, along string, tell func(*ABResult)) (*ABResult, error) {
	err := p.Check()
	for _, side := range []*ABSide{&p.A, &p.B} {
		if err == nil {
			side.Params, err = w.One(side.Params, along, side.Variant != "")
		}
	}
	if err != nil {
		return nil, err
	}
	if p.Seed == 0 {
		p.Seed = 1
	}
	r := newABResult(p)
	r.differ = !w.SameCase(p.A.Params, p.B.Params)
	open := undecided
	if along != "" {
		open = unbounded
	}
	err = r.measure(ctx, s.abMeasurer(w, r), open, tell)
	r.conclude()
	if err == nil && p.Energy {
		err = r.measureEnergy(ctx, s.abJoules(w, p.Seed, s.oneWindow))
	}
	return r, err
}

// abMeasurer measures a side, in this process or with another build.
func (s *Session) abMeasurer(w *workloads.Workload, r *ABResult) abMeasurer {
	return func(ctx context.Context, side *ABSide) (ABTake, error) {
		at := 0
		if side == &r.Plan.B {
			at = 1
		}
		if side.Program != "" {
			take, engine, err := measureBuild(ctx, w, side, &r.Plan)
			if err != nil {
				return take, err
			}
			r.Engine[at] = engine
			return take, r.checkBuild(&take)
		}
		point := Tuned{Workload: w.Name, Case: side.Params, Seed: r.Plan.Seed}
		asked := time.Now().Add(cmp.Or(r.Plan.Take, tuneBudget) - tuneBudget) // when its time starts to count
		if err := s.measurePoint(ctx, asked, side.Engine, &point); err != nil {
			return ABTake{}, err
		}
		result, err := chosenResult(point.Results, side.Variant, point.Headline())
		if err != nil {
			return ABTake{}, err
		}
		r.Engine[at] = abEngine(&point.Engine, s.config.Version)
		take := takeOf(result)
		if point.Engine.GPU {
			newest := s.snapshot()
			take.Clock, _ = newest.Value(monitor.GPUClock)
		}
		return take, nil
	}
}

// abEngine names what measured a side: engine, device, threads and build. A ratio of engines means nothing without it.
func abEngine(i *gpu.Info, version string) string {
	text := fmt.Sprintf("%s on %s", i.Engine, i.Device)
	if !i.GPU && i.Cores > 0 {
		text += fmt.Sprintf(", %d threads, Assay %s", i.Cores, version)
	}
	return text
}

// chosenResult returns the result of a variant or, without a name, the main result.
func chosenResult(results []workloads.Result, variant string, main *workloads.Result) (*workloads.Result, error) {
	var names []string
	for i := range results {
		if r := &results[i]; r.Variant == variant {
			main = r
		}
		names = append(names, results[i].Variant)
	}
	switch {
	case main == nil:
		return nil, errors.New("no result")
	case variant != "" && main.Variant != variant:
		return nil, fmt.Errorf("no variant %q: this case has %s", variant, strings.Join(names, ", "))
	case main.Status != workloads.OK:
		why := main.WithoutTime()
		return nil, fmt.Errorf("%s, %s: %s%s", main.Case, main.Variant, strings.ToLower(why[:1]), why[1:])
	}
	return main, nil
}

func takeOf(r *workloads.Result) ABTake {
	take := ABTake{Seconds: r.Time().Median, Case: r.Case, Variant: r.Variant}
	if ops := r.Number(workloads.Ops); ops > 0 {
		take.Work = ops
	}
	take.Disturbed, _ = r.Disturbed()
	return take
}

// CompareBy compares two sides with a function that measures one of them once. tell is called after each round, with a copy.
func CompareBy(ctx context.Context, p ABPlan, once func(context.Context, *ABSide) (ABTake, error), tell func(*ABResult)) (*ABResult, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	r := newABResult(p)
	err := r.measure(ctx, once, undecided, tell)
	r.conclude()
	return r, err
}

func newABResult(p ABPlan) *ABResult {
	return &ABResult{Plan: p, Wanted: p.Rounds, Speedup: stats.Median(nil), Verdict: stats.Unsure, Clocks: stats.Unknown()}
}

// maxExtension bounds the rounds of an undecided comparison, as a multiple of those planned. Each extension is another chance to
// be wrong; TestMoreRounds shows what that costs.
const maxExtension = 3

// extend adds half of the planned rounds to those wanted. It reports whether it could.
func (r *ABResult) extend() bool {
	limit := maxExtension * r.Plan.Rounds
	if r.Wanted >= limit {
		return false
	}
	r.Wanted = min(r.Wanted+(r.Plan.Rounds+1)/2, limit)
	return true
}

// measure takes rounds until as many as wanted count, or as many as planned were disturbed. It extends them while open
// reports that the comparison is undecided.
func (r *ABResult) measure(ctx context.Context, once abMeasurer, open func(*ABResult) bool, tell func(*ABResult)) error {
	p := &r.Plan
	for round := 1; r.Rounds < r.Wanted && r.Aside < p.Rounds; round++ {
		disturbed := false
		for _, name := range []string{"A", "B", "B", "A"} {
			side := &p.A
			if name == "B" {
				side = &p.B
			}
			take, err := once(ctx, side)
			if err != nil {
				r.Canceled = ctx.Err() != nil
				return fmt.Errorf("measure %s: %w", name, err)
			}
			take.Round, take.Side = round, name
			r.Takes = append(r.Takes, take)
			disturbed = disturbed || take.Disturbed != ""
		}
		if disturbed {
			r.Aside++
		} else {
			r.Rounds++
		}
		r.conclude()
		if r.Rounds == r.Wanted && open(r) {
			r.extend()
		}
		if tell != nil {
			now := *r
			now.Takes = slices.Clone(r.Takes)
			tell(&now)
		}
	}
	return nil
}

// undecided reports whether a comparison has no verdict.
func undecided(r *ABResult) bool { return r.Verdict == stats.Unsure }

// unbounded reports whether the rounds are too few for an interval. If two sides are alike, more rounds would decide nothing.
func unbounded(r *ABResult) bool { return !r.Speedup.Bounded() }

// conclude judges the complete rounds. If too few are undisturbed, all count toward the figures, and there is no verdict.
func (r *ABResult) conclude() {
	r.PerOp = r.differ && !slices.ContainsFunc(r.Takes, func(t ABTake) bool { return !(t.Work > 0) })
	a, b, clocks := r.costs(false)
	if len(a) == 0 {
		a, b, clocks = r.costs(true)
	}
	r.Speedup = stats.Speedup(a, b)
	r.Clocks = rangeOf(clocks)
	r.Verdict = stats.Unsure
	if r.Rounds >= MinABRounds {
		r.Verdict = stats.Rule{Floor: r.Plan.Matters, Matters: r.Plan.Matters}.Judge(r.Speedup.Interval)
	}
}

// ABPair is one measurement of each side, one after the other.
type ABPair struct {
	Round     int
	A, B      float64 // seconds; per operation if compared that way
	Disturbed bool    // its round was disturbed
}

// Pairs returns the pairs of complete rounds, two per round.
func (r *ABResult) Pairs() (all []ABPair) {
	for i := 0; i+4 <= len(r.Takes); i += 4 {
		t := r.Takes[i : i+4]
		busy := slices.ContainsFunc(t, func(take ABTake) bool { return take.Disturbed != "" })
		all = append(all,
			ABPair{t[0].Round, t[0].cost(r.PerOp), t[1].cost(r.PerOp), busy},
			ABPair{t[0].Round, t[3].cost(r.PerOp), t[2].cost(r.PerOp), busy})
	}
	return all
}

// costs returns the costs of both sides in complete rounds, and the ratio of their clocks in each.
func (r *ABResult) costs(disturbed bool) (a, b, clocks []float64) {
	for i, p := range r.Pairs() {
		if p.Disturbed && !disturbed {
			continue
		}
		a, b = append(a, p.A), append(b, p.B)
		if i%2 == 1 {
			t := r.Takes[2*i-2 : 2*i+2]
			if was, is := t[0].Clock+t[3].Clock, t[1].Clock+t[2].Clock; was > 0 && is > 0 {
				clocks = append(clocks, is/was)
			}
		}
	}
	return a, b, clocks
}

// rangeOf returns the median of values, with their minimum and maximum.
func rangeOf(values []float64) stats.Interval {
	if len(values) == 0 {
		return stats.Unknown()
	}
	i := stats.Interval{Median: stats.Median(values).Median, Lo: math.Inf(1), Hi: math.Inf(-1)}
	for _, v := range values {
		i.Lo, i.Hi = min(i.Lo, v), max(i.Hi, v)
	}
	return i
}
