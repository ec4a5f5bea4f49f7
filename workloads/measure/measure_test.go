package measure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/stats"
)

// clock is a clock that only scripted work moves.
type clock struct{ now time.Time }

func (c *clock) advance(seconds float64) {
	c.now = c.now.Add(time.Duration(seconds * float64(time.Second)))
}

// script is a subject whose times are scripted. All subjects of a stage share its clock and its log.
type script struct {
	name  string
	base  string                 // what it is compared with
	time  func(call int) float64 // seconds per repetition, call counts from 0
	fail  func(call int) error   // nil: never
	check func(call int) (Check, error)
	other func(call int) float64 // seconds that the device works for others before a sample completes; nil: none

	runs, checks int
	reps         []int // of each run
}

type stage struct {
	clock           clock
	log             []string // names of the subjects run, in order
	flight, deepest int      // samples in flight, and their maximum
}

func steady(seconds float64) func(int) float64 { return func(int) float64 { return seconds } }

func right(int) (Check, error) {
	return Check{OK: true, Checked: 4, Outputs: 4, MaxError: 0.5, MaxRel: 0.25}, nil
}

func (st *stage) subject(s *script) Subject {
	if s.check == nil {
		s.check = right
	}
	return Subject{
		Name: s.name, Against: s.base,
		Start: func(ctx context.Context, reps int) (Pending, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			call := s.runs
			s.runs++
			s.reps = append(s.reps, reps)
			st.log = append(st.log, s.name)
			st.flight++
			st.deepest = max(st.deepest, st.flight)
			return func() (float64, error) {
				st.flight--
				if s.fail != nil {
					if err := s.fail(call); err != nil {
						return 0, err
					}
				}
				t := s.time(call)
				st.clock.advance(t * float64(reps))
				if s.other != nil {
					st.clock.advance(s.other(call))
				}
				return t, nil
			}, nil
		},
		Check: func(context.Context) (Check, error) {
			s.checks++
			return s.check(s.checks - 1)
		},
	}
}

// run measures the scripts; SampleTime is so short that one repetition suffices unless o says otherwise.
func (st *stage) run(t *testing.T, o Options, scripts ...*script) []Result {
	t.Helper()
	results, err := st.measure(t.Context(), o, nil, scripts...)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func (st *stage) measure(ctx context.Context, o Options, report func(Progress), scripts ...*script) ([]Result, error) {
	if o.SampleTime == 0 {
		o.SampleTime = time.Nanosecond
	}
	o.Now = func() time.Time { return st.clock.now }
	var subjects []Subject
	for _, s := range scripts {
		subjects = append(subjects, st.subject(s))
	}
	return Case(ctx, subjects, o, report)
}

// noisy draws times around seconds, uniform within ± part of it.
func noisy(seconds, part float64, seed uint64) func(int) float64 {
	r := rand.New(rand.NewPCG(seed, 0))
	return func(int) float64 { return seconds * (1 + part*(2*r.Float64()-1)) }
}

// texts returns the texts of warnings.
func texts(ws []Warning) string {
	var all []string
	for _, w := range ws {
		all = append(all, w.Text)
	}
	return strings.Join(all, "; ")
}

func TestDefaults(t *testing.T) {
	o := Options{}.WithDefaults()
	if o.MinSamples != 100 || o.LateSamples != 10 || o.MinTime != 300*time.Millisecond || o.MaxSamples != 1000 ||
		o.Precision != 0.01 || o.Budget != 5*time.Second || o.SampleTime != 5*time.Millisecond || o.Now == nil {
		t.Errorf("defaults are %+v", o)
	}
	if o := (Options{Budget: 300 * time.Millisecond}).WithDefaults(); o.SampleTime != time.Millisecond {
		t.Errorf("a short budget has samples of %v", o.SampleTime)
	}
	if o := (Options{MinSamples: 50, MaxSamples: 20}).WithDefaults(); o.MaxSamples != 50 {
		t.Errorf("at most %d samples where at least 50 are wanted", o.MaxSamples)
	}
}

func TestVariantsAreInterleaved(t *testing.T) {
	var st stage
	a, b, c := &script{name: "a", time: steady(0.1)}, &script{name: "b", time: steady(0.2)}, &script{name: "c", time: steady(0.3)}
	results := st.run(t, Options{MinSamples: 30, Budget: time.Hour}, a, b, c)
	sampled := st.log[len(st.log)-3*30:]
	want := strings.Repeat("abccbabcaacbcabbac", 5)
	if got := strings.Join(sampled, ""); got != want {
		t.Errorf("samples were taken in the order %s, want %s", got, want)
	}
	for i, name := range []string{"a", "b", "c"} {
		if r := results[i]; r.Name != name || len(r.Samples) != 30 || !r.OK() || r.Stop != StopPrecision {
			t.Errorf("result %d is %+v", i, r)
		}
	}
}

func TestStopReasons(t *testing.T) {
	for _, tc := range []struct {
		name    string
		time    func(int) float64
		options Options
		stop    Stop
		samples int // 0: any number
		warning string
	}{
		{"no noise", steady(0.01), Options{MinSamples: 40, Budget: time.Hour}, StopPrecision, 40, ""},
		{"no noise, as long as must be", steady(0.001), Options{MinSamples: 40, Budget: time.Hour}, StopPrecision, 306, ""},
		{"noise", noisy(0.01, 0.1, 1), Options{Precision: 0.02, Budget: time.Hour}, StopPrecision, 0, ""},
		{"limit", noisy(0.01, 0.5, 1), Options{MinSamples: 20, MaxSamples: 20, Budget: time.Hour}, StopSamples, 20, " % (target ± 0.5 %)"},
		{"budget", noisy(0.01, 0.5, 1), Options{Budget: time.Second}, StopBudget, 0, " % (target ± 0.5 %)"},
		{"slower than the budget", noisy(3, 0.5, 1), Options{Budget: time.Second}, StopBudget, 10, "did not stabilize"},
	} {
		var st stage
		o := tc.options.WithDefaults()
		s := &script{name: tc.name, time: tc.time}
		r := st.run(t, tc.options, s)[0]
		if r.Stop != tc.stop || len(r.Samples) < min(o.MinSamples, o.LateSamples) || tc.samples > 0 && len(r.Samples) != tc.samples {
			t.Errorf("%s: %q after %d samples, want %q after %d", tc.name, r.Stop, len(r.Samples), tc.stop, tc.samples)
		}
		if tc.stop == StopPrecision && r.Time.Width() > o.Precision {
			t.Errorf("%s: interval %+v is wider than %g", tc.name, r.Time, o.Precision)
		}
		if warned := texts(r.Warnings); !strings.Contains(warned, tc.warning) || tc.warning == "" && warned != "" {
			t.Errorf("%s: warnings %q, want %q", tc.name, warned, tc.warning)
		}
		if spent := st.clock.now.Sub(time.Time{}); tc.name == "budget" && spent > o.Budget+100*time.Millisecond {
			t.Errorf("%s: took %v of %v", tc.name, spent, o.Budget)
		}
	}
}

func TestWarmUpWaitsUntilStable(t *testing.T) {
	var st stage
	falling := &script{name: "cold", time: func(call int) float64 { return 0.001 * (1 + 4*math.Pow(0.8, float64(call))) }}
	r := st.run(t, Options{Budget: time.Hour}, falling)[0]
	if r.Warmups <= 2*warmWindow || r.Warmups > 60 {
		t.Errorf("%d warm-ups", r.Warmups)
	}
	if first := r.Samples[0]; first > 0.00105 {
		t.Errorf("the first sample is %g s, the steady state is 0.001 s", first)
	}
	if hot := (&stage{}).run(t, Options{}, &script{name: "hot", time: steady(0.001)})[0]; hot.Warmups != 2*warmWindow {
		t.Errorf("%d warm-ups of steady work, want %d", hot.Warmups, 2*warmWindow)
	}
}

func TestWarmUpEndsWithItsShare(t *testing.T) {
	var st stage
	doubling := func(call int) float64 { return 0.001 * float64(1+call) }
	a, b := &script{name: "a", time: doubling}, &script{name: "b", time: doubling}
	results := st.run(t, Options{Budget: 2 * time.Second, MinSamples: 10, MaxSamples: 10}, a, b)
	for _, r := range results {
		if !slices.Contains(r.Warnings, Warning{Unsettled, "warm-up did not stabilize in time"}) || r.Warmups < 2 {
			t.Errorf("%s: %d warm-ups, warnings %q", r.Name, r.Warmups, r.Warnings)
		}
	}
}

func TestShortWorkIsRepeated(t *testing.T) {
	var st stage
	short, long := &script{name: "short", time: steady(1e-6)}, &script{name: "long", time: steady(0.01)}
	limited := st.subject(&script{name: "limited", time: steady(1e-6)})
	limited.MaxReps = 50
	results, err := Case(t.Context(), []Subject{st.subject(short), st.subject(long), limited},
		Options{SampleTime: time.Millisecond, Now: func() time.Time { return st.clock.now }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0].Reps; got < 1000 || got > 3000 {
		t.Errorf("work of 1 µs is repeated %d times for a sample of 1 ms", got)
	}
	if got := results[0].Time.Median; got != 1e-6 {
		t.Errorf("%g s a repetition, want 1e-6 s", got)
	}
	if results[1].Reps != 1 || results[2].Reps != 50 {
		t.Errorf("long work is repeated %d times, want 1; work limited to 50 %d times", results[1].Reps, results[2].Reps)
	}
	if last := short.reps[len(short.reps)-1]; last != results[0].Reps {
		t.Errorf("sampled with %d repetitions, reported %d", last, results[0].Reps)
	}
}

// Work of about the same duration is repeated equally often, so that the extra cost of first repetitions has the same weight; a limit
// still holds.
func TestSimilarWorkIsRepeatedAsOften(t *testing.T) {
	var st stage
	var subjects []Subject
	for i, seconds := range []float64{10e-6, 13e-6, 11e-6, 25e-6, 11e-6} {
		s := st.subject(&script{name: fmt.Sprint(i), time: steady(seconds)})
		if i == 4 {
			s.MaxReps = 95
		}
		subjects = append(subjects, s)
	}
	results, err := Case(t.Context(), subjects, Options{SampleTime: time.Millisecond, Now: func() time.Time { return st.clock.now }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	most := results[0].Reps
	for i, want := range []int{most, most, most, results[3].Reps, 95} {
		if got := results[i].Reps; got != want {
			t.Errorf("subject %d is repeated %d times, want %d", i, got, want)
		}
	}
	if most < 100 || most > 110 || results[3].Reps < 40 || results[3].Reps > 45 {
		t.Errorf("repeated %d and %d times", most, results[3].Reps)
	}
}

// Slow first samples must not make the samples of one variant shorter than those of another: submission overhead would affect them
// unequally.
func TestColdStartDoesNotBiasTheRatio(t *testing.T) {
	const work, overhead, cold = 50e-6, 40e-6, 1.5e-3
	for slow := range 6 { // how many first samples of one variant are slow
		var now time.Time
		subject := func(slow int) Subject {
			runs := 0
			return Subject{
				Start: func(_ context.Context, reps int) (Pending, error) {
					elapsed := overhead + work*float64(reps)
					if runs++; runs <= slow {
						elapsed += cold
					}
					return func() (float64, error) {
						now = now.Add(time.Duration(elapsed * 1e9))
						return elapsed / float64(reps), nil
					}, nil
				},
				Check: func(context.Context) (Check, error) { return right(0) },
			}
		}
		results, err := Case(t.Context(), []Subject{subject(slow), subject(0)}, Options{SampleTime: time.Millisecond, Now: func() time.Time { return now }}, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, b := &results[0], &results[1]
		if ratio := stats.Speedup(a.Samples, b.Samples).Median; math.Abs(ratio-1) > 0.005 {
			t.Errorf("%d slow samples: equal work has a ratio of %.3f, repeated %d and %d times", slow, ratio, a.Reps, b.Reps)
		}
		if length := a.Time.Median * float64(a.Reps); length < 0.95e-3 || length > 1.2e-3 {
			t.Errorf("%d slow samples: a sample lasts %g s, want about 1 ms", slow, length)
		}
	}
}

func TestOutliersAreCountedAndKept(t *testing.T) {
	var st stage
	spikes := func(call int) float64 {
		if call > 9 && call%7 == 0 { // one sample in seven
			return 0.1
		}
		return 0.001 + 1e-7*float64(call%5)
	}
	r := st.run(t, Options{MinSamples: 70, MaxSamples: 70, Budget: time.Hour}, &script{name: "a", time: spikes})[0]
	spiky := 0
	for _, s := range r.Samples {
		if s == 0.1 {
			spiky++
		}
	}
	if spiky == 0 || r.Outliers != spiky {
		t.Errorf("%d outliers counted, %d in the samples", r.Outliers, spiky)
	}
	if r.Time.Median > 0.0011 {
		t.Errorf("the median %g s follows the outliers", r.Time.Median)
	}
	if !strings.Contains(texts(r.Warnings), fmt.Sprintf("%d of 70 samples are far outliers", spiky)) {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestCancelEndsEveryPhase(t *testing.T) {
	for _, phase := range []Phase{Verifying, WarmingUp, Sampling} {
		var st stage
		ctx, cancel := context.WithCancel(t.Context())
		after := -1
		s := &script{name: "a", time: steady(0.001)}
		_, err := st.measure(ctx, Options{}, func(p Progress) {
			if p.Phase == phase && after < 0 {
				cancel()
				after = s.runs
			}
		}, s)
		if !errors.Is(err, context.Canceled) || after < 0 {
			t.Errorf("%s: error %v", phase, err)
		}
		if s.runs != after || st.flight != 0 {
			t.Errorf("%s: %d runs after the end, %d still in flight", phase, s.runs-after, st.flight)
		}
		cancel()
	}
	t.Run("second verification", func(t *testing.T) {
		var st stage
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s := &script{name: "a", time: steady(0.001), check: func(call int) (Check, error) {
			if call == 1 {
				cancel()
			}
			return right(call)
		}}
		if _, err := st.measure(ctx, Options{}, nil, s); !errors.Is(err, context.Canceled) || s.checks != 2 {
			t.Errorf("error %v after %d checks", err, s.checks)
		}
	})
}

func TestProgressCounts(t *testing.T) {
	var st stage
	var phases []Phase
	last := Progress{}
	_, err := st.measure(t.Context(), Options{Budget: 4 * time.Second}, func(p Progress) {
		if len(phases) == 0 || phases[len(phases)-1] != p.Phase {
			phases = append(phases, p.Phase)
		}
		if p.Spent < last.Spent || p.Budget != 4*time.Second || p.Estimate < 0 || p.Estimate > p.Budget {
			t.Errorf("progress %+v after %+v", p, last)
		}
		last = p
	}, &script{name: "a", time: noisy(0.02, 0.2, 5)})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Phase{Verifying, Calibrating, WarmingUp, Sampling, Rechecking}; !slices.Equal(phases, want) {
		t.Errorf("phases %v, want %v", phases, want)
	}
	if last.Samples < 10 || !(last.Width > 0) {
		t.Errorf("last progress %+v", last)
	}
}

// Work on the host or on several queues overlaps nothing, while other work keeps the device busy.
func TestWorkThatRunsAlone(t *testing.T) {
	st := &stage{}
	plain, lone := st.subject(&script{name: "plain", time: steady(1e-3)}), st.subject(&script{name: "alone", time: steady(1e-3)})
	lone.Alone = true
	start := lone.Start
	overlapping := 0
	lone.Start = func(ctx context.Context, reps int) (Pending, error) {
		overlapping += st.flight
		wait, err := start(ctx, reps)
		return func() (float64, error) {
			overlapping += st.flight - 1
			return wait()
		}, err
	}
	o := Options{SampleTime: time.Nanosecond, Now: func() time.Time { return st.clock.now }}
	res, err := Case(t.Context(), []Subject{plain, lone}, o, nil)
	if err != nil || !res[0].OK() || !res[1].OK() || len(res[1].Samples) < 100 {
		t.Fatalf("%+v, error %v", res, err)
	}
	if overlapping > 0 || st.deepest != 2 {
		t.Errorf("overlapping %d times, at most %d in flight; want none, and 2 of the other", overlapping, st.deepest)
	}
}
