package monitor

import (
	"context"
	"fmt"

	"assay/internal/statm"
)

// Footprint is the current resident memory of this process that is its own, in bytes, for baselines of leak checks and for Assay's own
// memory. Pages of files do not count, as in the footprint of macOS: the code of a library that was opened is no leak.
// Because it is read at every tick, it does not use gopsutil's process, which takes several times as long (docs/cost.md).
func Footprint(context.Context) (int64, error) {
	own, err := statm.Own()
	if err != nil {
		return 0, fmt.Errorf("process footprint: %w", err)
	}
	return own, nil
}
