package workloads

import (
	"fmt"

	"assay/internal/si"
	"assay/internal/stats"
)

// Ranged writes a figure with its interval where it has one: "193 (190 to 195) GFLOP/s".
func Ranged(i stats.Interval, unit string) string {
	return si.Range(i.Median, i.Lo, i.Hi, unit)
}

// SpeedupText writes a speed-up with its interval: "1.42× (1.38× to 1.45×)". One that barely pays has a digit more, so
// that its lower end does not read as 1.
func SpeedupText(s stats.Interval) string {
	if s.Lo < 1.005 {
		return fmt.Sprintf("%.3f× (%.3f× to %.3f×)", s.Median, s.Lo, s.Hi)
	}
	return fmt.Sprintf("%.2f× (%.2f× to %.2f×)", s.Median, s.Lo, s.Hi)
}
