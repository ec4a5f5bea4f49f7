package monitor

import (
	"context"
	"fmt"
	"os"

	"github.com/shirou/gopsutil/v3/process"
)

// Footprint is the resident memory of this process now, in bytes, outside any tick: for baselines of leak checks.
func Footprint(ctx context.Context) (int64, error) {
	p, err := process.NewProcessWithContext(ctx, int32(os.Getpid()))
	if err != nil {
		return 0, fmt.Errorf("process footprint: %w", err)
	}
	m, err := p.MemoryInfoWithContext(ctx)
	if err != nil {
		return 0, fmt.Errorf("process footprint: %w", err)
	}
	return int64(m.RSS), nil
}
