package monitor

// Sources is what macOS says of this process and this host. Each call gives new ones, with their own earlier samples.
func Sources() []Source {
	return []Source{
		newProcessSource(),
		&cpuSource{},
		newMemorySource(),
		sensorSource{},
	}
}
