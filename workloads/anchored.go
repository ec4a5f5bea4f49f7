package workloads

import (
	"fmt"
	"math"

	"assay/internal/si"
	"assay/internal/stats"
)

// anchorSlow is the drift of the anchor above which a window was throttled, and anchorSteady that up to which the device kept its speed: those
// of cases (measure.DefaultAnchorLimit, DefaultAnchorRecovered).
const (
	anchorSlow   = 0.1
	anchorSteady = 0.03
)

// Anchored reports what the anchor, a fixed kernel timed between the windows of a series, shows about the device: it was throttled, became
// somewhat slower or kept its speed; and how the work fared in the meantime. A series without readings has no finding.
func (c *Curve) Anchored() []Finding {
	f := c.finding(KindAnchored, -1)
	worst, readings, slow, busy := -1, 0, 0, 0
	for i := range c.Results {
		drift := c.Results[i].Number(AnchorDrift)
		if math.IsNaN(drift) {
			continue
		}
		readings++
		if drift > anchorSlow {
			if slow++; slow == 1 {
				f.Facts.Place = Place{c.at(i), c.at(i), c.at(i)}
			}
			if _, disturbed := c.Results[i].Disturbed(); disturbed {
				busy++
			}
		}
		if worst < 0 || drift > c.Results[worst].Number(AnchorDrift) {
			worst = i
		}
	}
	if readings == 0 {
		return nil
	}
	r := &c.Results[worst]
	f.Result, f.Case, f.Variant, f.Facts.Evidence = r.ID, r.Case, r.Variant, evidence(r, &c.Results[0])
	f.Facts.Value, f.Facts.Unit = stats.Exact(r.Number(AnchorDrift)), "ratio"
	f.Facts.Holds, f.Facts.Lack = Span{Count: slow, Of: readings}, Lack{Disturbed: busy, Of: slow}
	if at, start := c.value(worst).Median, c.value(0).Median; at > 0 && start > 0 {
		f.Facts.Readings = []Reading{{Value: stats.Exact(at/start - 1), Unit: "ratio"}}
	}
	return []Finding{f}
}

// anchored words what the anchor showed.
func (f *Facts) anchored() string {
	drift := f.Value.Median
	readings := si.Counted(f.Holds.Of, "reading")
	var text string
	switch {
	case f.Holds.Count > 0:
		text = fmt.Sprintf("%s: %s. From %s on the anchor, a fixed kernel, was up to %s slower than at the start, beyond the limit in %d of %s",
			f.Subject.Name, f.slowed(), si.Time(f.Place.At), si.Format(drift, "ratio"), f.Holds.Count, readings)
	case drift > anchorSteady:
		text = fmt.Sprintf("%s: the anchor, a fixed kernel, was up to %s slower than at the start (%s), within its limit of %s",
			f.Subject.Name, si.Format(drift, "ratio"), readings, si.Format(anchorSlow, "ratio"))
	default:
		return fmt.Sprintf("%s: not throttled. The anchor, a fixed kernel, stayed within %s of its time at the start (%s).",
			f.Subject.Name, si.Format(anchorSteady, "ratio"), readings)
	}
	if len(f.Readings) == 0 {
		return text + "."
	}
	switch change := f.Readings[0].Value.Median; {
	case change < -anchorSteady:
		text += fmt.Sprintf("; the work was then %s below its speed in the first window", si.Format(-change, "ratio"))
	case change > anchorSteady:
		text += fmt.Sprintf("; the work was then %s above its speed in the first window", si.Format(change, "ratio"))
	default:
		text += "; the work kept its speed"
	}
	return text + "."
}

// slowed says that the device was throttled, unless other programs may have slowed each of the slow readings down.
func (f *Facts) slowed() string {
	if f.Lack.Disturbed == f.Holds.Count {
		return "slower while other programs were busy, which need not be throttling"
	}
	return "throttled"
}
