package monitor

import "assay/internal/severity"

// State is the value of metrics that are a word instead of a number: "nominal".
type State string

// Thermal states, coolest first.
const (
	Nominal  State = "nominal"
	Fair     State = "fair"
	Serious  State = "serious"
	Critical State = "critical"
)

// Levels of memory pressure, in addition to Critical.
const (
	Normal  State = "normal"
	Warning State = "warning"
)

// Levels of thermal pressure on macOS, in addition to Nominal.
const (
	Moderate State = "moderate"
	Heavy    State = "heavy"
	Trapping State = "trapping"
	Sleeping State = "sleeping"
)

// MaxRank is the rank of the worst state.
const MaxRank = 3

// Rank returns how bad a state is, from 0 (good) to MaxRank; ok is false for unknown states. It is used to compare states of
// different metrics.
func (s State) Rank() (rank int, ok bool) {
	switch s {
	case Nominal, Normal:
		return 0, true
	case Fair, Moderate:
		return 1, true
	case Serious, Warning, Heavy:
		return 2, true
	case Critical, Trapping, Sleeping:
		return MaxRank, true
	}
	return 0, false
}

// Severity returns the severity of a state.
func (s State) Severity() severity.Level {
	switch rank, _ := s.Rank(); rank {
	case MaxRank:
		return severity.Critical
	case 2:
		return severity.Warning
	}
	return severity.Info
}
