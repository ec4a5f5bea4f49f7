package monitor

// Sources returns new sources for this process and this host on macOS. They open what they read from on the first tick.
func Sources() []Source {
	return []Source{
		newProcessSource(),
		newCPUSource(),
		newMemorySource(),
		newVMPressureSource(openVMPressure),
		&thermalStateSource{open: openThermal},
		newReportSource(openReports, voltageTables),
		&acceleratorSource{read: accelerators()},
		newGPUOthersSource(gpuClients()),
		newSensorSource(),
	}
}
