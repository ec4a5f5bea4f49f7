package report

import (
	"assay/app/advice"
	"assay/app/bundle"
	"assay/internal/plain"
	"assay/workloads"
)

// piece is a piece of advice for the template.
type piece struct {
	Title, Text, Do, Gain string
	Evidence              []fact
}

// adviceOf returns what the rules find in a run of workloads.
func adviceOf(r *bundle.Run, all []workloads.Workload) []piece {
	if r.Meta.Watch != nil {
		return nil
	}
	var out []piece
	for _, p := range advice.Advise(&advice.Subject{Run: r, Workloads: all}) {
		one := piece{Title: p.Title, Text: p.Text, Do: p.Do, Gain: plain.Capitalized(p.Gain.Words())}
		for _, e := range p.Evidence {
			one.Evidence = append(one.Evidence, fact{e.What, e.Words() + ", " + e.Source})
		}
		out = append(out, one)
	}
	return out
}
