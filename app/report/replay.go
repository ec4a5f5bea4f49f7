package report

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/internal/severity"
)

// Replay is the data for charts of a run over time. All times are seconds since the start.
type Replay struct {
	Run   *bundle.Run // its Snapshots are thinned to Every
	Jobs  []Span
	Cases []Span
	// Phases are what was done within the cases and between them.
	Phases []Phase
	Marks  []Mark
	Every  int     // one of this many ticks of the monitor is kept; 1: all
	End    float64 // of the last record
}

// Span is an interval of a run. A job has no Case.
type Span struct {
	Workload, Case string
	From, To       float64
	// Guessed is true if the end was not recorded: then it is the beginning of the next span, or the end of the run.
	Guessed bool
}

// Mark is an event of a run: an alert, a leak, a finding, an error.
type Mark struct {
	At          float64
	Kind        bundle.Kind
	Severity    severity.Level
	Title, Text string
}

// NewReplay is the replay of a run in memory.
func NewReplay(r *bundle.Run) *Replay {
	p := &Replay{Run: r, Every: 1}
	p.End = p.lastMoment()
	p.Cases = p.cases()
	p.Jobs = p.jobs()
	p.Phases = p.phases()
	p.Marks = p.marks()
	return p
}

// LoadReplay reads a bundle for its replay. Unlike bundle.Load it keeps at most a few thousand snapshots of a long run;
// see Every. It ends early with ctx.
func LoadReplay(ctx context.Context, dir string) (*Replay, error) {
	r, every, err := bundle.LoadThinned(ctx, dir)
	if err != nil {
		return nil, err
	}
	p := NewReplay(r)
	p.Every = every
	return p, nil
}

func (p *Replay) at(t time.Time) float64 { return t.Sub(p.Run.Meta.Started).Seconds() }

// lastMoment returns the end of the run or, without one, the time of its last record.
func (p *Replay) lastMoment() float64 {
	r := p.Run
	if !r.Meta.Finished.IsZero() {
		return max(0, p.at(r.Meta.Finished))
	}
	last := 0.0
	for i := range r.Results {
		last = max(last, p.at(r.Results[i].Started))
	}
	for i := range r.Events {
		last = max(last, p.at(r.Events[i].Time))
	}
	if n := len(r.Snapshots); n > 0 {
		last = max(last, p.at(r.Snapshots[n-1].Time))
	}
	return last
}

// cases are in the order of measurement. Results of one case begin at the same moment.
func (p *Replay) cases() []Span {
	var out []Span
	for i := range p.Run.Results {
		r := &p.Run.Results[i]
		s := Span{Workload: r.Workload, Case: r.Case, From: p.at(r.Started), To: math.NaN()}
		if !r.Started.IsZero() && !slices.ContainsFunc(out[max(0, len(out)-1):], s.same) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	p.end(out)
	return out
}

func (s *Span) same(o Span) bool {
	return s.Workload == o.Workload && s.Case == o.Case && s.From == o.From
}

// overlap is how many seconds after the beginning of the next case a case may end: the window of a series is verified while the
// next one already counts.
const overlap = 2

// end finds the cases' ends: from their events, else from the beginning of the next case.
func (p *Replay) end(cases []Span) {
	next := 0 // next event to look at
	for i := range cases {
		c := &cases[i]
		limit := p.End
		if i+1 < len(cases) {
			limit = cases[i+1].From
		}
		c.To, c.Guessed = max(c.From, limit), true
		for k := next; k < len(p.Run.Events) && p.at(p.Run.Events[k].Time) <= limit+overlap; k++ {
			e := &p.Run.Events[k]
			if e.Kind == bundle.CaseOver && e.Case == c.Case && e.Workload == c.Workload && p.at(e.Time) >= c.From {
				c.To, c.Guessed = max(c.From, min(p.at(e.Time), limit)), false
			}
			if p.at(e.Time) <= limit {
				next = k + 1
			}
		}
	}
}

// jobs span the cases of each workload in turn. A run of one job without results, such as a control, is that
// job from start to end; in other runs nothing is known of a job without results.
func (p *Replay) jobs() []Span {
	var out []Span
	for _, c := range p.Cases {
		if n := len(out); n > 0 && out[n-1].Workload == c.Workload {
			out[n-1].To, out[n-1].Guessed = c.To, c.Guessed
			continue
		}
		c.Case = ""
		out = append(out, c)
	}
	jobs := p.Run.Meta.Jobs
	if len(out) == 0 && len(jobs) == 1 {
		out = append(out, Span{Workload: jobs[0].Workload, To: p.End, Guessed: true})
	}
	return out
}

// marks are the events that a chart shows.
func (p *Replay) marks() []Mark {
	var out []Mark
	for _, e := range p.Run.Happenings() {
		out = append(out, Mark{At: p.at(e.Time), Kind: e.Kind, Severity: e.Severity, Title: e.Title, Text: e.Text})
	}
	return out
}
