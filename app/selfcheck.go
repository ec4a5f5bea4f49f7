package app

import (
	"cmp"
	"slices"

	"assay/app/bundle"
	"assay/workloads"
)

// Checked is what one control of a self-check showed.
type Checked struct {
	Control string `json:"control"`
	Title   string `json:"title"`
	Verdict string `json:"verdict"` // one of the verdicts of a self-check
	Why     string `json:"why"`
}

// Verdicts of a self-check.
const (
	CheckPassed = "pass"
	CheckFailed = "fail"
	CheckOpen   = "undecided"
)

// CheckedBy returns what the controls of a run showed, and the worst verdict. A control without a conclusion could not decide.
func CheckedBy(all []workloads.Workload, jobs []bundle.Job, findings []workloads.Finding) (controls []Checked, worst string) {
	worst = CheckPassed
	for _, j := range jobs {
		one := Checked{Control: j.Workload, Verdict: CheckOpen, Why: "the run ended before it"}
		if w, err := workloads.Find(all, j.Workload); err == nil {
			one.Title = w.Title
		}
		if at := slices.IndexFunc(findings, func(f workloads.Finding) bool { return f.Workload == j.Workload && f.IsProof() }); at >= 0 {
			f := &findings[at]
			one.Verdict, one.Why = checkVerdict(f.Kind), cmp.Or(f.Facts.Reason, f.Text)
		}
		controls = append(controls, one)
		if worst != CheckFailed && one.Verdict != CheckPassed {
			worst = one.Verdict
		}
	}
	return controls, worst
}

func checkVerdict(kind string) string {
	switch kind {
	case workloads.KindPassed:
		return CheckPassed
	case workloads.KindMissed:
		return CheckFailed
	}
	return CheckOpen
}
