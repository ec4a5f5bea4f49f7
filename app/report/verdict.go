package report

import (
	"fmt"
	"slices"
	"strings"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/workloads"
)

type verdict struct{ Class, Text string }

// answer is the first finding of a workload, in answer to the workload's question.
type answer struct{ Question, Text string }

// answers are the first finding of each workload that asks a question, and the other findings.
func answers(r *bundle.Run, all []workloads.Workload) (out []answer, others []string) {
	for _, f := range r.Findings {
		w, err := workloads.Find(all, f.Workload)
		if err != nil || w.Question == "" || slices.ContainsFunc(out, func(a answer) bool { return a.Question == w.Question }) {
			others = append(others, f.Text)
			continue
		}
		out = append(out, answer{w.Question, f.Text})
	}
	return out, others
}

// verdictOf says how a run ended, for the top of its page.
func verdictOf(r *bundle.Run) verdict {
	wrong, broken, leaks := 0, 0, len(r.Leaks())
	for i := range r.Results {
		switch r.Results[i].Status {
		case workloads.Failed:
			wrong++
		case workloads.Errored:
			broken++
		}
	}
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{wrong, "wrong result"}, {broken, "case that failed to run"}, {leaks, "leak"}} {
		if c.n == 1 {
			parts = append(parts, "1 "+c.what)
		} else if c.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, plural(c.what)))
		}
	}
	switch {
	case r.Meta.State == bundle.Failed:
		parts = append(parts, "the run failed: "+r.Meta.Error)
	case len(parts)+len(r.Notes) == 0 && r.Meta.State == bundle.Finished && Disturbed(r.Results) != "":
		return verdict{"warn", "⚠ " + Verified(r.Results) + ", but " + Disturbed(r.Results)}
	case len(parts)+len(r.Notes) == 0 && r.Meta.State == bundle.Finished:
		return verdict{"good", "✓ " + Verified(r.Results) + ", no leaks found"}
	case r.Meta.State == bundle.Stopped:
		parts = append(parts, "stopped before the end")
	case r.Meta.State == bundle.Running:
		parts = append(parts, "not finished: still running or killed")
	}
	parts = append(parts, r.Notes...)
	if text := Disturbed(r.Results); text != "" {
		parts = append(parts, text)
	}
	class := "bad"
	if wrong+broken+leaks == 0 && r.Meta.State != bundle.Failed {
		class = "warn"
	}
	return verdict{class, "! " + plain.Capitalized(strings.Join(parts, ", "))}
}

func plural(what string) string {
	if rest, ok := strings.CutPrefix(what, "case "); ok {
		return "cases " + rest
	}
	return what + "s"
}
