package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// State is whether a line of a checklist is ticked.
type State string

// States of a line.
const (
	Done         State = "done"
	NotDone      State = "not done"
	NotCertain   State = "not certain"   // it was measured, but the measurement decides nothing
	NotAvailable State = "not available" // it was not measured
)

// Job is something to measure: the quick settings of a workload, with some changes.
type Job struct {
	Workload string
	Params   workloads.Values
}

// Checklist is a list of lines that the figures of one run decide.
type Checklist struct {
	Name, Title, About string
	Jobs               []Job // of the run that decides all lines
	Items              []Item
}

// Item is a line of a checklist.
type Item struct {
	ID, Title string
	Asks      string // what the line asks for
	When      string // what must be seen for it to count as done
	tick      func(s *Subject) Tick
}

// Tick is the state of a line according to a run.
type Tick struct {
	State    State
	Why      string // what was seen, in a sentence; for an undecided line, why
	Evidence []Figure
}

// Ticked is a line with its state according to a run.
type Ticked struct {
	Item
	Tick
}

// Check ticks the lines according to a run.
func (c *Checklist) Check(s *Subject) []Ticked {
	out := make([]Ticked, len(c.Items))
	for i, item := range c.Items {
		out[i] = Ticked{item, item.tick(s)}
	}
	return out
}

// Tally counts lines by state: "3 of 8 lines done, 1 not done, 2 not certain, 2 not available".
func Tally(lines []Ticked) string {
	counts := map[State]int{}
	for _, l := range lines {
		counts[l.State]++
	}
	text := fmt.Sprintf("%d of %s done", counts[Done], si.Counted(len(lines), "line"))
	for _, state := range []State{NotDone, NotCertain, NotAvailable} {
		text += fmt.Sprintf(", %d %s", counts[state], state)
	}
	return text
}

// unavailable is a line without evidence.
func unavailable(why string, figures ...Figure) Tick {
	return Tick{NotAvailable, sentence(why), figures}
}

// uncertain is a line whose figures decide nothing.
func uncertain(why string, figures ...Figure) Tick {
	return Tick{NotCertain, sentence(why), figures}
}

// lacking is a line whose figures are missing.
func lacking(l lack) Tick {
	if l.disturbed {
		return uncertain(l.why)
	}
	return unavailable(l.why)
}

// decided is a line decided by a figure.
func decided(done bool, why string, figures ...Figure) Tick {
	state := NotDone
	if done {
		state = Done
	}
	return Tick{state, sentence(why), figures}
}

// confirms ticks a line if one way of a contrast was measured to be faster; where is an additional condition, unless it is nil.
func confirms(id string, where map[string]string) func(*Subject) Tick {
	return func(s *Subject) Tick {
		c := contrastNamed(id)
		if where != nil {
			c.where = where
		}
		r := c.reply(s)
		if r.lack.why != "" {
			return lacking(r.lack)
		}
		return decided(r.better > 0, c.says(&r), r.evidence()...)
	}
}

// onGPU ticks a line according to the engine.
func onGPU(s *Subject) Tick {
	m := &s.Run.Meta
	if len(s.Run.Results) == 0 {
		return unavailable("the run has no results")
	}
	e := words("Engine", m.Engine.Engine+" on "+m.Engine.Device, "run.json")
	if m.Engine.GPU {
		return decided(true, fmt.Sprintf("all %s were measured on the GPU", si.Counted(len(s.Run.Results), "result")), e)
	}
	return decided(false, fmt.Sprintf("all %s were measured on the CPU; why this engine: %s", si.Counted(len(s.Run.Results), "result"), m.EngineReason), e)
}

// kneeFound ticks a line according to the finding of a curve over the batch size.
func kneeFound(s *Subject) Tick {
	var open *Tick
	for i := range s.Run.Findings {
		f := &s.Run.Findings[i]
		if f.Facts.Axis.Name != "batch" {
			continue
		}
		e := Figure{What: "Finding", Value: stats.Unknown(), Text: f.Text, Source: "finding of " + f.Workload, Result: f.Result}
		switch f.Kind {
		case workloads.KindKnee, workloads.KindBest:
			e = Figure{What: "Batch of the knee", Value: stats.Exact(f.Facts.Place.At), Source: "finding of " + f.Workload, Result: f.Result}
			return decided(true, strings.TrimSuffix(f.Text, "."), e)
		case workloads.KindRising:
			return decided(false, strings.TrimSuffix(f.Text, "."), e)
		case workloads.KindNone:
			t := uncertain(strings.TrimSuffix(f.Text, "."), e)
			open = cmp.Or(open, &t)
		}
	}
	if open != nil {
		return *open
	}
	return lacking(s.lacksAlong("batch", "no curve over the batch was measured"))
}

// bestFrom ticks a line if the highest rate along an axis is at a value or above.
func bestFrom(axis string, from float64, noun string) func(*Subject) Tick {
	return func(s *Subject) Tick {
		var below, above *workloads.Result
		better := func(a, b *workloads.Result) bool {
			return b == nil || a.Number(workloads.ItemRate) > b.Number(workloads.ItemRate)
		}
		for _, curve := range s.curves(axis) {
			for _, r := range curve {
				if at, _ := workloads.Number(r.Setting(axis)); at < from && better(r, below) {
					below = r
				} else if at >= from && better(r, above) {
					above = r
				}
			}
		}
		if below == nil || above == nil {
			return lacking(s.lacksAlong(axis, fmt.Sprintf("no rates below and from %s %s up", si.Count(int(from)), noun)))
		}
		g := stats.Quotient(above.Get(workloads.ItemRate), below.Get(workloads.ItemRate))
		why := fmt.Sprintf("from %s %s up, an item is %s than with fewer", si.Count(int(from)), noun, si.Change(g.Median, g.Lo, g.Hi))
		if !g.Bounded() || g.Lo <= 1 && g.Hi >= 1 {
			return uncertain(fmt.Sprintf("the rate from %s %s up is %s that with fewer, which shows no difference", si.Count(int(from)), noun, si.Range(g.Median, g.Lo, g.Hi, "×")))
		}
		return decided(g.Lo > 1, why, ofResult("Rate below", below.Get(workloads.ItemRate), "1/s", below), ofResult("Rate from there on", above.Get(workloads.ItemRate), "1/s", above))
	}
}

// lack is the reason why there is no figure.
type lack struct {
	why       string // empty: there is one
	disturbed bool   // it was measured, but disturbed
}

// lacksAlong returns why there is no figure of results along an axis.
func (s *Subject) lacksAlong(axis, none string) lack {
	return s.lacks(func(r *workloads.Result) bool { return r.Setting(axis) != nil }, " along the "+axis, none)
}

// lacks returns why there is no figure of the wanted results: they were disturbed, or there are none. which names them.
func (s *Subject) lacks(wanted func(*workloads.Result) bool, which, none string) lack {
	n, bad, why := 0, 0, ""
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		if !wanted(r) {
			continue
		}
		n++
		if text, disturbed := r.Disturbed(); disturbed {
			bad, why = bad+1, strings.TrimPrefix(text, "disturbed: ")
		}
	}
	switch {
	case bad == 0:
		return lack{why: none}
	case n == 1:
		return lack{"the only result" + which + " was disturbed: " + why, true}
	case bad == n:
		return lack{fmt.Sprintf("all %s%s were disturbed: %s", si.Counted(n, "result"), which, why), true}
	}
	return lack{fmt.Sprintf("%d of %s%s were disturbed: %s", bad, si.Counted(n, "result"), which, why), true}
}

// inOrder ticks a line by how close memory-bound cases come to the peak and, without peaks, by the cost of bad access patterns.
func inOrder(s *Subject) Tick {
	var worst *workloads.Result
	n := 0
	for _, group := range s.cases("", "") {
		if r := fastest(group); r != nil && boundByMemory(r) {
			n++
			if worst == nil || r.Number(workloads.OfBandwidth) < worst.Number(workloads.OfBandwidth) {
				worst = r
			}
		}
	}
	if worst == nil {
		return confirms("strided", nil)(s)
	}
	share := worst.Number(workloads.OfBandwidth)
	e := ofResult("Of peak bandwidth, lowest", stats.Exact(share), "ratio", worst)
	e.Limit = "at least " + percent(wellUsed)
	return decided(share >= wellUsed, fmt.Sprintf("the slowest of %s bound by memory reaches %s of the measured peak", si.Counted(n, "case"), percent(share)), e)
}

// resident ticks a line by the cost of one use of data that stays where it was uploaded once.
func resident(s *Subject) Tick {
	var once, often *workloads.Result
	is := func(r *workloads.Result) bool { return r.Setting("reuse") != nil && r.Variant == "upload" }
	uses := func(r *workloads.Result) float64 { n, _ := workloads.Number(r.Setting("reuse")); return n }
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		if !is(r) || !fit(r) {
			continue
		}
		if uses(r) == 1 {
			once = r
		} else if often == nil || uses(r) > uses(often) {
			often = r
		}
	}
	if once == nil || often == nil {
		return lacking(s.lacks(is, " of data that is used once and reused", "no results of data that is used once and repeatedly"))
	}
	each := often.Time()
	each = stats.Interval{Median: each.Median / uses(often), Lo: each.Lo / uses(often), Hi: each.Hi / uses(often)}
	g := stats.Quotient(once.Time(), each)
	return decided(g.Lo >= matters, fmt.Sprintf("a use is %s when the data stays for %.0f uses than when it is uploaded for each", si.Change(g.Median, g.Lo, g.Hi), uses(often)),
		ofResult("Time of a use, uploaded for each", once.Time(), "s", once), ofResult("Time of a use, uploaded once", each, "s", often))
}

// pooledTraining ticks a line by the reuse that a pool reaches in training.
func pooledTraining(s *Subject) Tick {
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		rate := r.Number("reuse_rate")
		if has(r, map[string]string{"profile": "training", "way": "pooled"}) && !math.IsNaN(rate) {
			e := ofResult("Reuse in training", stats.Exact(rate), "ratio", r)
			e.Limit = "at least " + percent(minReuse)
			return decided(rate >= minReuse, percent(rate)+" of the buffers of a training step come from the pool", e)
		}
	}
	return unavailable("no reuse of a pool in training was measured")
}

// measured ticks a line by how many results have times that support conclusions.
func measured(s *Subject) Tick {
	n := 0
	for i := range s.Run.Results {
		if fit(&s.Run.Results[i]) {
			n++
		}
	}
	all := len(s.Run.Results)
	if all == 0 {
		return unavailable("the run has no results")
	}
	return decided(n == all, fmt.Sprintf("%d of %s are verified and undisturbed", n, si.Counted(all, "result")), number("Fit for conclusions", float64(n)/float64(all), "ratio", "", "results of the run"))
}

// minReadings is how many readings make up a profile.
const minReadings = 3

// profiled ticks a line if the machine was read while kernels ran.
func profiled(metrics ...string) func(*Subject) Tick {
	return func(s *Subject) Tick {
		var figures []Figure
		var have []string
		for _, metric := range metrics {
			list, source := s.values(metric, monitor.EngineBytes, 0)
			m, known := monitor.Lookup(metric)
			if len(list) < minReadings || !known {
				continue
			}
			have = append(have, lowered(m.Title))
			figures = append(figures, number("Highest, "+lowered(m.Title), slices.Max(list), m.Unit, "", monitored(source, len(list))))
		}
		if len(figures) == 0 {
			return unavailable(fmt.Sprintf("fewer than %d readings while kernels ran", minReadings))
		}
		return decided(true, "read while kernels ran: "+strings.Join(have, ", "), figures...)
	}
}

// released ticks a line by what a run left behind.
func released(s *Subject) Tick {
	if s.Run.Meta.Finished.IsZero() {
		return unavailable("the run did not end")
	}
	if l := s.Run.Leaks(); len(l) > 0 {
		return decided(false, si.Counted(len(l), "leak")+": "+strings.TrimSuffix(l[0].Text, "."), words("Leak", l[0].Text, "event of the run"))
	}
	live, source := s.values(monitor.EngineLive, "", 0)
	if len(live) == 0 {
		return decided(true, "no leak was found at the end", words("Leaks", "none", "the ledger of the run"))
	}
	return decided(true, "no leak was found at the end", words("Leaks", "none", "the ledger of the run"),
		number("Highest, live bytes", slices.Max(live), "B", "", monitored(source, len(live))))
}
