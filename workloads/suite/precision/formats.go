package precision

import (
	"fmt"
	"slices"
	"strings"

	"assay/shaders"
	"assay/shaders/blocks"
	"assay/workloads"
	"assay/workloads/quant"
)

// measuredKinds lists the kinds of weights that kernels read.
func measuredKinds() []quant.Kind {
	kinds := []quant.Kind{quant.F32, quant.F16, quant.BF16, quant.E4M3, quant.E5M2, quant.Int8, quant.Int4, quant.Ternary}
	for _, t := range blocks.Types() {
		kinds = append(kinds, quant.Kind(t.String()))
	}
	return kinds
}

// usualMaxBlock is the largest block by default.
const usualMaxBlock = 256

// chosenFormats returns f32, the baseline of all, and the formats that v selects.
func chosenFormats(v workloads.Values) []quant.Format {
	chosen, largest := v.String("formats"), v.Int("max_block")
	return inScaleTypes(v.String("scale_type"), slices.DeleteFunc(allFormats(v.Int("min_block"), largest), func(f quant.Format) bool {
		switch {
		case f.Kind == quant.F32:
			return false
		case chosen != "all" && chosen != f.Kind.String():
			return true
		}
		return f.Kind.Scaled() && !chosenScales(f, v.String("scales"), chosen == "all", largest)
	}))
}

// inScaleTypes returns the formats with scales of the chosen type: f32, f16 or all. Formats without scales beside the codes are
// unaffected.
func inScaleTypes(chosen string, formats []quant.Format) []quant.Format {
	var all []quant.Format
	for _, f := range formats {
		if chosen != shaders.F16.String() || !f.Kind.Scaled() {
			all = append(all, f)
		}
		if chosen != shaders.F32.String() && f.Kind.Scaled() {
			f.Half = true
			all = append(all, f)
		}
	}
	return all
}

// storable excludes formats whose blocks do not divide rows of cols weights, unless they were requested by name.
func storable(formats []quant.Format, cols int, v workloads.Values) (list, left []quant.Format) {
	for _, f := range formats {
		if v.String("formats") == "all" && f.Check(cols) != nil {
			left = append(left, f)
		} else {
			list = append(list, f)
		}
	}
	return list, left
}

// leftOut names the formats that a case with all formats lacks.
func leftOut(r *workloads.Result, v workloads.Values) []workloads.Finding {
	cols, _ := workloads.Number(r.Setting("cols"))
	_, left := storable(chosenFormats(v), int(cols), v)
	if len(left) == 0 {
		return nil
	}
	names := make([]string, len(left))
	for i, f := range left {
		names[i] = f.String()
	}
	return workloads.Noted(r, workloads.Subject{Name: "Weights " + r.Case},
		fmt.Sprintf("left out because rows of %.0f weights are not whole blocks: %s", cols, strings.Join(names, ", ")))
}

// chosenScales reports whether a format is among those with the chosen scales. If all kinds are measured, those without zero points,
// which gain little from small blocks, use only the largest ones.
func chosenScales(f quant.Format, scales string, all bool, largest int) bool {
	zeros := len(f.Planes(1, 1)) > 2
	switch f.Block {
	case 0:
		return scales == "tensor" || scales == "all"
	case quant.PerRow:
		return scales == "rows"
	}
	return (scales == "blocks" || scales == "all") && (zeros || !all || f.Block == largest)
}

// allFormats returns the formats of the measured kinds: with scales per tensor, per row and per block from lo to hi.
func allFormats(lo, hi int) []quant.Format {
	var all []quant.Format
	for _, f := range quant.Grouped(measuredKinds(), lo, hi) {
		all = append(all, f)
		if f.WholeTensor() {
			all = append(all, quant.Format{Kind: f.Kind, Block: quant.PerRow})
		}
	}
	return all
}
