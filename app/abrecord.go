package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"assay/internal/stats"
	"assay/workloads"
)

// ABRecord is a comparison of two sides, or the bisection of a crossover, as it is kept and exported. It has either ABFigures or
// CrossFigures.
type ABRecord struct {
	ID       string     `json:"id"`
	Measured time.Time  `json:"measured_at"`
	Version  string     `json:"assay_version"`
	Workload string     `json:"workload"`
	Sentence string     `json:"sentence"` // what it shows
	Ended    string     `json:"ended_early,omitempty"`
	A        SideRecord `json:"a"`
	B        SideRecord `json:"b"`
	Wanted   int        `json:"rounds_wanted"`
	Matters  float64    `json:"matters"`
	Take     float64    `json:"take_s"`
	Seed     uint64     `json:"seed"`

	*ABFigures
	*CrossFigures
}

// SideRecord is a side of a comparison.
type SideRecord struct {
	Settings []string         `json:"settings"` // those that differ from the other side's
	What     string           `json:"what"`     // those settings, and what measured the side
	Measured string           `json:"measured_on,omitempty"`
	Engine   string           `json:"engine"` // as requested
	Variant  string           `json:"variant,omitempty"`
	Program  string           `json:"program,omitempty"`
	Values   workloads.Values `json:"values"`
}

// ABFigures is what a comparison measured. Unknown numbers are null.
type ABFigures struct {
	Verdict      stats.Verdict `json:"verdict"`
	Speedup      *float64      `json:"speedup"` // of B over A
	Lo           *float64      `json:"speedup_lo"`
	Hi           *float64      `json:"speedup_hi"`
	Rounds       int           `json:"rounds"`
	Aside        int           `json:"rounds_disturbed"`
	PerOp        bool          `json:"per_operation"`
	Differ       bool          `json:"cases_differ"`
	Clocks       *float64      `json:"clock_ratio"`
	Measurements []ABTake      `json:"measurements"`
	Energy       *EnergyRecord `json:"energy"` // null: not requested
}

// EnergyRecord is what a comparison measured about energy.
type EnergyRecord struct {
	Why          string        `json:"not_available,omitempty"`
	Sentence     string        `json:"sentence,omitempty"`
	Verdict      stats.Verdict `json:"verdict,omitempty"`
	PerOp        bool          `json:"per_operation"`
	A            *float64      `json:"a_j"`
	B            *float64      `json:"b_j"`
	Ratio        *float64      `json:"ratio"`
	Lo           *float64      `json:"ratio_lo"`
	Hi           *float64      `json:"ratio_hi"`
	Measurements []ABJoules    `json:"measurements"`
}

// CrossFigures is what a bisection measured.
type CrossFigures struct {
	Along  string        `json:"along"`
	From   int           `json:"from"`
	To     int           `json:"to"`
	Width  float64       `json:"width"`
	Found  bool          `json:"found"`
	Unsure bool          `json:"unsure"` // it is uncertain whether there is one
	At     *float64      `json:"at"`
	Least  int           `json:"lo"`
	Most   int           `json:"hi"`
	Why    string        `json:"why"`
	Places []PlaceRecord `json:"places"`
}

// PlaceRecord is what a comparison at one place shows.
type PlaceRecord struct {
	At      int           `json:"at"`
	Speedup *float64      `json:"speedup"`
	Lo      *float64      `json:"speedup_lo"`
	Hi      *float64      `json:"speedup_hi"`
	Verdict stats.Verdict `json:"verdict"`
	Rounds  int           `json:"rounds"`
	Aside   int           `json:"rounds_disturbed"`
}

// Record returns the comparison as it is kept. ended is why it ended early; nil: it did not.
func (r *ABResult) Record(at time.Time, version string, ended error) *ABRecord {
	rec := newRecord(&r.Plan, at, version, ended)
	rec.Sentence = r.Sentence()
	rec.A.on(r.Engine[0])
	rec.B.on(r.Engine[1])
	rec.ABFigures = &ABFigures{
		Verdict: r.Verdict, Speedup: finite(r.Speedup.Median), Lo: finite(r.Speedup.Lo), Hi: finite(r.Speedup.Hi), Rounds: r.Rounds, Aside: r.Aside, PerOp: r.PerOp,
		Differ: r.differ, Clocks: finite(r.Clocks.Median), Measurements: r.Takes,
	}
	if e := r.Energy; e != nil {
		rec.Energy = &EnergyRecord{Why: e.Why, Measurements: e.Takes}
		if e.Why == "" {
			rec.Energy = &EnergyRecord{
				Sentence: e.Sentence(), Verdict: e.Verdict, PerOp: e.PerOp, A: finite(e.A), B: finite(e.B),
				Ratio: finite(e.Ratio.Median), Lo: finite(e.Ratio.Lo), Hi: finite(e.Ratio.Hi), Measurements: e.Takes,
			}
		}
	}
	return rec
}

// Record returns the bisection as it is kept. ended is why it ended early; nil: it did not.
func (r *CrossResult) Record(at time.Time, version string, ended error) *ABRecord {
	p := &r.Plan
	rec := newRecord(&p.ABPlan, at, version, ended)
	rec.Sentence = r.Sentence()
	rec.CrossFigures = &CrossFigures{
		Along: p.Along, From: p.From, To: p.To, Width: p.Width, Found: r.Found, Unsure: r.Unsure(), At: finite(r.At), Least: r.Lo, Most: r.Hi, Why: r.Why, Places: []PlaceRecord{},
	}
	for i := range r.Points {
		c := &r.Points[i]
		rec.Places = append(rec.Places, PlaceRecord{
			At: c.At, Speedup: finite(c.Speedup.Median), Lo: finite(c.Speedup.Lo), Hi: finite(c.Speedup.Hi), Verdict: c.Verdict, Rounds: c.Rounds, Aside: c.Aside,
		})
	}
	return rec
}

func newRecord(p *ABPlan, at time.Time, version string, ended error) *ABRecord {
	rec := &ABRecord{
		Measured: at.Round(time.Second), Version: version, Workload: p.Workload, A: sideRecord(&p.A, &p.B), B: sideRecord(&p.B, &p.A),
		Wanted: p.Rounds, Matters: p.Matters, Take: p.Take.Seconds(), Seed: p.Seed,
	}
	if ended != nil {
		rec.Ended = ended.Error()
	}
	return rec
}

// sideRecord returns a side with the settings that differ from the other's.
func sideRecord(side, other *ABSide) SideRecord {
	rec := SideRecord{Settings: []string{}, Engine: side.Engine, Variant: side.Variant, Program: side.Program, Values: side.Params}
	add := func(name string, value, others any) {
		if fmt.Sprint(value) != fmt.Sprint(others) {
			rec.Settings = append(rec.Settings, fmt.Sprintf("%s=%v", name, value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(side.Params)) {
		add(name, side.Params[name], other.Params[name])
	}
	add("variant", side.Variant, other.Variant)
	add("engine", side.Engine, other.Engine)
	add("program", side.Program, other.Program)
	rec.on("")
	return rec
}

// on records what measured the side.
func (s *SideRecord) on(what string) {
	s.Measured = what
	s.What = strings.Join(slices.DeleteFunc(append(slices.Clone(s.Settings), what), func(t string) bool { return t == "" }), ", ")
}

// finite returns a number for JSON, which has no NaN and no infinity.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// interval reverses finite for an interval.
func interval(median, lo, hi *float64) stats.Interval {
	if median == nil {
		return stats.Unknown()
	}
	i := stats.Unbounded(*median)
	if lo != nil && hi != nil {
		i.Lo, i.Hi = *lo, *hi
	}
	return i
}

// plan returns the plan of a record, for display only: its settings may have different types than the original's.
func (r *ABRecord) plan() ABPlan {
	side := func(s *SideRecord) ABSide {
		return ABSide{Params: s.Values, Engine: s.Engine, Variant: s.Variant, Program: s.Program}
	}
	return ABPlan{Workload: r.Workload, A: side(&r.A), B: side(&r.B), Rounds: r.Wanted, Matters: r.Matters, Seed: r.Seed, Take: time.Duration(r.Take * float64(time.Second))}
}

// Shows states the result in a sentence, in today's wording.
func (r *ABRecord) Shows() string {
	if c := r.Crossover(); c != nil {
		return c.Sentence()
	}
	return r.Sentence
}

// Early returns why it ended early; nil: it did not.
func (r *ABRecord) Early() error {
	if r.Ended == "" {
		return nil
	}
	return errors.New(r.Ended)
}

// Stopped reports whether the user stopped it, rather than an error.
func (r *ABRecord) Stopped() bool { return strings.Contains(r.Ended, context.Canceled.Error()) }

// Comparison returns the comparison that was kept; nil: it is a bisection. It is judged again, from its measurements.
func (r *ABRecord) Comparison() *ABResult {
	f := r.ABFigures
	if f == nil {
		return nil
	}
	out := newABResult(r.plan())
	out.Takes, out.Rounds, out.Aside, out.differ, out.Engine = f.Measurements, f.Rounds, f.Aside, f.Differ, [2]string{r.A.Measured, r.B.Measured}
	for out.Wanted < out.Rounds && out.extend() {
	}
	out.Canceled = r.Stopped()
	out.conclude()
	if e := f.Energy; e != nil {
		out.Energy = &ABEnergy{Takes: e.Measurements, Why: e.Why, Ratio: stats.Unknown(), Verdict: stats.Unsure}
		if e.Why == "" && len(e.Measurements) > 0 {
			out.Energy.conclude(out.differ, out.Plan.Matters)
		}
	}
	return out
}

// Crossover returns the bisection that was kept; nil: it is a comparison.
func (r *ABRecord) Crossover() *CrossResult {
	f := r.CrossFigures
	if f == nil {
		return nil
	}
	out := &CrossResult{Plan: CrossPlan{ABPlan: r.plan(), Along: f.Along, From: f.From, To: f.To, Width: f.Width}, At: math.NaN(), Why: f.Why}
	for i := range f.Places {
		p := &f.Places[i]
		out.Points = append(out.Points, CrossPoint{At: p.At, Speedup: stats.Estimate{Interval: interval(p.Speedup, p.Lo, p.Hi)}, Verdict: p.Verdict, Rounds: p.Rounds, Aside: p.Aside})
	}
	if len(out.Points) > 0 {
		out.conclude()
	}
	return out
}

// check refuses records that no comparison can have left.
func (r *ABRecord) check() error {
	switch {
	case r.ID == "" || r.Workload == "":
		return errors.New("it has no ID or no workload")
	case (r.ABFigures == nil) == (r.CrossFigures == nil):
		return errors.New("it is neither a comparison nor a crossover")
	case r.ABFigures != nil && (len(r.Measurements) < 4 || r.ABFigures.Rounds < 0 || r.Wanted < 1):
		return errors.New("it has no whole round")
	case r.CrossFigures != nil && (len(r.Places) == 0 || r.From < 1 || r.To <= r.From):
		return errors.New("it has no place")
	}
	if r.ABFigures != nil {
		for i := range r.Measurements {
			if t := &r.Measurements[i]; !(t.Seconds > 0) || t.Side != "A" && t.Side != "B" {
				return fmt.Errorf("measurement %d has no time or no side", i+1)
			}
		}
	}
	return nil
}
