package app

import (
	"context"

	"assay/app/report"
)

// Replay is a run as it went, for its charts. Its times are seconds since the start.
type (
	Replay     = report.Replay
	ReplaySpan = report.Span
	ReplayMark = report.Mark
)

// NewReplay is the replay of a run in memory.
func NewReplay(r *Run) *Replay { return report.NewReplay(r) }

// LoadReplay reads a bundle for its replay; of a run of hours it keeps at most some thousand snapshots, and says so.
func LoadReplay(ctx context.Context, dir string) (*Replay, error) { return report.LoadReplay(ctx, dir) }
