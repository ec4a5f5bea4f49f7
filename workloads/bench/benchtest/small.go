package benchtest

import (
	"assay/internal/si"
	"assay/workloads"
)

// Small returns values with which a workload takes a moment even on a simulated device: sizes just above their minimum, sweeps of two
// steps, and operands that need no more memory than they take.
func Small(w *workloads.Workload) workloads.Values {
	v := workloads.Values{}
	for i := range w.Params {
		p := &w.Params[i]
		switch {
		case p.Zero != "" && p.Type == workloads.Int:
			v[p.Name] = 0 // what it stands for is itself small
		case p.Role == workloads.RoleCase && p.Type == workloads.Int:
			v[p.Name] = int(min(max(p.Min, 6), p.Max))
		case p.Role == workloads.RoleVariant && p.Type == workloads.Int && p.Unit == "threads":
			v[p.Name] = p.Default // every engine has it
		case p.Role == workloads.RoleVariant && p.Type == workloads.Int:
			v[p.Name] = int(max(p.Min, 2))
		case p.Unit == "GB":
			v[p.Name] = max(p.Min, 0.01) // a budget: what fits is allocated
		case p.Name == "operands":
			v[p.Name] = "cache"
		}
	}
	if w.Name == workloads.PeaksName { // its 0 keeps a device busy
		v["elements"], v["size"] = 64, 8
	}
	for _, s := range w.Sweeps {
		p, err := w.Param(s.From)
		if err != nil || s.Variants {
			continue
		}
		least := int(max(p.Min, 4))
		if si.Size(p.Unit) > 0 { // of many elements
			least = int(p.Min)
		}
		v[s.From], v[s.To] = least, 2*least
		if s.Steps == workloads.Tenfold {
			v[s.From], v[s.To] = 10, 100
		}
	}
	return v
}
