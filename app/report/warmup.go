package report

import (
	"strings"

	"assay/app/bundle"
	"assay/internal/si"
)

// warmedUp is how much was asked for besides, ", and with 100 samples at least"; empty: nothing.
func warmedUp(m *bundle.Meta) string {
	var parts []string
	if m.Warmups > 0 {
		parts = append(parts, "with "+si.Counted(m.Warmups, "sample"))
	}
	if m.WarmupTime > 0 {
		parts = append(parts, "for "+si.Time(m.WarmupTime))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", and " + strings.Join(parts, " and ") + " at least"
}

// quietly says what quiet mode left out; empty: the run was not in it.
func quietly(m *bundle.Meta) string {
	if !m.Quiet {
		return ""
	}
	which := ""
	if m.QuietOnHost {
		which = ", which leaves out series,"
	}
	return " In quiet mode" + which + " the monitor read nothing and no window was redrawn while something was timed: what is shown of the machine meanwhile was read between laps of sampling."
}
