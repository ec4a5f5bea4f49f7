package monitor

// Sources is what Linux says of this process and this host. Each call gives new ones, with their own earlier samples.
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
	}
}
