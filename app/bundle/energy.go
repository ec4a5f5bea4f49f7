package bundle

import (
	"fmt"

	"assay/internal/plain"
	"assay/internal/si"
)

// RunEnergy is the energy that a device used from the start of a run to its end, including verification, pauses and idling.
type RunEnergy struct {
	Joules  float64 `json:"joules,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Of      string  `json:"of,omitempty"`      // what was counted, and by what
	Missing string  `json:"missing,omitempty"` // why it is not available; empty: it is
}

// Short returns the energy alone, "1.23 kJ"; empty if it is not available.
func (e *RunEnergy) Short() string {
	if e == nil || e.Missing != "" {
		return ""
	}
	return si.Format(e.Joules, "J")
}

// String formats the energy for people: "1.23 kJ in 12.3 s, 100 W on average (GPU board, …)", or why it is not available; empty
// for nil.
func (e *RunEnergy) String() string {
	switch {
	case e == nil:
		return ""
	case e.Missing != "":
		return "not available: " + plain.Text(e.Missing)
	}
	return fmt.Sprintf("%s in %s, %s on average (%s)", e.Short(), si.Time(e.Seconds), si.Format(e.Joules/max(e.Seconds, 1e-9), "W"), plain.Text(e.Of))
}
