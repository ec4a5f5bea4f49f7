package leak

import (
	"fmt"
	"strings"
)

// Amount is a number of bytes, or the reason why it is unknown.
type Amount struct {
	Bytes   int64
	Missing string // empty: Bytes is known
}

// String formats the amount for people.
func (a Amount) String() string {
	if a.Missing != "" {
		return "not available: " + a.Missing
	}
	return Bytes(float64(a.Bytes))
}

// Levels is the memory in use at one moment, counted three ways, because a leak may show in only one.
type Levels struct {
	Process Amount // as counted by the system: the process's footprint
	Engine  Amount // as counted by the engine: its live buffers
	Device  Amount // as counted by the device: all memory of the process on it
}

// Growth is the change of one amount.
type Growth struct {
	Name        string
	Before, Now Amount
	Bytes       int64  // Now − Before; negative if it shrank
	Missing     string // why they cannot be compared; then Bytes is 0
	Over        bool   // it grew by more than the tolerance
}

// String describes the growth.
func (g Growth) String() string {
	if g.Missing != "" {
		return g.Name + " not available: " + g.Missing
	}
	return fmt.Sprintf("%s %s, baseline %s, %s", g.Name, g.Now, g.Before, grown(g.Bytes))
}

func grown(bytes int64) string {
	switch {
	case bytes > 0:
		return "grown by " + Bytes(float64(bytes))
	case bytes < 0:
		return "shrunk by " + Bytes(float64(-bytes))
	}
	return "unchanged"
}

// Comparison is the verdict of Compare.
type Comparison struct {
	Leaking   bool
	Known     bool   // at least one amount could be compared; if none, Leaking says nothing
	Cause     string // description, with the numbers
	Tolerance int64  // B
	Growths   []Growth
}

// Compare checks growth since the baseline: more than tolerance bytes in any amount is a leak.
func Compare(before, now Levels, tolerance int64) Comparison {
	c := Comparison{Tolerance: tolerance, Growths: []Growth{
		growth("process footprint", before.Process, now.Process, tolerance),
		growth("engine’s live buffers", before.Engine, now.Engine, tolerance),
		growth("device memory", before.Device, now.Device, tolerance),
	}}
	var words []string
	for _, g := range c.Growths {
		c.Leaking = c.Leaking || g.Over
		c.Known = c.Known || g.Missing == ""
		words = append(words, g.String())
	}
	verdict := "no growth beyond the tolerance"
	switch {
	case c.Leaking:
		verdict = "memory grew beyond the tolerance"
	case !c.Known:
		verdict = "nothing could be compared with the tolerance"
	}
	c.Cause = fmt.Sprintf("%s of %s: %s", verdict, Bytes(float64(tolerance)), strings.Join(words, "; "))
	return c
}

func growth(name string, before, now Amount, tolerance int64) Growth {
	g := Growth{Name: name, Before: before, Now: now}
	switch {
	case now.Missing != "":
		g.Missing = now.Missing
	case before.Missing != "":
		g.Missing = "not in the baseline: " + before.Missing
	default:
		g.Bytes = now.Bytes - before.Bytes
		g.Over = g.Bytes > tolerance
	}
	return g
}
