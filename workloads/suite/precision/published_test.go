package precision

import (
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// Published ratios of a format appear next to the measurement, as markers of a series that names its source.
func TestRatiosStandBesideThePublished(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Quantization()
	if err := b.Run(t.Context(), t, w, workloads.Values{"rows": 16, "cols": 64, "weights": "normal", "scales": "tensor", "scale_type": "all"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"f32": "", "f16": "1.5× to 2×", "bf16": "1.5× to 2×", "e4m3 tensor": "", "e5m2 tensor": "", "int8 tensor": "2× to 4×", "int4 tensor": "4× to 8×", "ternary tensor": "", "bitlinear": "",
		"q8_0": "", "q4_1": "", "q4_0": "", "e4m3 tensor, f16 scales": "", "e5m2 tensor, f16 scales": "",
		"int8 tensor, f16 scales": "2× to 4×", "int4 tensor, f16 scales": "4× to 8×", "ternary tensor, f16 scales": "",
	}
	for i := range b.Measured {
		r := &b.Measured[i]
		said, known := want[r.Variant]
		if got := r.Values.Text(workloads.Published); !known || !strings.HasPrefix(got, said) || (got == "") != (said == "") ||
			(r.Values.Text(workloads.PublishedIn) == "") != (said == "") || r.Status != workloads.OK {
			t.Errorf("%s is %s, published %q", r.Variant, r.Status, got)
		}
		delete(want, r.Variant)
	}
	if len(want) > 0 {
		t.Errorf("not measured: %v", want)
	}
	marks := map[float64]int{}
	for _, c := range w.Charts(b.Measured) {
		for _, s := range c.Model.Series {
			if strings.HasPrefix(s.Name, "published: Metal Optimization Guide") {
				for _, y := range s.Y {
					marks[y]++
				}
			} else if strings.HasPrefix(s.Name, "published") {
				t.Errorf("series %q", s.Name)
			}
		}
	}
	for y, n := range map[float64]int{1.5: 2, 2: 4, 4: 4, 8: 2} {
		if marks[y] != n {
			t.Errorf("%d markers at %g, want %d", marks[y], y, n)
		}
	}
}
