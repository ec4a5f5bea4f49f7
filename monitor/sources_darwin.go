package monitor

// Sources is what macOS says of this process and this host. Each call gives new ones, with their own earlier samples.
// What they read from is opened at the first tick.
func Sources() []Source {
	return []Source{
		newProcessSource(),
		&cpuSource{},
		newMemorySource(),
		newVMPressureSource(openVMPressure),
		&thermalStateSource{open: openThermal},
		newReportSource(openReports, voltageTables),
		&acceleratorSource{read: accelerators()},
		newSensorSource(),
	}
}
