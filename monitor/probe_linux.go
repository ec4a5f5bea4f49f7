package monitor

import (
	"context"
	"math"
	"os"
)

func systemProbe() (cores func(context.Context) (cpuTime, error), counters func() (stalled, swapped float64)) {
	return linuxProbe(roots{proc: "/proc", sys: "/sys"})
}

// gpuClients is nil: no driver here counts for all programs.
func gpuClients() gpuClientReader { return nil }

func linuxProbe(r roots) (cores func(context.Context) (cpuTime, error), counters func() (stalled, swapped float64)) {
	pressure, pages := r.procFile("pressure/memory", 256), r.procFile("vmstat", 16<<10)
	return statReader(r), func() (stalled, swapped float64) {
		stalled, swapped = math.NaN(), math.NaN()
		if b, err := pressure.read(); err == nil {
			if us, ok := stallTotal(b); ok {
				stalled = float64(us) / 1e6
			}
		}
		if b, err := pages.read(); err == nil {
			if n, ok := swapPages(b); ok {
				swapped = float64(n) * float64(os.Getpagesize())
			}
		}
		return stalled, swapped
	}
}
