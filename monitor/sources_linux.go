package monitor

// Sources returns new sources for this process and this host on Linux.
func Sources() []Source { return linuxSources(roots{proc: "/proc", sys: "/sys"}) }

func linuxSources(r roots) []Source {
	return []Source{
		newProcessSource(r),
		newCPUSource(r),
		newMemorySource(r),
		newPressureSource(r),
		newThermalSource(r),
		newThrottleSource(r),
		newPowerSource(r),
		newNVMLSource(nvmlLibraryName),
	}
}
