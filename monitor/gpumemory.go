package monitor

// ProgramMemory is the memory of some processes on NVIDIA GPUs, in total.
type ProgramMemory struct {
	Bytes     float64
	Source    string
	Estimated bool  // it is all memory used on the GPUs
	Err       error // why there is none
}

// gpuProcess is a process that has memory on a GPU; known is false if the driver does not report how much.
type gpuProcess struct {
	pid   int
	bytes uint64
	known bool
}

// memoryOf adds up the processes' memory; ok is false if the driver does not report it for one of them.
func memoryOf(pids []int, all []gpuProcess) (bytes float64, ok bool) {
	wanted := make(map[int]bool, len(pids))
	for _, pid := range pids {
		wanted[pid] = true
	}
	for _, p := range all {
		switch {
		case !wanted[p.pid]:
		case !p.known:
			return 0, false
		default:
			bytes += float64(p.bytes)
		}
	}
	return bytes, true
}
