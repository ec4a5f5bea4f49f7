package app

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/si"
	"assay/workloads/quant/plan"
)

// WeightsBudget is the limit for a plan of formats: one of the two is set.
type WeightsBudget struct {
	SNR   float64 // dB, the minimum signal-to-noise ratio of the model's weights
	Bytes int64   // the maximum size of all tensors
}

// maxSNR is the largest budget in dB: float64 cannot exceed it.
const maxSNR = 300

// ParseWeightsBudget reads a budget: "30 dB", or a size such as "4GB".
func ParseWeightsBudget(s string) (WeightsBudget, error) {
	number, isRatio := strings.CutSuffix(strings.ToLower(strings.TrimSpace(s)), "db")
	if !isRatio {
		bytes, err := si.ParseBytes(s)
		if err != nil || bytes < 1 {
			return WeightsBudget{}, fmt.Errorf("invalid budget %q: want a signal-to-noise ratio such as 30dB, or a size such as 4GB", s)
		}
		return WeightsBudget{Bytes: bytes}, nil
	}
	snr, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(snr > 0 && snr <= maxSNR) {
		return WeightsBudget{}, fmt.Errorf("invalid budget %q: want a signal-to-noise ratio from 0 to %d dB, such as 30dB", s, maxSNR)
	}
	return WeightsBudget{SNR: snr}, nil
}

// WeightsPlan is a format for each tensor of a model.
type WeightsPlan struct {
	Bytes   int64   // of all tensors
	SNR     float64 // dB, see FormatTotal
	Usual   string  // the format that most weights are in; empty: most stay as they are in the file
	More    int     // tensors that keep more bits than the usual format has
	Choices []PlannedTensor

	plan *plan.Plan
}

// PlannedTensor is a plan's format for a tensor.
type PlannedTensor struct {
	Name   string
	Format string // empty: it stays as it is in the file
	Bytes  int64
	SNR    float64 // dB; +Inf if it stays
	More   bool    // it keeps more bits than the plan's usual format has
	Kept   string  // why it cannot be in any format; empty: it can
}

// Plan chooses a format for each tensor: the smallest model whose weights have at least the budget's signal-to-noise ratio, or the
// most accurate one of its size. An error says by how many bytes a size is too small.
func (s *Survey) Plan(b WeightsBudget) (*WeightsPlan, error) {
	budget := plan.Budget{Bytes: b.Bytes}
	if b.SNR != 0 {
		budget.Error = relative(b.SNR)
	}
	found, err := s.report.Choose(budget)
	if err != nil {
		return nil, err
	}
	p := &WeightsPlan{Bytes: found.Bytes, SNR: plan.Decibels(found.Error), plan: found}
	if found.Usual != nil {
		p.Usual = found.Usual.String()
	}
	for i := range found.Choices {
		c := &found.Choices[i]
		x := PlannedTensor{Name: c.Tensor.Name, Bytes: c.Bytes(), SNR: math.Inf(1), More: c.More, Kept: c.Tensor.Kept}
		if c.Loss != nil {
			x.Format, x.SNR = c.Loss.Format.String(), c.Loss.Errors.SNR()
		}
		if c.More {
			p.More++
		}
		p.Choices = append(p.Choices, x)
	}
	return p, nil
}

// PlanPoint is the size of a plan and its signal-to-noise ratio in dB.
type PlanPoint struct {
	Bytes int64
	SNR   float64
}

// curvePoints is roughly how many points Curve has for a large model.
const curvePoints = 200

// Curve returns the plans for every budget, from the smallest model up to the last one with an error.
func (s *Survey) Curve() []PlanPoint {
	var all []PlanPoint
	for _, p := range s.report.Curve(curvePoints) {
		all = append(all, PlanPoint{p.Bytes, plan.Decibels(p.Error)})
	}
	return all
}

// Keeping returns the tensors that keep more bits than the usual format has, largest first.
func (p *WeightsPlan) Keeping() []*PlannedTensor {
	var all []*PlannedTensor
	for i := range p.Choices {
		if p.Choices[i].More {
			all = append(all, &p.Choices[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *PlannedTensor) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// PlannedFormat is the part of a plan in one format.
type PlannedFormat struct {
	Name    string // empty: as in the file
	Tensors int
	Bytes   int64
}

// Formats returns the formats that the plan uses, the one with the most bytes first.
func (p *WeightsPlan) Formats() []PlannedFormat {
	var all []PlannedFormat
	for i := range p.Choices {
		c := &p.Choices[i]
		at := slices.IndexFunc(all, func(f PlannedFormat) bool { return f.Name == c.Format })
		if at < 0 {
			at, all = len(all), append(all, PlannedFormat{Name: c.Format})
		}
		all[at].Tensors++
		all[at].Bytes += c.Bytes
	}
	slices.SortStableFunc(all, func(a, b PlannedFormat) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return all
}

// Limits returns the signal-to-noise ratios of the smallest plan, and of the most accurate one that leaves no matrix as it is
// unless it must; both finite.
func (s *Survey) Limits() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	if p, err := s.Plan(WeightsBudget{SNR: -maxSNR}); err == nil {
		lo = p.SNR
	}
	for _, f := range s.Formats {
		if !math.IsInf(f.SNR, 0) {
			hi = max(hi, f.SNR)
		}
	}
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || hi < lo {
		return 0, 0
	}
	return lo, hi
}

// WriteCSV writes a row for each tensor, with its planned format.
func (p *WeightsPlan) WriteCSV(w io.Writer) error { return p.plan.WriteCSV(w) }

// WriteJSON writes the size and the error of the plan, and the rows of WriteCSV.
func (p *WeightsPlan) WriteJSON(w io.Writer) error { return p.plan.WriteJSON(w) }
