package monitor

import "fmt"

// Windows of energy counters in seconds. Drivers publish most of them twice per 2.1 s, at uneven intervals; in a shorter window
// the power would alternate between 0 and twice its value. Without the driver's own timestamps, the time of publication is
// only known to a tick, and the window is longer.
const (
	energyWindow    = 2.1
	unstampedWindow = 10
	staleAfter      = 5 // a counter that was not published for this long is stale: two and a half of its periods
)

// energyChannel converts the samples of one energy channel to watts.
type energyChannel struct {
	rail      *rail
	points    []energyPoint // publications, oldest first; not more than the window needs
	stamp     uint64        // of the last point
	unstamped bool          // the driver's timestamps are unusable
}

// energyPoint is a publication: when, in seconds, and joules since the start.
type energyPoint struct{ at, joules float64 }

// reading is the channel's part of a rail's power.
func (c *energyChannel) reading(row *reportRow, s *reportSample) Reading {
	watts, estimated, reason := c.watts(row, s)
	switch {
	case reason != "":
		return Reading{}.unavailable(reason)
	case estimated:
		return Reading{}.estimated(watts)
	}
	return Reading{}.ok(watts)
}

// watts adds a sample and returns the mean power of the last window, or the reason why there is none. Estimated means that
// times are those of the ticks and not the driver's.
func (c *energyChannel) watts(row *reportRow, s *reportSample) (watts float64, estimated bool, reason string) {
	scale, ok := joules(row.unit)
	if !ok {
		return 0, false, fmt.Sprintf("%s is in %q, not a known unit of energy", row.channel, row.unit)
	}
	if row.value < 0 {
		c.points = c.points[:0]
		return 0, false, row.channel + " has no value"
	}
	if reason := c.add(float64(row.value)*scale, row, s); reason != "" {
		return 0, false, reason
	}
	watts, reason = c.mean(row.channel, s.now())
	return watts, c.unstamped, reason
}

// joules is the size of a unit in joules; ok is false if it is not a unit of energy.
func joules(unit string) (scale float64, ok bool) {
	switch unit {
	case "J":
		return 1, true
	case "mJ":
		return 1e-3, true
	case "uJ", "µJ":
		return 1e-6, true
	case "nJ":
		return 1e-9, true
	case "pJ":
		return 1e-12, true
	}
	return 0, false
}

// add adds a value if it is a new publication.
func (c *energyChannel) add(energy float64, row *reportRow, s *reportSample) (reason string) {
	stamp := c.published(energy, row, s)
	p := energyPoint{at: float64(stamp) * s.tick, joules: energy}
	last, any := c.last()
	switch {
	case !any:
	case energy < last.joules:
		c.points, c.stamp = append(c.points[:0], p), stamp
		return row.channel + " decreased"
	case c.unstamped && energy == last.joules, !c.unstamped && stamp <= c.stamp:
		return ""
	case p.at-last.at > staleAfter:
		c.points = c.points[:0] // it was stale meanwhile, so a mean over that time would be meaningless
	}
	c.points, c.stamp = append(c.points, p), stamp
	return ""
}

// published is when the driver published the value, or the time of the sample if the driver does not report it.
func (c *energyChannel) published(energy float64, row *reportRow, s *reportSample) uint64 {
	if c.unstamped {
		return s.ticks
	}
	e, ok := decodeElement(row.element)
	usable := ok && e.value == row.value && e.stamp <= s.ticks
	if last, any := c.last(); usable && any && e.stamp == c.stamp && energy != last.joules {
		usable = false // the value changed but the timestamp did not
	}
	if usable {
		return e.stamp
	}
	c.unstamped, c.points = true, c.points[:0]
	return s.ticks
}

func (c *energyChannel) last() (p energyPoint, ok bool) {
	if len(c.points) == 0 {
		return energyPoint{}, false
	}
	return c.points[len(c.points)-1], true
}

// mean is the power over the last window. A counter that is not published, or that does not increase although its part always
// uses energy, has stalled; that does not mean 0 W.
func (c *energyChannel) mean(name string, now float64) (watts float64, reason string) {
	last, ok := c.last()
	if !ok {
		return 0, needsTwo
	}
	if quiet := now - last.at; quiet > staleAfter {
		return 0, fmt.Sprintf("stale: %s has not advanced for %.0f s", name, quiet)
	}
	window := energyWindow
	if c.unstamped {
		window = unstampedWindow
	}
	first := c.trim(last, window)
	span := last.at - first.at
	if span < window {
		return 0, fmt.Sprintf("needs %g s of samples", window)
	}
	used := last.joules - first.joules
	if used == 0 && c.rail.alwaysOn {
		return 0, fmt.Sprintf("stale: %s is published but does not count", name)
	}
	return used / span, ""
}

// trim drops the points that are older than needed and returns the oldest left: the latest that is at least a window
// before last, or else the first.
func (c *energyChannel) trim(last energyPoint, window float64) energyPoint {
	from := 0
	for i, p := range c.points {
		if last.at-p.at >= window {
			from = i
		}
	}
	c.points = append(c.points[:0], c.points[from:]...)
	return c.points[0]
}
