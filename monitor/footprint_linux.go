package monitor

import (
	"context"
	"fmt"

	"assay/internal/statm"
)

// Footprint returns the resident memory that belongs to this process alone, in bytes, for baselines of leak checks and for Assay's own
// memory. File-backed pages do not count, as in macOS's footprint: the code of a library that was opened is not a leak.
// Because it is read at every tick, it does not use gopsutil's process package, which takes several times as long (docs/cost.md).
func Footprint(context.Context) (int64, error) {
	own, err := statm.Own()
	if err != nil {
		return 0, fmt.Errorf("process footprint: %w", err)
	}
	return own, nil
}
