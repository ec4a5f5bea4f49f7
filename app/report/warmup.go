package report

import (
	"fmt"
	"strings"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/workloads/measure"
)

// sampled says how many samples each case has.
func sampled(m *bundle.Meta) string {
	if s, err := measure.ParseSchedule(m.Schedule); err == nil {
		return fmt.Sprintf("Each case follows a fixed schedule, in which the variants are interleaved (A B B A): %s of waiting, %s of warm-up and %d that count, %s. "+
			"Disturbed samples are not repeated.",
			si.Counted(s.Wait, "step"), si.Counted(s.Warmup, "step"), s.Active, times(s.Repeat))
	}
	return fmt.Sprintf("Each case is warmed up until stable%s. Its variants are then interleaved (A B B A), so that drift affects all equally, until each has "+
		"at least %d samples and an interval within ± %.3g %% of its median, or %s are spent.",
		warmedUp(m), m.MinSample, 50*m.Precision, si.Time(m.Budget))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return si.Counted(n, "time")
}

// warmedUp says what minimum was requested in addition, ", and with 100 samples at least"; empty: none.
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
	return " In quiet mode" + which + " the monitor read nothing and no window was redrawn while something was timed: readings of the machine were taken between laps of sampling."
}
