package monitor

import (
	"context"
	"fmt"
	"os"
)

// Footprint is the resident memory of this process now, in bytes, outside any source: for baselines of leak checks, and
// for what Assay itself takes. It is read at every tick, so that it goes without gopsutil's process, which takes several
// times as long (docs/cost.md).
func Footprint(context.Context) (int64, error) {
	statm := roots{proc: "/proc"}.procFile("self/statm", 128)
	defer statm.close()
	b, err := statm.read()
	if err != nil {
		return 0, fmt.Errorf("process footprint: %w", err)
	}
	pages, err := decodeStatm(b)
	if err != nil {
		return 0, fmt.Errorf("process footprint: %w", err)
	}
	return int64(pages) * int64(os.Getpagesize()), nil
}
