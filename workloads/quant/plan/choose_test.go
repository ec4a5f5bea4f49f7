package plan

import (
	"math"
	"strings"
	"testing"

	"assay/workloads/quant"
)

func TestChooseWithinAnError(t *testing.T) {
	r := surveyed(t, model(t), Options{Formats: formats(t, "q8_0", "q6_K", "q4_K", "int4 block 32", "ternary row")})
	last := int64(math.MaxInt64)
	for _, budget := range []float64{1e-9, 0.003, 0.01, 0.05, 0.2, 2} {
		p, err := r.Choose(Budget{Error: budget})
		if err != nil {
			t.Fatal(err)
		}
		if p.Error > budget || p.Bytes > last {
			t.Errorf("an error of %g: %g with %d B, %d B for less", budget, p.Error, p.Bytes, last)
		}
		last = p.Bytes
		checkPlan(t, r, p)
	}
	// Matrices that are hard to quantize keep more bits than the rest.
	p, err := r.Choose(Budget{Error: 0.03})
	if err != nil {
		t.Fatal(err)
	}
	var easy, hard *Choice
	for i := range p.Choices {
		switch p.Choices[i].Tensor.Name {
		case "easy":
			easy = &p.Choices[i]
		case "hard":
			hard = &p.Choices[i]
		}
	}
	bits := func(c *Choice) float64 { return 8 * float64(c.Bytes()) / float64(c.Tensor.Weights()) }
	if p.Usual == nil || bits(hard) < bits(easy) {
		t.Errorf("easy has %g bits, hard %g, usual is %v", bits(easy), bits(hard), p.Usual)
	}
}

// checkPlan recomputes the totals of a plan.
func checkPlan(t *testing.T, r *Report, p *Plan) {
	t.Helper()
	var bytes int64
	var noise, weights float64
	for i := range p.Choices {
		c := &p.Choices[i]
		bytes += c.Bytes()
		if c.Tensor != &r.Tensors[i] || c.Tensor.Kept != "" && c.Loss != nil {
			t.Errorf("tensor %d: %+v", i, c)
		}
		if c.Tensor.Kept == "" {
			n := float64(c.Tensor.Rows * c.Tensor.Cols)
			weights += n
			if c.Loss != nil {
				noise += n * c.Loss.Errors.Rel() * c.Loss.Errors.Rel()
			}
		}
	}
	if want := math.Sqrt(noise / weights); bytes != p.Bytes || math.Abs(p.Error-want) > 1e-9*want {
		t.Errorf("%d B and an error of %g, want %d and %g", p.Bytes, p.Error, bytes, want)
	}
}

// If all steps have the same size, no other choice of formats has less error in as few bytes; in general the plan is close to that.
func TestChooseWithinBytes(t *testing.T) {
	r := surveyed(t, model(t), Options{Formats: formats(t, "q8_0", "q4_0", "q4_1", "ternary row")})
	small, err := r.Choose(Budget{Error: 1e9})
	if err != nil {
		t.Fatal(err)
	}
	large, err := r.Choose(Budget{Error: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if small.Usual == nil || small.Usual.Kind != quant.Ternary || large.Error > 1e-9 {
		t.Errorf("the smallest is in %v, the most exact has an error of %g", small.Usual, large.Error)
	}
	last := math.Inf(1)
	for bytes := small.Bytes; bytes < large.Bytes+1000; bytes += (large.Bytes - small.Bytes) / 7 {
		p, err := r.Choose(Budget{Bytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, r, p)
		if p.Bytes > bytes || p.Error > last {
			t.Errorf("%d B: %d B with an error of %g, %g in fewer", bytes, p.Bytes, p.Error, last)
		}
		if best := bestError(r, bytes); p.Error > 1.6*best {
			t.Errorf("%d B: an error of %g, %g is possible", bytes, p.Error, best)
		}
		last = p.Error
	}
	for _, b := range []Budget{{}, {Error: 1, Bytes: 1}, {Error: -1}, {Bytes: small.Bytes - 1}} {
		if _, err := r.Choose(b); err == nil || !strings.Contains(err.Error(), "budget of") {
			t.Errorf("%+v: %v", b, err)
		}
	}
	if _, err := r.Choose(Budget{Bytes: small.Bytes - 300}); err == nil || !strings.HasSuffix(err.Error(), ", 300 B too much") {
		t.Errorf("a budget that is too small: %v", err)
	}
}

// bestError tries all combinations of formats.
func bestError(r *Report, bytes int64) float64 {
	type total struct {
		bytes int64
		noise float64
	}
	all, weights := []total{{}}, 0.0
	for i := range r.Tensors {
		t := &r.Tensors[i]
		options := []Choice{{Tensor: t}}
		for j := range t.Losses {
			if t.Losses[j].Absent == "" {
				options = append(options, Choice{Tensor: t, Loss: &t.Losses[j]})
			}
		}
		if t.Kept == "" {
			weights += float64(t.Weights())
		}
		var next []total
		for _, a := range all {
			for j := range options {
				next = append(next, total{a.bytes + options[j].Bytes(), a.noise + options[j].noise()})
			}
		}
		all = next
	}
	best := math.Inf(1)
	for _, a := range all {
		if a.bytes <= bytes {
			best = min(best, a.noise)
		}
	}
	return math.Sqrt(best / weights)
}

func TestSizeAndWorst(t *testing.T) {
	r := surveyed(t, model(t), Options{Formats: formats(t, "q4_K", "int4 tensor")})
	size, kept := r.Size(r.Formats[0])
	if want := int64(24*2*144 + 16*2*144 + 10*96*4 + 2048 + 2048 + 176 + 6*144); size != want || kept != 5 {
		t.Errorf("q4_K: %d B with %d as they are, want %d with 5", size, kept, want)
	}
	// Kept matrices count as exact: "narrow" cannot be in q4_K, whose rows consist of blocks of 256.
	noise, weights := 0.0, 0.0
	for i := range r.Tensors {
		if x := &r.Tensors[i]; x.Kept == "" {
			weights += float64(x.Weights())
			if x.Name != "narrow" {
				noise += float64(x.Weights()) * math.Pow(x.Losses[0].Errors.Rel(), 2)
			}
		}
	}
	if got, want := r.Error(r.Formats[0]), math.Sqrt(noise/weights); want == 0 || math.Abs(got-want) > 1e-9*want {
		t.Errorf("q4_K has an error of %g, want %g", got, want)
	}
	var names []string
	for _, x := range r.Worst(r.Formats[1]) {
		names = append(names, x.Name)
	}
	if len(names) != 4 || names[0] != "hard" {
		t.Errorf("worst first: %v", names)
	}
}

// The curve contains the plans of all budgets: no plan of the same size beats any of its points.
func TestCurve(t *testing.T) {
	r := surveyed(t, model(t), Options{Formats: formats(t, "q8_0", "q4_K", "int4 block 32")})
	curve := r.Curve(100)
	if len(curve) < 3 {
		t.Fatalf("%d points", len(curve))
	}
	for i, at := range curve {
		p, err := r.Choose(Budget{Bytes: at.Bytes})
		if err != nil || p.Bytes != at.Bytes || math.Abs(p.Error-at.Error) > 1e-6*at.Error {
			t.Errorf("point %d, %+v: the plan of that size is %+v, %v", i, at, p, err)
		}
		if i > 0 && (at.Bytes <= curve[i-1].Bytes || at.Error >= curve[i-1].Error) {
			t.Errorf("point %d, %+v, comes after %+v", i, at, curve[i-1])
		}
	}
	if few := r.Curve(2); len(few) > 4 || few[0] != curve[0] {
		t.Errorf("a short curve: %+v", few)
	}
}
