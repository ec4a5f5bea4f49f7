package plan

import (
	"context"
	"errors"
	"fmt"

	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
)

// Look shows the effect of a format on one tensor: how often each of its codes occurs, and some weights before and after.
type Look struct {
	Tensor
	Codes quant.Histogram // of the weights that were read; without counts if the format has no codes
	// Exact holds weights spread evenly over those that were read, and Rounded their values in the format.
	Exact, Rounded []float32
}

// LookAt reads up to a number of rows of a tensor, or all if that is 0, and keeps about the given number of points.
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

// apart returns the distance between points among that many weights. It has no common divisor with the row length, so the points cover
// all columns, and all positions within blocks.
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

// take counts codes, and keeps every n-th weight, with n = every; at is the index of the first weight in w.
func (l *Look) take(p *quant.Packed, w, rounded []float32, at, every int) error {
	if p == nil {
		return nil // the tensor cannot be stored in the format
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
