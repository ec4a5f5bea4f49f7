package monitor

// OpenGPUEnergy counts the energy of the chip's GPU. There is only one, so its ID is not needed.
func OpenGPUEnergy(string) (*EnergyCounter, error) {
	return newReportEnergy(openReports, "GPU of the chip", macGPUPeriod, PowerGPU)
}

// OpenCPUEnergy counts the energy of the processor's cores and of memory. It includes what every program uses.
func OpenCPUEnergy() (*EnergyCounter, error) {
	return newReportEnergy(openReports, "CPU and memory of the chip; all programs count", macCPUPeriod, PowerCPU, PowerDRAM)
}
