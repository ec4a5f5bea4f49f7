package app

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// Throttling is how a run treats a device that slows down while it measures. The anchor shows that: a fixed kernel that is timed
// at the start of the run and after its cases. The zero value is ThrottlePause, except on simulated devices, which have no heat.
type Throttling struct {
	Mode  ThrottleMode
	Limit float64 // anchor drift from which a case is discarded; 0: measure.DefaultAnchorLimit
	// Timeout is the maximum duration of one cooldown; 0: measure.DefaultCooldown, with Quick a sixth of it.
	Timeout time.Duration
	// Duty is the maximum share of the time that the device works, and PowerCap its maximum mean power, in W: it is idle between
	// bursts of samples. 0: it works all the time.
	Duty, PowerCap float64
}

// ThrottleMode is what happens to a case that was measured on a device that had slowed down.
type ThrottleMode string

// Modes.
const (
	ThrottlePause ThrottleMode = "pause" // it is discarded, the run cools down and measures it again
	ThrottleMark  ThrottleMode = "mark"  // it is kept, and marked as disturbed
	ThrottleOff   ThrottleMode = "off"   // there is no anchor
)

// ThrottleModes lists them all, the default first.
func ThrottleModes() []ThrottleMode {
	return []ThrottleMode{ThrottlePause, ThrottleMark, ThrottleOff}
}

// Limits of Throttling.
const (
	MinDrift, MaxDrift       = 0.01, 1.0
	MinCooldown, MaxCooldown = time.Second, time.Hour
	MinDuty                  = 0.01
	MaxPowerCap              = 100_000 // W
)

// Check returns an error that names what is out of range.
func (t Throttling) Check() error {
	switch {
	case t.Mode != "" && !slices.Contains(ThrottleModes(), t.Mode):
		return fmt.Errorf("throttle mode must be pause, mark or off (you entered %q)", t.Mode)
	case t.Limit != 0 && !(t.Limit >= MinDrift && t.Limit <= MaxDrift):
		return fmt.Errorf("drift must be between %g and %g %% (you entered %g %%)", 100*MinDrift, 100*MaxDrift, 100*t.Limit)
	case t.Timeout != 0 && (t.Timeout < MinCooldown || t.Timeout > MaxCooldown):
		return fmt.Errorf("maximum cooldown must be between %v and %v (you entered %v)", MinCooldown, MaxCooldown, t.Timeout)
	case t.Duty != 0 && !(t.Duty >= MinDuty && t.Duty <= 1):
		return fmt.Errorf("duty cycle must be between %g and 100 %% of the time (you entered %g %%)", 100*MinDuty, 100*t.Duty)
	case t.PowerCap != 0 && !(t.PowerCap > 0 && t.PowerCap <= MaxPowerCap):
		return fmt.Errorf("power cap must be above 0 and at most %d W (you entered %g W)", MaxPowerCap, t.PowerCap)
	}
	return nil
}

// on returns the mode on a device.
func (t Throttling) on(info *gpu.Info) ThrottleMode {
	if t.Mode == "" && info.Simulated {
		return ThrottleOff
	}
	return cmp.Or(t.Mode, ThrottlePause)
}

// anchor prepares the run's anchor; nil if it has none. An anchor that cannot be measured costs the run nothing else.
func (a *activeRun) anchor() *bench.Anchor {
	t, info := a.request.Throttling, a.engine.Info()
	mode := t.on(&info)
	if mode == ThrottleOff {
		return nil
	}
	o := measure.AnchorOptions{Limit: t.Limit, Timeout: t.Timeout, Rested: a.duty != nil}
	if a.request.Quick && t.Timeout == 0 {
		o.Timeout = measure.DefaultCooldown / 6
	}
	if mode == ThrottleMark {
		o.Timeout = -1
	}
	a.spans.Of("", "")
	a.spans.Enter(measure.Anchoring, "")
	found, err := bench.NewAnchor(a.ctx, a.engine, o)
	a.spans.End()
	if err != nil {
		a.noted("No anchor", severity.Warning, "whether the device slows down is not known: "+err.Error())
		return nil
	}
	return found
}

// closeAnchor frees the anchor and records what it cost.
func (a *activeRun) closeAnchor(anchor *bench.Anchor) {
	if anchor == nil {
		return
	}
	if err := anchor.Err(); err != nil && a.ctx.Err() == nil {
		a.noted("No anchor", severity.Warning, "it was given up: "+err.Error())
	}
	a.noted("Anchor", severity.Info, anchorUse(anchor.Use()))
	if err := anchor.Close(); err != nil && a.ctx.Err() == nil {
		a.noted("Anchor", severity.Warning, err.Error())
	}
}

// anchorUse says what an anchor cost: "31 readings took 620 ms, 1.1 % of the run; at the start compute 2.70 ms, memory 5.10 ms".
func anchorUse(u measure.AnchorUse) string {
	var parts []string
	for i, name := range u.Parts {
		parts = append(parts, name+" "+si.Time(u.Was[i]))
	}
	share := u.Spent.Seconds() / max(u.Run.Seconds(), 1e-9)
	return fmt.Sprintf("%s took %s, %s of the run; at the start: %s", si.Counted(u.Readings, "reading"), si.Time(u.Spent.Seconds()),
		si.Format(share, "ratio"), strings.Join(parts, ", "))
}

func (a *activeRun) noted(title string, level severity.Level, text string) {
	a.event(bundle.Event{Kind: bundle.Noted, Severity: level, Title: title, Text: text})
}

// drifted records that the device's speed changed, along with what the system's counters say.
func (a *activeRun) drifted(d workloads.Drifted) {
	title, text := driftWords(&d)
	if d.Act == workloads.Discarded || d.Act == workloads.Kept {
		text += "; " + a.evidence()
	}
	e := bundle.Event{Time: time.Now(), Kind: bundle.Noted, Severity: severity.Warning, Title: title, Text: text}
	if len(d.Cases) > 0 {
		e.Case = d.Cases[len(d.Cases)-1]
	}
	a.takeSpans()
	a.keep(a.bundle.Event(e))
	a.session.publish(NoteUpdate{a.meta.ID, e})
}

// driftWords say what the anchor showed and what the run does.
func driftWords(d *workloads.Drifted) (title, text string) {
	seen := fmt.Sprintf("the anchor is %s: %s, was %s", d.Drift.String(), si.Time(d.Drift.Is), si.Time(d.Drift.Was))
	switch d.Act {
	case workloads.Discarded:
		what := "case"
		if len(d.Cases) != 1 {
			what = si.Counted(len(d.Cases), "case")
		}
		return driftTitle(d), fmt.Sprintf("%s discarded and measured again (%s): %s%s", what, strings.Join(d.Cases, ", "), seen, restarted(d))
	case workloads.Recovered:
		return "Cooled down", fmt.Sprintf("after %s %s; %s", si.Time(d.Waited.Seconds()), seen, readTo(&d.Drift))
	case workloads.Stayed:
		return "Not cooled down", fmt.Sprintf("after %s %s; the run continues and marks what is disturbed", si.Time(d.Waited.Seconds()), seen)
	}
	return driftTitle(d), fmt.Sprintf("marked (%s): %s%s", strings.Join(d.Cases, ", "), seen, restarted(d))
}

// readTo says how precisely the anchor can be read.
func readTo(d *measure.Drift) string {
	if math.IsInf(d.Half, 0) || math.IsNaN(d.Half) {
		return "there were too few samples to tell how precise that is"
	}
	if d.Vague() {
		return "it can be read only to ± " + si.Format(d.Half, "ratio") + " on this busy machine"
	}
	return "it can be read to ± " + si.Format(d.Half, "ratio")
}

func driftTitle(d *workloads.Drifted) string {
	if d.Drift.Faster() {
		return "Device was slow at the start"
	}
	return "Device slowed down"
}

// restarted says that later readings are compared with another start.
func restarted(d *workloads.Drifted) string {
	if d.Drift.Faster() {
		return "; what follows is compared with its time now"
	}
	return ""
}

// evidence returns what the system's counters say in addition to the anchor; it decides nothing.
func (a *activeRun) evidence() string {
	why, known := a.session.Disturbance(a.ctx)
	snap := a.session.snapshot()
	words := "the system’s counters show no throttling"
	share, told := snap.Throttled(a.engine.Info().GPU)
	switch {
	case !told:
		words = "the system does not report throttling here"
	case share > 0:
		words = "the system’s counters show throttling by " + si.Format(share, "ratio")
	}
	if known && why != "" && !strings.HasPrefix(why, "throttled") {
		words += "; " + why
	}
	return words
}
