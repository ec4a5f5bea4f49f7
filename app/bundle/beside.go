package bundle

// Beside is the other engine that the cases of a run were also measured on.
type Beside struct {
	Engine   string `json:"engine"`
	Baseline string `json:"baseline,omitempty"` // "cpu on a processor, 8 threads, Assay 0.1.0"
	Missing  string `json:"missing,omitempty"`  // why nothing was measured there; empty: it was
}
