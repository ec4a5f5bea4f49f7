package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/si"
	"assay/workloads/quant"
)

// Budget is the limit for a plan: one of the two fields is set.
type Budget struct {
	// Error is the maximum of Plan.Error.
	Error float64
	// Bytes is the maximum size of all tensors together.
	Bytes int64
}

// Plan is a format for each tensor.
type Plan struct {
	File    string // the surveyed file
	Budget  Budget
	Choices []Choice // in the order of the file
	Bytes   int64    // of all tensors
	// Error is the relative error of the matrices' weights: the root mean square of the matrices' relative errors, weighted by their
	// numbers of weights. It is 0 if all are left as they are.
	Error float64
	// Usual is the format of most weights; nil: most are left as they are.
	Usual *quant.Format
}

// Choice is a plan's decision for one tensor.
type Choice struct {
	Tensor *Tensor
	Loss   *Loss // nil: the tensor stays as in the file
	// More reports whether the tensor has more bits per weight than the plan's usual format.
	More bool
}

// Bytes returns the size of the tensor in the plan.
func (c *Choice) Bytes() int64 {
	if c.Loss == nil {
		return c.Tensor.Bytes
	}
	return c.Loss.Bytes
}

// noise returns the square of the relative error, summed over all weights.
func (c *Choice) noise() float64 {
	if c.Loss == nil {
		return 0
	}
	rel := c.Loss.Errors.Rel()
	return rel * rel * float64(c.Tensor.Weights())
}

// step replaces a choice by one with more bytes and less noise.
type step struct {
	at    int // index of the choice
	to    Choice
	bytes int64
	noise float64 // saved
}

// Choose plans formats. The options for each matrix are all formats of the survey, and to stay as it is. All start with the smallest;
// then the steps that save the most noise per byte are taken until the error is within the budget, or until the bytes are used up. A
// plan for an error budget is then made smaller if other choices for one or two tensors allow it.
func (r *Report) Choose(b Budget) (*Plan, error) {
	if (b.Error > 0) == (b.Bytes > 0) || b.Error < 0 || b.Bytes < 0 {
		return nil, fmt.Errorf("budget of an error of %g and of %d B: want one of the two", b.Error, b.Bytes)
	}
	p, steps, noise, weights := r.begin()
	p.Budget = b
	if b.Bytes > 0 && p.Bytes > b.Bytes {
		return nil, fmt.Errorf("a budget of %s: the smallest formats take %s, %s too much", si.Bytes(float64(b.Bytes)),
			si.Bytes(float64(p.Bytes)), si.Bytes(float64(p.Bytes-b.Bytes)))
	}
	if b.Bytes > 0 {
		p.fill(steps, b.Bytes)
	} else {
		wanted := b.Error * b.Error * weights
		p.reach(steps, noise, wanted)
		p.refine(r.options(), wanted)
	}
	if weights > 0 {
		p.Error = math.Sqrt(max(p.noise(), 0) / weights) // recomputed from the choices: running differences accumulate rounding errors
	}
	p.compare()
	return p, nil
}

// begin returns the smallest plan with its noise, the steps from there in the order in which they are taken, and how many weights
// count.
func (r *Report) begin() (p *Plan, steps []step, noise, weights float64) {
	p = &Plan{File: r.File}
	for i := range r.Tensors {
		front := front(&r.Tensors[i])
		p.Choices = append(p.Choices, front[0])
		p.Bytes += front[0].Bytes()
		noise += front[0].noise()
		if r.Tensors[i].Kept == "" {
			weights += float64(r.Tensors[i].Weights())
		}
		for j := range front[1:] {
			steps = append(steps, step{i, front[j+1], front[j+1].Bytes() - front[j].Bytes(), front[j].noise() - front[j+1].noise()})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.noise*float64(a.bytes), a.noise*float64(b.bytes)) })
	return p, steps, noise, weights
}

// Point is the size of a plan and its Plan.Error.
type Point struct {
	Bytes int64
	Error float64
}

// Curve lists the plans from the smallest on, each with less error than the one before, as long as the error falls. If there are more
// than `most`, it returns about that many.
func (r *Report) Curve(most int) []Point {
	p, steps, noise, weights := r.begin()
	if weights == 0 {
		return nil
	}
	var all []Point
	every := max(1, (len(steps)+most-1)/max(1, most))
	for i := 0; ; i++ {
		left := noise / weights
		if rounding := 1e-15; left > rounding && (i%every == 0 || i == len(steps)) {
			all = append(all, Point{p.Bytes, math.Sqrt(left)})
		}
		if i == len(steps) {
			return all
		}
		p.Bytes += steps[i].bytes
		noise -= steps[i].noise
	}
}

// fill takes the steps while bytes are left. Steps of a tensor stay in order: once one is too large for the bytes left, the tensor's
// later steps are skipped too.
func (p *Plan) fill(steps []step, bytes int64) {
	stuck := map[int]bool{}
	for _, s := range steps {
		if stuck[s.at] || p.Bytes+s.bytes > bytes {
			stuck[s.at] = true
			continue
		}
		p.Choices[s.at] = s.to
		p.Bytes += s.bytes
	}
}

// reach takes the steps until the noise is at most the wanted amount. The last step may belong to a large tensor and save little
// noise. So each step is tried as the last one, then left out, and the smallest of all these plans is kept.
func (p *Plan) reach(steps []step, noise, wanted float64) {
	best, now, stuck := (*Plan)(nil), p.clone(), map[int]bool{}
	for _, s := range steps {
		if stuck[s.at] || noise <= wanted {
			continue
		}
		if noise-s.noise > wanted {
			now.Choices[s.at] = s.to
			now.Bytes += s.bytes
			noise -= s.noise
			continue
		}
		stuck[s.at] = true
		if best == nil || now.Bytes+s.bytes < best.Bytes {
			best = now.clone()
			best.Choices[s.at] = s.to
			best.Bytes += s.bytes
		}
	}
	if best == nil { // all steps, or none
		best = now
	}
	*p = *best
}

func (p *Plan) clone() *Plan {
	c := *p
	c.Choices = slices.Clone(p.Choices)
	return &c
}

// options returns the choices of each tensor from the smallest on, each with less noise than the one before.
func (r *Report) options() [][]Choice {
	all := make([][]Choice, len(r.Tensors))
	for i := range r.Tensors {
		all[i] = undominated(&r.Tensors[i])
	}
	return all
}

// undominated lists the choices of a tensor from the smallest on, each with less noise than the one before.
func undominated(t *Tensor) (list []Choice) {
	all := []Choice{{Tensor: t}}
	for i := range t.Losses {
		l := &t.Losses[i]
		if rel := l.Errors.Rel(); l.Absent == "" && !math.IsNaN(rel) && !math.IsInf(rel, 0) {
			all = append(all, Choice{Tensor: t, Loss: l})
		}
	}
	slices.SortStableFunc(all, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Bytes(), b.Bytes()), cmp.Compare(a.noise(), b.noise()))
	})
	for _, c := range all {
		if len(list) == 0 || c.noise() < list[len(list)-1].noise() { // otherwise it is neither better nor smaller
			list = append(list, c)
		}
	}
	return list
}

// front lists the choices of a tensor from the smallest on, each saving less noise per byte than the one before.
func front(t *Tensor) (hull []Choice) {
	for _, c := range undominated(t) {
		for len(hull) > 1 && !steeper(hull[len(hull)-2], hull[len(hull)-1], c) {
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, c)
	}
	return hull
}

// steeper reports whether going from a to b saves more noise per byte than going from b to c.
func steeper(a, b, c Choice) bool {
	return (a.noise()-b.noise())*float64(c.Bytes()-b.Bytes()) > (b.noise()-c.noise())*float64(b.Bytes()-a.Bytes())
}

// compare finds the usual format, and the choices with more bits than it.
func (p *Plan) compare() {
	weights, bytes := map[quant.Format]int64{}, map[quant.Format]int64{}
	var most, kept int64
	for i := range p.Choices {
		c := &p.Choices[i]
		if c.Loss == nil {
			kept += c.Tensor.Weights()
			continue
		}
		f := c.Loss.Format
		bytes[f] += c.Bytes()
		if weights[f] += c.Tensor.Weights(); weights[f] > most {
			most, p.Usual = weights[f], &c.Loss.Format
		}
	}
	if p.Usual == nil || kept > most {
		p.Usual = nil
		return
	}
	usual := float64(bytes[*p.Usual]) / float64(most) // per weight; tensors whose rows are not multiples of its block do not count
	for i := range p.Choices {
		c := &p.Choices[i]
		if c.Tensor.Kept == "" && (c.Loss == nil || c.Loss.Format != *p.Usual) {
			c.More = float64(c.Bytes()) > usual*float64(c.Tensor.Weights())
		}
	}
}

// Size returns the file's size if every matrix that can be is stored in the format, and how many tensors stay as they are because they
// cannot be.
func (r *Report) Size(f quant.Format) (bytes int64, kept int) {
	for i := range r.Tensors {
		t := &r.Tensors[i]
		if at := t.loss(f); at != nil && at.Absent == "" {
			bytes += at.Bytes
			continue
		}
		bytes += t.Bytes
		kept++
	}
	return bytes, kept
}

// Error returns Plan.Error if every matrix that can be is stored in the format.
func (r *Report) Error(f quant.Format) float64 {
	weights, noise := 0.0, 0.0
	for i := range r.Tensors {
		t := &r.Tensors[i]
		if t.Kept != "" {
			continue
		}
		weights += float64(t.Weights())
		if at := t.loss(f); at != nil && at.Absent == "" {
			c := Choice{Tensor: t, Loss: at}
			noise += c.noise()
		}
	}
	if weights == 0 {
		return 0
	}
	return math.Sqrt(noise / weights)
}

// loss returns what the survey found for a format; nil: nothing.
func (t *Tensor) loss(f quant.Format) *Loss {
	for i := range t.Losses {
		if t.Losses[i].Format == f {
			return &t.Losses[i]
		}
	}
	return nil
}

// Worst lists the tensors that can be stored in the format, the largest relative error first.
func (r *Report) Worst(f quant.Format) []*Tensor {
	var all []*Tensor
	for i := range r.Tensors {
		if l := r.Tensors[i].loss(f); l != nil && l.Absent == "" {
			all = append(all, &r.Tensors[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Tensor) int { return cmp.Compare(b.loss(f).Errors.Rel(), a.loss(f).Errors.Rel()) })
	return all
}
