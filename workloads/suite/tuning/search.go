package tuning

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"assay/gpu"
	"assay/internal/stats"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// Variants other than the candidates.
const (
	anchor = "default"
	twin   = "default again"
)

// Shares of a search's time: the confirmation takes the most samples.
const (
	confirming = 0.35
	// leaders is how many of each round the chart follows.
	leaders = 4
	maxSets = 64
)

// search is one search.
type search struct {
	bench      *bench.Bench
	v          workloads.Values
	op         operation
	params     any
	constants  shaders.Constants // set by workloads, in addition to tunables
	byDefault  shaders.Kernel
	candidates []candidate
	lacking    []string // implementations that the engine does not have
	refused    int
	disturbed  bool // the confirmation
	fatal      error
	confirmed  string // ID of the result
}

// run searches for a kernel for one call.
func run(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	b.Tuned = nil // the anchor is the kernel without tuning
	s := search{bench: b, v: v, op: operationNamed(v.String("op"))}
	s.params, s.constants = s.op.params(v), s.op.constants(v)
	if err := s.enumerate(ctx); err != nil {
		return err
	}
	h := measure.Halving{Candidates: len(s.candidates), Measure: s.measure, Floor: b.Options.WithDefaults().Precision}
	e, err := h.Run(ctx)
	if fatal := errors.Join(s.fatal, ctx.Err()); err != nil && fatal != nil {
		return fatal
	}
	return s.conclude(&e) // even if the default has no time: its row says why
}

// enumerate finds the default and the other candidates.
func (s *search) enumerate(ctx context.Context) error {
	scope := s.bench.NewScope(ctx)
	defer scope.Release()
	var err error
	if s.byDefault, _, err = scope.Default(s.op.Name, typeOf(s.v), s.constants, s.params); err != nil {
		return err
	}
	list, lacking, refused := s.eligible(scope)
	s.candidates, s.refused = thinned(list, s.v.Int("candidates"), s.bench.Seed), refused
	s.lacking = lacking
	return nil
}

// name describes the call.
func (s *search) name() string {
	return fmt.Sprintf("%s %v, %s", s.op.Name, s.byDefault.Type, s.op.shape(s.v))
}

// measure measures a round as a case, within its share of the time, and the last round on other operands.
func (s *search) measure(ctx context.Context, r measure.Round) (measure.Scores, error) {
	options, seed := s.bench.Options, s.bench.Seed
	defer func() { s.bench.Options, s.bench.Seed = options, seed }()
	s.bench.Options = s.options(r)
	name := fmt.Sprintf("%s, round %d of %d", s.name(), r.Number, r.Of)
	if r.Confirms {
		s.bench.Seed++
		name = s.name() + ", confirmation"
	}
	before := len(s.bench.Results())
	c := bench.Case{
		Name: name,
		Settings: workloads.Point{
			{Name: "op", Value: s.op.Name},
			{Name: "dtype", Value: s.v.String("dtype")},
			{Name: "shape", Value: s.op.shape(s.v)},
			{Name: "operands", Value: s.v.String("operands")},
			{Name: "round", Value: r.Number},
		},
		Build: func(scope *bench.Scope) ([]bench.Variant, error) { return s.variants(scope, r) },
		Adjust: func(all []workloads.Result) {
			all[0].Values.SetNumber(workloads.Speedup, 1) // it is in the landscape too
			follow(all, r)
		},
	}
	if s.fatal = s.bench.MeasureAll(ctx, []bench.Case{c}); s.fatal != nil {
		return measure.Scores{}, s.fatal
	}
	return s.scores(s.bench.Results()[before:], r), nil
}

// options divides the time: all rounds get the same share, so fewer candidates get more each.
func (s *search) options(r measure.Round) measure.Options {
	o, all := s.bench.Options, s.v.Float("budget")
	variants := float64(len(r.Candidates) + 1)
	if r.Confirms {
		if r.Of > 1 {
			all *= confirming
		}
		o.Budget = seconds(2 * all / (variants + 1))
		return o
	}
	o.Energy = nil // only for what is kept
	o.Budget = seconds(2 * all * (1 - confirming) / float64(r.Of-1) / variants)
	o.MinSamples, o.LateSamples, o.MinTime, o.Precision = 10, 5, 10*time.Millisecond, 0.04
	return o
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// follow marks the fastest of a round for the chart of rounds.
func follow(all []workloads.Result, r measure.Round) {
	for range leaders {
		best := -1
		for i := range all {
			gain := all[i].Speedup().Median
			if all[i].Variant != anchor && all[i].Variant != twin && all[i].Setting("leading") == nil && (best < 0 && gain > 0 || best >= 0 && gain > all[best].Speedup().Median) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		all[best].Settings = append(all[best].Settings, workloads.Setting{Name: "leading", Value: r.Number})
	}
}

// variants are the default and the candidates of a round, on the same operands.
func (s *search) variants(scope *bench.Scope, r measure.Round) ([]bench.Variant, error) {
	operands, err := s.operands(scope)
	if err != nil {
		return nil, err
	}
	pick := shaders.Pick{Op: s.op.Name, Impl: s.byDefault.Impl.Name, Type: s.byDefault.Type}
	byDefault := func(name string) bench.Variant {
		return operands.variant(scope, bench.Variant{Name: name}, pick, s.byDefault.Constants())
	}
	first := byDefault(anchor)
	first.Settings = s.settings(&candidate{Impl: s.byDefault.Impl, tunables: s.tunablesOf(&s.byDefault)}, r)
	all := []bench.Variant{first}
	for _, i := range r.Candidates {
		c := &s.candidates[i]
		v := bench.Variant{Name: c.name(), Baseline: anchor, Settings: s.settings(c, r)}
		all = append(all, operands.variant(scope, v, shaders.Pick{Op: pick.Op, Impl: c.Name, Type: pick.Type}, c.with(s.constants)))
	}
	if r.Confirms {
		again := byDefault(twin)
		again.Baseline = anchor
		all = append(all, again)
	}
	return all, nil
}

// settings returns the implementation of a candidate and, in the first round, where all are measured, its place in the landscape.
func (s *search) settings(c *candidate, r measure.Round) []workloads.Setting {
	list := []workloads.Setting{{Name: "implementation", Value: c.Shown()}}
	if r.Number == 1 && !r.Confirms {
		list = append(list, c.place()...)
	}
	return list
}

// tunablesOf returns a kernel's values of its tunables; none if they have no effect.
func (s *search) tunablesOf(k *shaders.Kernel) shaders.Constants {
	all := shaders.Constants{}
	if s.bench.Engine.Info().Untuned {
		return all
	}
	call := k.Call(s.params)
	for _, t := range k.Impl.Tunables {
		all[t.Name] = call.Constants[t.Name]
	}
	return all
}

// scores returns a round's scores of its candidates; none if the default has no time.
func (s *search) scores(all []workloads.Result, r measure.Round) measure.Scores {
	if len(all) == 0 || all[0].Variant != anchor || all[0].Status != workloads.OK {
		return measure.Scores{}
	}
	scores := measure.Scores{Twin: stats.Unknown()}
	for i, c := range r.Candidates {
		score := measure.Score{Gain: all[i+1].Speedup()}
		if all[i+1].Status != workloads.OK {
			score.Err = errors.New(all[i+1].WithoutTime())
			s.candidates[c].err = score.Err
		}
		scores.Of = append(scores.Of, score)
	}
	if r.Confirms {
		s.confirmed = all[1].ID
		last := &all[len(all)-1]
		_, it := all[1].Disturbed()
		_, base := all[0].Disturbed()
		if s.disturbed = it || base; last.Status == workloads.OK && !s.disturbed {
			scores.Twin = last.Speedup()
		}
	}
	return scores
}

// operands are shared by all variants of a case, in as many sets as it cycles through.
type operands struct {
	search *search
	sets   [][]gpu.Buffer // by argument; nil for one that does not exist
	notes  []workloads.Warning
}

func (s *search) operands(scope *bench.Scope) (*operands, error) {
	k := &s.byDefault
	total := 0
	for i := range k.Args {
		if k.Uses(i) {
			total += k.Bytes(i, s.params)
		}
	}
	rotation := scope.Rotation(s.v.String("operands"), int64(total), maxSets)
	o := &operands{search: s, notes: rotation.Notes()}
	for range rotation.Sets {
		set := make([]gpu.Buffer, len(k.Args))
		for i, a := range k.Args {
			if !k.Uses(i) {
				continue
			}
			get := scope.Random
			if a.Access == shaders.Out {
				get = scope.Buffer
			}
			b, err := get(a.Type, k.Len(i, s.params), a.Name)
			if err != nil {
				return nil, err
			}
			set[i] = b
		}
		o.sets = append(o.sets, set)
	}
	return o, nil
}

// variant is a kernel on the operands. What it overwrites in place is a separate copy.
func (o *operands) variant(scope *bench.Scope, v bench.Variant, pick shaders.Pick, c shaders.Constants) bench.Variant {
	v.Notes, v.Items = o.notes, 1
	var sets [][]gpu.Launch
	for _, set := range o.sets {
		bound, err := o.own(scope, set)
		if err != nil {
			v.Err = err
			return v
		}
		l, err := scope.Dispatch(pick, c, o.search.params, bound...)
		if err != nil {
			v.Err = err
			return v
		}
		sets = append(sets, []gpu.Launch{l})
	}
	v.Work = scope.Launches(sets...)
	return v
}

func (o *operands) own(scope *bench.Scope, set []gpu.Buffer) ([]gpu.Buffer, error) {
	k, bound := &o.search.byDefault, make([]gpu.Buffer, len(set))
	for i, b := range set {
		bound[i] = b
		if b == nil || k.Args[i].Access != shaders.InOut {
			continue
		}
		t, n := k.Args[i].Type, k.Len(i, o.search.params)
		own, err := scope.Buffer(t, n, k.Args[i].Name)
		if err == nil {
			err = scope.FillFloats(own, t, n, scope.Floats(b, t))
		}
		if err != nil {
			return nil, err
		}
		bound[i] = own
	}
	return bound, nil
}

// conclude keeps and reports what was found.
func (s *search) conclude(e *measure.Elected) error {
	if math.IsInf(e.Noise, 0) {
		e.Noise = 0 // the default has no interval: noise is not known
	}
	tested := workloads.Tested{
		Subject: workloads.Subject{Name: s.name(), Baseline: s.byDefault.ID()}, Result: s.confirmed,
		Gain: e.Gain, Noise: e.Noise, Kept: e.Kept, Candidates: len(s.candidates), Refused: s.refused, Lacking: s.lacking,
		Disturbed: s.disturbed,
	}
	for i := range s.candidates {
		if err := s.candidates[i].err; err != nil {
			tested.Excluded = append(tested.Excluded, s.candidates[i].name()+": "+err.Error())
		}
	}
	found := workloads.Tuning{
		Op: s.op.Name, Type: s.byDefault.Type.String(), Constants: s.constants, Params: workloads.SpellParams(s.params), Default: s.byDefault.ID(),
		Gain: workloads.GainOf(e.Gain), Noise: e.Noise, Candidates: len(s.candidates), Excluded: len(tested.Excluded),
		Operands: s.v.String("operands"),
	}
	chosen := s.byDefault
	if e.Best >= 0 {
		tested.Subject.Way = s.candidates[e.Best].name()
	}
	if e.Kept {
		c := &s.candidates[e.Best]
		found.Impl, found.Tunables, chosen = c.Name, c.tunables, c.kernel(s.byDefault.Type, s.constants)
	}
	s.bench.Find(tested.Finding(s.bench.Results())...)
	known := len(s.candidates) == 0 || e.Noise > 0 // otherwise the result of an earlier search stays
	if s.bench.Keep == nil || !known || s.bench.Options.Short {
		return nil
	}
	return s.bench.Keep(found, &s.byDefault, &chosen)
}
