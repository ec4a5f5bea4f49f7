package view

import (
	"assay/ui/kit"
	"assay/workloads"
)

// ScaleOf returns the slider scale of a numeric parameter.
func ScaleOf(p *workloads.Param) *kit.Scale {
	whole := p.Type == workloads.Int
	if p.Step > 0 {
		return kit.NewEvenScale(p.Min, p.Max, p.Step, whole)
	}
	return kit.NewScale(p.Min, p.Max, whole, p.Log2)
}
