package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/workloads/measure"
)

// Phase is what was done within or for a case, in seconds since the start of the run.
type Phase struct {
	bundle.Phase          // except for From and To
	Workload, Case string // empty: of the whole run
	From, To       float64
	since          float64 // time of the event, which Flights are relative to
}

// phases are those recorded, in order; none in runs of older versions.
func (p *Replay) phases() []Phase {
	var out []Phase
	for i := range p.Run.Events {
		e := &p.Run.Events[i]
		if e.Kind != bundle.PhasesDone {
			continue
		}
		since := p.at(e.From)
		for _, ph := range e.Phases {
			out = append(out, Phase{ph, e.Workload, e.Case, since + ph.From, since + max(ph.From, ph.To), since})
		}
	}
	slices.SortStableFunc(out, func(a, b Phase) int { return cmp.Compare(a.From, b.From) })
	return out
}

// shownPhases is how many phases TimeSpent lists individually.
const shownPhases = 5

// TimeSpent says what the run spent its time on: "sampling 61 % (12.0 s), verifying 21 % (4.10 s)"; empty if not recorded.
func (p *Replay) TimeSpent() string {
	spent := map[measure.Phase]float64{}
	total := 0.0
	for i := range p.Phases {
		ph := &p.Phases[i]
		spent[ph.Name] += ph.To - ph.From
		total += ph.To - ph.From
	}
	if total <= 0 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(spent), func(a, b measure.Phase) int {
		return cmp.Or(cmp.Compare(spent[b], spent[a]), cmp.Compare(a, b))
	})
	all := max(total, p.End)
	words := make([]string, 0, len(names))
	rest := all
	for _, name := range names[:min(shownPhases, len(names))] {
		words = append(words, fmt.Sprintf("%s %s (%s)", name, si.Format(spent[name]/all, "ratio"), si.Time(spent[name])))
		rest -= spent[name]
	}
	if rest > all/1000 {
		words = append(words, fmt.Sprintf("other %s (%s)", si.Format(rest/all, "ratio"), si.Time(rest)))
	}
	return strings.Join(words, ", ")
}
