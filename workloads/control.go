package workloads

import (
	"slices"
	"strings"
)

// Seen is what a job of a control observed.
type Seen struct {
	Values  Values
	Results []Result // of the job
	Leaks   []string // that were found in the job and not withdrawn
}

// Proof is the conclusion of a control: its Kind is KindPassed, KindMissed or KindUndecided.
type Proof struct {
	Kind string
	Why  string // what was observed, a sentence without its end
}

// Passed says that Assay noticed what the control makes happen, and nothing else.
func Passed(why string) Proof { return Proof{KindPassed, why} }

// Missed says that Assay did not notice it, and so cannot be trusted here.
func Missed(why string) Proof { return Proof{KindMissed, why} }

// Undecided says that the control could not be carried out, or that the machine disturbed it.
func Undecided(why string) Proof { return Proof{KindUndecided, why} }

// Proofs lists the kinds of findings that controls have, worst first.
func Proofs() []string { return []string{KindMissed, KindUndecided, KindPassed} }

// IsProof reports whether the finding is a control's conclusion.
func (f *Finding) IsProof() bool { return slices.Contains(Proofs(), f.Kind) }

// Conclude returns the finding of a control that observed this.
func (w *Workload) Conclude(s Seen) Finding {
	p := w.Prove(s)
	f := Finding{Kind: p.Kind, Facts: Facts{Subject: Subject{Name: w.Title}, Reason: p.Why, Place: nowhere()}}
	w.Word(&f)
	return f
}

// Controls lists the workloads that test Assay.
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
