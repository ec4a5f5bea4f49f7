package plan

import (
	"context"
	"errors"
	"fmt"

	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
)

// Look is what a format makes of one tensor: how often each of its codes occurs, and some weights before and after.
type Look struct {
	Tensor
	Codes quant.Histogram // of the weights that were read; without counts if the format has no codes
	// Exact are weights spread evenly over those that were read, and Rounded what the format makes of them.
	Exact, Rounded []float32
}

// LookAt reads at most so many rows of a tensor, all if it is 0, and keeps about so many points.
func LookAt(ctx context.Context, file *weightfile.File, name string, f quant.Format, rows, points int) (*Look, error) {
	from, err := file.Tensor(name)
	if err != nil {
		return nil, err
	}
	if err := f.Check(0); err != nil {
		return nil, err
	}
	s := &survey{
		file: file, Options: Options{Formats: []quant.Format{f}, MaxRows: rows}, packed: make([]*quant.Packed, 1), workers: make([]worker, 1), passes: 1,
	}
	look := &Look{Codes: *quant.NewHistogram(f.Kind)}
	var failed error
	read := 0
	s.seen = func(w []float32) {
		failed = errors.Join(failed, look.take(s.packed[0], w, s.workers[0].decoded, read, apart(s.wanted, points, s.packed[0])))
		read += len(w)
	}
	t, err := s.tensor(ctx, from)
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	look.Tensor = *t
	switch {
	case t.Kept != "":
		return nil, fmt.Errorf("%s: tensor %q stays as it is: %s", file.Name(), name, t.Kept)
	case t.Losses[0].Absent != "":
		return nil, fmt.Errorf("%s: tensor %q: %s", file.Name(), name, t.Losses[0].Absent)
	}
	return look, nil
}

// apart is the distance between points of so many weights. It shares no divisor with the length of a row, so that the points lie in all
// columns, and in all places of blocks.
func apart(weights, points int, p *quant.Packed) int {
	every := max(1, weights/max(1, points))
	for p != nil && gcd(every, p.Cols) > 1 {
		every++
	}
	return every
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// take counts codes, and keeps each so many-th weight; at is the index of the first of w.
func (l *Look) take(p *quant.Packed, w, rounded []float32, at, every int) error {
	if p == nil {
		return nil // the tensor cannot be in the format
	}
	for i := (every - at%every) % every; i < len(w); i += every {
		l.Exact, l.Rounded = append(l.Exact, w[i]), append(l.Rounded, rounded[i])
	}
	if l.Codes.Counts == nil {
		return nil
	}
	codes := make([]int16, len(w))
	if err := p.Codes(codes); err != nil {
		return err
	}
	l.Codes.Add(codes)
	return nil
}
