package monitor

// Metrics of a watched program and its children. They exist only while a program is watched.
const (
	WatchedFootprint = "watched.footprint"  // B that would be free without it
	WatchedResident  = "watched.resident"   // B
	WatchedAnonymous = "watched.anonymous"  // B of resident memory that no file backs
	WatchedSwap      = "watched.swap"       // B
	WatchedGPU       = "watched.gpu_memory" // B
	WatchedHandles   = "watched.handles"    // count
	WatchedThreads   = "watched.threads"    // count
	WatchedCPU       = "watched.cpu"        // ratio of one core
	WatchedProcesses = "watched.processes"  // count, including itself
	WatchedCost      = "watched.cost"       // s taken by one reading
)

// Watched lists the metrics of a watched program, in the order in which they are shown.
func Watched() []string {
	var ids []string
	for _, m := range watchedMetrics() {
		ids = append(ids, m.ID)
	}
	return ids
}

// watchedGroups are shown while a program is watched, and when a watch is replayed.
func watchedGroups() []Group {
	return []Group{
		{
			ID: "watched.memory", Title: "Watched program: memory", Part: PartMemory,
			About: "Memory of the watched program and its children. It should not keep growing.",
		},
		{ID: "watched.counts", Title: "Watched program: handles and threads", Part: PartCounters, About: "Handles that the program has open and threads that it runs. They should not keep growing."},
	}
}

// watchedMetrics are the metrics of a watched program.
func watchedMetrics() []Metric {
	line := func(group, short string, m Metric) Metric {
		m.Group, m.Short, m.Show, m.Optional = group, short, AsLine, true
		return m
	}
	return []Metric{
		line("watched.memory", "footprint", Metric{
			ID: WatchedFootprint, Title: "Footprint of the program", Unit: "B",
			About: "Memory that ending the program and its children would free: anonymous, shared and swapped; on macOS its physical footprint.",
		}),
		line("watched.memory", "resident", Metric{
			ID: WatchedResident, Title: "Resident memory of the program", Unit: "B",
			About: "Memory of the program and its children that is in RAM, including pages of files and shared memory.",
		}),
		{
			ID: WatchedAnonymous, Title: "Anonymous memory of the program", Unit: "B", Optional: true,
			About: "Memory of the program and its children that is in RAM and not backed by a file.",
		},
		{ID: WatchedSwap, Title: "Swap of the program", Unit: "B", Optional: true, About: "Memory of the program and its children that is paged out."},
		line("watched.memory", "on GPUs", Metric{
			ID: WatchedGPU, Title: "GPU memory of the program", Unit: "B",
			About: "Memory on GPUs that their drivers count for the program and its children.",
		}),
		line("watched.counts", "handles", Metric{ID: WatchedHandles, Title: "Handles of the program", Whole: true, About: "Open descriptors of the program and its children."}),
		line("watched.counts", "threads", Metric{ID: WatchedThreads, Title: "Threads of the program", Whole: true, About: "Threads of the program and its children."}),
		{ID: WatchedCPU, Title: "CPU of the program", Unit: "ratio", Optional: true, About: "Processor time of the program and its children, as a share of one core."},
		{ID: WatchedProcesses, Title: "Processes of the program", Whole: true, Optional: true, About: "The program and its children."},
		{ID: WatchedCost, Title: "Cost of watching", Unit: "s", Optional: true, About: "How long Assay took to read the program and its children."},
	}
}
