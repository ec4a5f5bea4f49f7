package plan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/workloads/quant"
)

// uneven is a report on matrices of different sizes, which formats of 2 to 8 bits fit more or less well.
func uneven(t *testing.T, r *rand.Rand) *Report {
	t.Helper()
	report := &Report{}
	for i := range 6 {
		x := Tensor{Name: fmt.Sprint(i), Rows: 1 << r.IntN(8), Cols: 1024}
		x.Bytes = 4 * x.Weights()
		fits := 1 + 3*r.Float64()
		for _, bits := range []int64{2, 3, 4, 6, 8} {
			var e quant.Errors
			if err := e.Add([]float32{1}, []float32{float32(1 + fits*math.Pow(2, -float64(bits))*(0.7+0.6*r.Float64()))}); err != nil {
				t.Fatal(err)
			}
			x.Losses = append(x.Losses, Loss{Bytes: x.Weights() * bits / 8, Errors: e})
		}
		report.Tensors = append(report.Tensors, x)
	}
	return report
}

// fewestBytes tries all combinations of formats.
func fewestBytes(r *Report, wanted float64) int64 {
	best := int64(math.MaxInt64)
	var try func(i int, bytes int64, noise float64)
	try = func(i int, bytes int64, noise float64) {
		switch {
		case noise > wanted || bytes >= best:
		case i == len(r.Tensors):
			best = bytes
		default:
			for _, c := range append([]Choice{{Tensor: &r.Tensors[i]}}, undominated(&r.Tensors[i])...) {
				try(i+1, bytes+c.Bytes(), noise+c.noise())
			}
		}
	}
	try(0, 0, 0)
	return best
}

func TestPlansAreNearlyTheSmallest(t *testing.T) {
	var sum, worst float64
	const plans = 300
	for seed := range uint64(plans) {
		random := rand.New(rand.NewPCG(1, seed))
		r := uneven(t, random)
		budget := 0.01 + 0.2*random.Float64()
		p, err := r.Choose(Budget{Error: budget})
		if err != nil {
			t.Fatal(err)
		}
		if p.Error > budget {
			t.Errorf("%d: an error of %g, want %g", seed, p.Error, budget)
		}
		checkPlan(t, r, p)
		_, _, _, weights := r.begin()
		more := float64(p.Bytes)/float64(fewestBytes(r, budget*budget*weights)) - 1
		sum, worst = sum+more, max(worst, more)
	}
	t.Logf("larger than the smallest: by %.2f %% on average, %.2f %% at worst", 100*sum/plans, 100*worst)
	if sum/plans > 0.002 || worst > 0.04 {
		t.Errorf("plans are %.2f %% larger than the smallest, %.2f %% at worst", 100*sum/plans, 100*worst)
	}
}

func BenchmarkChoose(b *testing.B) {
	r := &Report{}
	for i := range 1000 {
		x := Tensor{Name: fmt.Sprint(i), Rows: 64 + i%7*512, Cols: 1024}
		x.Bytes = 4 * x.Weights()
		for bits := int64(2); bits <= 8; bits++ {
			var e quant.Errors
			_ = e.Add([]float32{1}, []float32{float32(1 + math.Pow(2, -float64(bits))*(1+float64(i%13)/13))})
			x.Losses = append(x.Losses, Loss{Bytes: x.Weights() * bits / 8, Errors: e})
		}
		r.Tensors = append(r.Tensors, x)
	}
	for b.Loop() {
		if _, err := r.Choose(Budget{Error: 0.03}); err != nil {
			b.Fatal(err)
		}
	}
}
