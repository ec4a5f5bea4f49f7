package workloads

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/metric"
	"assay/internal/si"
)

// Target is the goal by which a configuration of a workload is chosen among the cases and variants of a run.
type Target struct {
	Name  string  // one of Targets
	Watts float64 // the limit of TargetWithin
}

// Names of targets.
const (
	TargetFastest = "fastest"
	TargetPerWatt = "per-watt"
	TargetWithin  = "within" // fastest within a power limit
)

// Targets lists the names, and what each chooses.
func Targets() map[string]string {
	return map[string]string{
		TargetFastest: "the fastest", TargetPerWatt: "the most work per watt", TargetWithin: "the fastest within a limit in watts",
	}
}

// maxWatts is the highest limit that a target can have.
const maxWatts = 100_000

// ParseTarget parses "fastest", "per-watt" or "within=WATTS"; an empty text gives the zero value, which means no target.
func ParseTarget(text string) (Target, error) {
	name, limit, limited := strings.Cut(text, "=")
	switch t := (Target{Name: name}); {
	case text == "", !limited && (name == TargetFastest || name == TargetPerWatt):
		return t, nil
	case limited && name == TargetWithin:
		var err error
		t.Watts, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(limit, "W")), 64)
		if err == nil && t.Watts > 0 && t.Watts <= maxWatts {
			return t, nil
		}
	}
	return Target{}, fmt.Errorf("invalid target %q: want fastest, per-watt, or within=WATTS, such as within=200", text)
}

// Powered reports whether the target needs the power of each configuration.
func (t Target) Powered() bool { return t.Name == TargetPerWatt || t.Name == TargetWithin }

// pace is how fast work is done, and how much of it per joule.
type pace struct{ speed, efficiency metric.Name }

// paces are the ways to compare configurations, the better one first.
func paces() []pace {
	return []pace{{Throughput, OpsPerJoule}, {ItemRate, ItemsPerJoule}}
}

// Choose finds the configuration of a job that meets the target best, among results that are verified and undisturbed. If most
// were disturbed, the best of all may be among those, and there is no conclusion. Missing power readings are reported first, because measuring again
// would not help.
func (t Target) Choose(title string, results []Result) []Finding {
	if t.Name == "" {
		return nil
	}
	about := Subject{Name: title, Way: "the target is " + t.words()}
	verified, fit := configurations(results)
	if len(verified) == 0 {
		return t.unknown(about, "No result has a time.")
	}
	if n := lacks(verified, LoadPower); t.Powered() && (n == len(verified) || lacks(fit, LoadPower) > 0) {
		return t.unknown(about, fmt.Sprintf("The power of %d of %s is not available: %s.", n, si.Counted(len(verified), "result"), whyNoPower(verified)))
	}
	all, disturbed := len(fit), len(verified)-len(fit)
	if disturbed > 0 && disturbed >= all {
		return none(about, Lack{Disturbed: disturbed, Of: len(verified)})
	}
	by := paces()[0]
	if lacks(fit, by.speed) > 0 {
		by = paces()[1]
	}
	if lacks(fit, by.speed) > 0 {
		return t.unknown(about, "The results have no common measure of speed.")
	}
	if t.Name == TargetWithin {
		fit = slices.DeleteFunc(fit, func(r *Result) bool { return r.Get(LoadPower).Hi > t.Watts })
	}
	f := Finding{Kind: KindTarget, Facts: Facts{Subject: about, Limit: t.Watts, Place: nowhere(), Holds: Span{Count: len(fit), Of: all}, Lack: Lack{Disturbed: disturbed, Of: len(verified)}}}
	if len(fit) > 0 {
		t.choose(&f, fit, by)
	}
	return []Finding{f}
}

// configurations are the results that are verified, and those of them that were not disturbed.
func configurations(results []Result) (verified, fit []*Result) {
	for i := range results {
		r := &results[i]
		if r.Status != OK {
			continue
		}
		verified = append(verified, r)
		if _, disturbed := r.Disturbed(); !disturbed {
			fit = append(fit, r)
		}
	}
	return verified, fit
}

// choose fills in the best of the fitting results, and those not shown to be worse.
func (t Target) choose(f *Finding, fit []*Result, by pace) {
	of := by.speed
	if t.Name == TargetPerWatt {
		of = by.efficiency
	}
	best := slices.MaxFunc(fit, func(a, b *Result) int { return cmp.Compare(a.Number(of), b.Number(of)) })
	f.Result, f.Case, f.Variant = best.ID, best.Case, best.Variant
	f.Facts.Evidence, f.Facts.Metric = evidence(best), of
	var near []string
	for _, r := range fit {
		if r != best && r.Get(of).Hi >= best.Get(of).Lo {
			near = append(near, r.configuration())
			f.Facts.Evidence = append(f.Facts.Evidence, r.ID)
		}
	}
	f.Facts.Nearest = few(near)
	for _, name := range []metric.Name{by.speed, LoadPower, by.efficiency} {
		if m, ok := Metrics().Find(name); ok && best.Get(name).Bounded() {
			f.Facts.Readings = append(f.Facts.Readings, Reading{Value: best.Get(name), Unit: m.Unit})
		}
	}
}

// lacks counts the results without a metric.
func lacks(results []*Result, of metric.Name) (n int) {
	for _, r := range results {
		if !r.Get(of).Bounded() {
			n++
		}
	}
	return n
}

// whyNoPower returns the reason given by the first result without power.
func whyNoPower(results []*Result) string {
	for _, r := range results {
		if why, told := strings.CutPrefix(r.Values.Text(EnergySource), "not available: "); told && !r.Get(LoadPower).Bounded() {
			return why
		}
	}
	return "it was not measured; run with energy (--energy auto)"
}

// unknown is the finding of a target that cannot be judged.
func (t Target) unknown(about Subject, why string) []Finding {
	return []Finding{{Kind: KindTarget, Facts: Facts{Subject: about, Reason: why, Place: nowhere()}}}
}

// configuration names what a result measured: "64, f16".
func (r *Result) configuration() string { return r.Case + ", " + r.Variant }

// few lists up to three names, and counts the others.
func few(names []string) string {
	const shown = 3
	if len(names) > shown {
		names = append(names[:shown:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	return strings.Join(names, "; ")
}

// words is the target in a sentence.
func (t Target) words() string {
	if t.Name == TargetWithin {
		return "the fastest within " + si.Format(t.Watts, "W")
	}
	return Targets()[t.Name]
}

// targeted says which configuration meets a target.
func (f *Finding) targeted() string {
	facts := &f.Facts
	about := facts.Subject.Name + ": " + facts.Subject.Way
	switch {
	case facts.Reason != "":
		return about + "; no conclusion. " + facts.Reason
	case facts.Holds.Count == 0:
		return fmt.Sprintf("%s; none of %s stays within it.", about, si.Counted(facts.Holds.Of, "configuration")) + facts.leftOut()
	}
	var numbers []string
	for i := range facts.Readings {
		numbers = append(numbers, facts.Readings[i].amountOf())
	}
	text := fmt.Sprintf("%s; of %s, it is %s, %s", about, si.Counted(facts.Holds.Of, "configuration"), f.Case, f.Variant)
	if len(numbers) > 0 {
		text += ": " + strings.Join(numbers, ", ")
	}
	if facts.Holds.Count < facts.Holds.Of {
		text += fmt.Sprintf(". %d of them stay within the limit", facts.Holds.Count)
	}
	if facts.Nearest != "" {
		text += ". Not shown to be worse: " + facts.Nearest
	}
	return text + "." + facts.leftOut()
}

// leftOut says how many configurations were not considered.
func (f *Facts) leftOut() string {
	if f.Lack.Disturbed == 0 {
		return ""
	}
	return fmt.Sprintf(" Left out: %d of %s disturbed.", f.Lack.Disturbed, si.Counted(f.Lack.Of, "result"))
}

// String formats the target as ParseTarget reads it.
func (t Target) String() string {
	if t.Name == TargetWithin {
		return TargetWithin + "=" + strconv.FormatFloat(t.Watts, 'g', -1, 64)
	}
	return t.Name
}
