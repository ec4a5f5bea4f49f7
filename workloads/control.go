package workloads

import (
	"slices"
	"strings"
)

// Seen is what a job of a control showed.
type Seen struct {
	Values  Values
	Results []Result // of the job
	Leaks   []string // that were found in it and not withdrawn
}

// Proof is the conclusion from a control: its Kind is KindPassed, KindMissed or KindUndecided.
type Proof struct {
	Kind string
	Why  string // what was seen, a sentence without its end
}

// Passed says that what the control makes happen was noticed, and nothing else.
func Passed(why string) Proof { return Proof{KindPassed, why} }

// Missed says that it was not: Assay cannot be trusted here.
func Missed(why string) Proof { return Proof{KindMissed, why} }

// Undecided says that the control could not be carried out, or that the machine disturbed it.
func Undecided(why string) Proof { return Proof{KindUndecided, why} }

// Proofs are the kinds of findings that controls have, worst first.
func Proofs() []string { return []string{KindMissed, KindUndecided, KindPassed} }

// IsProof reports whether the finding is a control's conclusion.
func (f *Finding) IsProof() bool { return slices.Contains(Proofs(), f.Kind) }

// Conclude is the finding of a control that showed this.
func (w *Workload) Conclude(s Seen) Finding {
	p := w.Prove(s)
	f := Finding{Kind: p.Kind, Facts: Facts{Subject: Subject{Name: w.Title}, Reason: p.Why, Place: nowhere()}}
	w.Word(&f)
	return f
}

// Controls lists the workloads that prove Assay.
func Controls(all []Workload) []Workload {
	var out []Workload
	for _, w := range all {
		if w.Control {
			out = append(out, w)
		}
	}
	return out
}

// proven says how a control ended: "The control “Leak” passed: the deliberate leak was found."
func proven(f *Finding) string {
	how := map[string]string{KindPassed: "passed", KindMissed: "failed", KindUndecided: "could not decide"}[f.Kind]
	return "The control “" + strings.TrimSuffix(f.Facts.Subject.Name, " control") + "” " + how + ": " + f.Facts.Reason + "."
}
