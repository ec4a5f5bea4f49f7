package bundle

// KernelChoice is a kernel that a run's results rest on, and why it was chosen.
type KernelChoice struct {
	Workload string `json:"workload"`
	Kernel   string `json:"kernel"`        // with its constants
	Why      string `json:"why,omitempty"` // empty: the measured variant names it
	Results  int    `json:"results"`       // how many results rest on it
}
