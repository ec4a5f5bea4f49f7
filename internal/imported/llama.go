package imported

import (
	"encoding/json"
	"fmt"
	"strings"
)

// llama parses an object from llama-bench -o json or jsonl.
func llama(one json.RawMessage) ([]Row, error) {
	var r struct {
		Commit   string    `json:"build_commit"`
		Build    int       `json:"build_number"`
		CPU      string    `json:"cpu_info"`
		GPU      string    `json:"gpu_info"`
		Backends string    `json:"backends"`
		Model    string    `json:"model_type"`
		Threads  int       `json:"n_threads"`
		Prompt   int       `json:"n_prompt"`
		Gen      int       `json:"n_gen"`
		Depth    int       `json:"n_depth"`
		AvgNS    float64   `json:"avg_ns"`
		AvgTS    float64   `json:"avg_ts"`
		Samples  []float64 `json:"samples_ns"`
	}
	if err := decode(one, &r); err != nil {
		return nil, err
	}
	var what []string
	if r.Prompt > 0 {
		what = append(what, fmt.Sprintf("pp%d", r.Prompt))
	}
	if r.Gen > 0 {
		what = append(what, fmt.Sprintf("tg%d", r.Gen))
	}
	name := r.Model + ", " + strings.Join(what, "+")
	if r.Depth > 0 {
		name += fmt.Sprintf(" @ d%d", r.Depth)
	}
	device := r.GPU
	if device == "" {
		device = r.CPU
	}
	row := Row{
		Source: "llama-bench", Name: name, Rate: r.AvgTS, Of: "tokens",
		Context: together(told("build %s", r.Commit)+told(" (%d)", r.Build), r.Backends, device, told("%d threads", r.Threads)),
	}
	row.timed(scaled(r.Samples, 1e-9), r.AvgNS/1e9)
	return []Row{row}, row.check()
}
