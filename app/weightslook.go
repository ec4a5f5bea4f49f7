package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"assay/workloads/quant"
	"assay/workloads/quant/plan"
	"assay/workloads/quant/weightfile"
)

// WeightsLookRequest says which tensor to look at, in which format.
type WeightsLookRequest struct {
	Paths          []string // see Open
	Tensor, Format string
	MaxRows        int // spread evenly over the tensor; 0: all
}

// WeightsLook is what a format makes of one tensor: how often each of its codes occurs, and some weights before and after.
type WeightsLook struct {
	Tensor  string     `json:"tensor"`
	Format  string     `json:"format"`
	Rows    int        `json:"rows"`
	Read    int        `json:"rows_read"`
	SNR     float64    `json:"-"` // of the weights that were read, in dB
	Clamped int        `json:"clamped"`
	First   int        `json:"first_code"`
	Counts  []int      `json:"counts,omitempty"` // of First, First + 1 …; none if the format has no codes
	Exact   LookValues `json:"exact"`            // some weights, spread evenly
	Rounded LookValues `json:"rounded"`          // what the format makes of them
}

// LookValues are weights. JSON has null for values that are infinite in the format.
type LookValues []float32

// MarshalJSON is part of json.Marshaler.
func (v LookValues) MarshalJSON() ([]byte, error) {
	out := make([]any, len(v))
	for i, x := range v {
		if x-x == 0 {
			out[i] = x
		}
	}
	return json.Marshal(out)
}

// lookPoints is roughly how many weights a look keeps.
const lookPoints = 2000

// Look reads a tensor. An error names the file, and the tensor or the format concerned.
func (w *Weights) Look(ctx context.Context, r WeightsLookRequest) (*WeightsLook, error) {
	format, err := quant.ParseFormat(r.Format)
	if err != nil {
		return nil, err
	}
	f, err := weightfile.OpenPaths(r.Paths)
	if err != nil {
		return nil, err
	}
	l, err := plan.LookAt(ctx, f, r.Tensor, format, r.MaxRows, lookPoints)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	loss := &l.Losses[0]
	return &WeightsLook{
		Tensor: l.Name, Format: format.String(), Rows: l.Rows, Read: l.Read, SNR: loss.Errors.SNR(), Clamped: loss.Tally.Clamped,
		First: l.Codes.Lo, Counts: l.Codes.Counts, Exact: l.Exact, Rounded: l.Rounded,
	}, nil
}

// CodeBin is a range of neighboring codes, and how many weights have one of them.
type CodeBin struct{ From, To, Count int }

// Name returns the code, or the first and the last.
func (b CodeBin) Name() string {
	if b.From == b.To {
		return strconv.Itoa(b.From)
	}
	return fmt.Sprintf("%d to %d", b.From, b.To)
}

// Bins groups the codes into at most that many bins of equal width.
func (l *WeightsLook) Bins(most int) []CodeBin {
	width := max(1, (len(l.Counts)+most-1)/most)
	var bins []CodeBin
	for at := 0; at < len(l.Counts); at += width {
		b := CodeBin{From: l.First + at, To: l.First + min(at+width, len(l.Counts)) - 1}
		for _, n := range l.Counts[at:min(at+width, len(l.Counts))] {
			b.Count += n
		}
		bins = append(bins, b)
	}
	return bins
}
