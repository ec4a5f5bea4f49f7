package view

import (
	"assay/internal/chart"
	"assay/internal/severity"
	"assay/monitor"
)

// noteStates records the states in a snapshot that have words. A state that is not reported ends.
func (r *Record) noteStates(s *monitor.Snapshot) {
	for metric, list := range r.states {
		if words, ok := Known(s, metric); !ok || list[len(list)-1].Label != words {
			list.End(s.Time)
		}
	}
	for i := range s.Readings {
		k := &s.Readings[i]
		if k.Status != monitor.OK || k.Text == "" {
			continue
		}
		if list := r.states[k.Metric]; !list.Open() {
			list.Append(Span{From: s.Time, Label: string(k.Text)})
			r.states[k.Metric] = list
		}
	}
}

// statesOf returns the first metric of a card that had a state with a word, and all its states.
func (r *Record) statesOf(c *liveCard) (name string, spans []Span) {
	for _, m := range c.states {
		if list := r.states[m.metric]; len(list) > 0 {
			return m.name, list
		}
	}
	return "", nil
}

// statesSince returns the states after a time that a card draws, and their metric.
func (r *Record) statesSince(c *liveCard, from float64) (name string, list []chart.State) {
	name, spans := r.statesOf(c)
	for _, s := range spans {
		if to := r.end(s); to > from {
			level, severity := rank(s.Label)
			list = append(list, chart.State{From: r.seconds(s.From), To: to, Label: s.Label, Level: level, Severity: severity})
		}
	}
	return name, list
}

// rank returns how bad a state is, from 0 to 1, and how it is marked. An unknown state is in the middle.
func rank(word string) (level float64, matters severity.Level) {
	state := monitor.State(word)
	rank, ok := state.Rank()
	if !ok {
		return 0.5, severity.Info
	}
	return float64(rank) / monitor.MaxRank, state.Severity()
}
