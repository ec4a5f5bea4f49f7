// Package plan reports what number formats cost a model and what they save. It streams a weight file tensor by tensor, measures the
// errors of each matrix in each format, and chooses a format for each matrix within a budget of error or bytes.
package plan

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"assay/internal/si"
	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
)

// Options for a survey. The zero value works for all but Formats.
type Options struct {
	Formats []quant.Format
	// MaxRows is how many rows of a tensor are read, spread evenly over it; 0: all of them. A scale for the whole tensor is then
	// derived from these rows.
	MaxRows int
	// Progress is called after each piece of some hundred thousand weights; nil: nobody is told.
	Progress func(Progress)
}

// Progress is the progress of a survey.
type Progress struct {
	Done, Total int64  // bytes of tensors
	Tensor      string // the one being read, or the last one
}

// Report holds the findings of a survey.
type Report struct {
	File    string
	Formats []quant.Format
	Tensors []Tensor // in the order of the file
}

// Tensor is a tensor of the file and the effects of formats on it.
type Tensor struct {
	Name  string
	Type  string // in the file
	Shape []int64
	Bytes int64 // in the file
	// Rows and Cols are the sides of the matrix that is quantized: columns are the last dimension or, for a convolution, all but the
	// first.
	Rows, Cols int
	// Read is how many of the rows the errors cover.
	Read int
	// Kept is why the tensor has no losses and stays as it is; empty: it has a loss for each format of the report.
	Kept   string
	Losses []Loss
}

// Loss is the cost and the saving of a format for one tensor.
type Loss struct {
	Format quant.Format
	Bytes  int64
	// Errors compares the weights that were read with their values in the format. They are errors of the weights, not of a layer's
	// output.
	Errors quant.Errors
	Tally  quant.Tally
	Absent string // why the tensor cannot be stored in the format; empty: it can
}

// Weights returns the number of weights of the matrix.
func (t *Tensor) Weights() int64 { return int64(t.Rows) * int64(t.Cols) }

// Memory of a survey: a piece of the weights and, for each worker, its encoded and decoded form.
const (
	pieceWeights = 1 << 18
	maxCols      = 1 << 21 // a piece has at least one row
	maxWorkers   = 4
)

// Survey reads the file once, or twice if a scale covers a whole tensor, and measures every matrix in every format. Tensors that are
// not matrices, cannot be read or contain weights that are not finite stay as they are. It takes less than 100 MB, however large the
// file is.
func Survey(ctx context.Context, file *weightfile.File, o Options) (*Report, error) {
	for _, f := range o.Formats {
		if err := f.Check(0); err != nil {
			return nil, err
		}
	}
	s := &survey{
		file: file, Options: o, packed: make([]*quant.Packed, len(o.Formats)),
		workers: make([]worker, max(1, min(maxWorkers, runtime.GOMAXPROCS(0), len(o.Formats)))),
	}
	r := &Report{File: file.Name(), Formats: o.Formats}
	tensors := file.Tensors()
	for i := range tensors {
		s.progress.Total += tensors[i].Bytes()
	}
	s.passes = 1
	if slices.ContainsFunc(o.Formats, quant.Format.WholeTensor) {
		s.passes = 2
	}
	for i := range tensors {
		before := s.progress.Done
		s.progress.Tensor = tensors[i].Name
		t, err := s.tensor(ctx, &tensors[i])
		if err != nil {
			return nil, err
		}
		r.Tensors = append(r.Tensors, *t)
		s.tell(before + tensors[i].Bytes())
	}
	return r, nil
}

type survey struct {
	Options
	file    *weightfile.File
	piece   []float32
	packed  []*quant.Packed // the last piece in each format
	workers []worker
	seen    func(w []float32) // called with the weights just measured; nil: nothing is called

	progress Progress
	passes   int // over each tensor
	wanted   int // weights of the current tensor
}

// tell sets how many bytes of tensors are done.
func (s *survey) tell(done int64) {
	s.progress.Done = done
	if s.Progress != nil {
		s.Progress(s.progress)
	}
}

// worker holds the buffers of one goroutine.
type worker struct {
	decoded []float32
	err     error
}

// tensor surveys one tensor.
func (s *survey) tensor(ctx context.Context, from *weightfile.Tensor) (*Tensor, error) {
	t := &Tensor{Name: from.Name, Type: from.Type, Shape: from.Shape, Bytes: from.Bytes()}
	if t.Kept = t.matrix(from); t.Kept != "" {
		return t, nil
	}
	t.Read = t.Rows
	if s.MaxRows > 0 {
		t.Read = min(t.Rows, s.MaxRows)
	}
	for _, f := range s.Formats {
		l := Loss{Format: f, Bytes: f.Bytes(t.Rows, t.Cols)}
		if err := f.Check(t.Cols); err != nil {
			l.Absent, l.Bytes = err.Error(), 0
		}
		t.Losses = append(t.Losses, l)
	}
	s.wanted = t.Read * t.Cols
	whole, err := s.span(ctx, from, t)
	if err != nil || t.Kept != "" {
		return t, err
	}
	return t, s.each(ctx, from, t, func(rows int, w []float32) error { return s.add(t, whole, rows, w) })
}

// matrix sets the tensor's rows and columns, or returns why it is not a matrix that can be quantized.
func (t *Tensor) matrix(from *weightfile.Tensor) string {
	n, cols := from.Elements(), t.cols()
	switch err := from.Readable(); {
	case err != nil:
		return err.Error()
	case len(t.Shape) < 2:
		return si.Counted(len(t.Shape), "dimension") + ": only matrices are quantized"
	case n == 0:
		return "it is empty"
	case cols > maxCols:
		return fmt.Sprintf("rows of %d weights, the limit is %d", cols, maxCols)
	case n/cols > math.MaxInt32:
		return fmt.Sprintf("%d rows, the limit is %d", n/cols, math.MaxInt32)
	}
	t.Rows, t.Cols = int(n/cols), int(cols)
	return ""
}

// maxSide is the maximum length of the last dimension for which a tensor of three or more dimensions counts as a convolution, whose
// kernel has short sides. Experts of a model, which also have three dimensions, have longer rows.
const maxSide = 31

// cols returns the length of a row: the last dimension or, in a convolution, all weights of an output channel.
func (t *Tensor) cols() int64 {
	if len(t.Shape) == 0 {
		return 1
	}
	last := t.Shape[len(t.Shape)-1]
	if len(t.Shape) < 3 || last > maxSide {
		return last
	}
	channel := int64(1)
	for _, d := range t.Shape[1:] {
		channel *= d
	}
	return channel
}

// span summarizes the tensor for scales that cover all of it, and finds weights that are not finite, for which no format is defined.
// Without formats that need this, the first pass is skipped, and the other one sets Kept.
func (s *survey) span(ctx context.Context, from *weightfile.Tensor, t *Tensor) (*quant.Span, error) {
	var whole quant.Span
	for _, f := range s.Formats {
		if !f.WholeTensor() {
			continue
		}
		err := s.each(ctx, from, t, func(_ int, w []float32) error {
			whole.Add(w)
			return nil
		})
		return &whole, err
	}
	return nil, nil
}

// each reads the rows in pieces, and passes those with finite weights to do. After the first weight that is not finite, the tensor
// stays as it is.
func (s *survey) each(ctx context.Context, from *weightfile.Tensor, t *Tensor, do func(rows int, w []float32) error) error {
	rows := max(1, pieceWeights/t.Cols)
	if t.Read < t.Rows {
		rows = 1 // rows in between are skipped
	}
	before, told := s.progress.Done, 0
	for at := 0; at < t.Read && t.Kept == ""; at += rows {
		n := min(rows, t.Read-at)
		first := int64(at) * int64(t.Rows) / int64(t.Read)
		w := s.room(n * t.Cols)
		if err := s.file.ReadFloat32At(from, w, first*int64(t.Cols)); err != nil {
			return err
		}
		if i := notFinite(w); i >= 0 {
			t.Kept = fmt.Sprintf("weight [%d, %d] is %g: only finite weights are quantized", first+int64(i/t.Cols), i%t.Cols, w[i])
			t.Losses = nil
			return nil
		}
		if err := do(n, w); err != nil {
			return fmt.Errorf("%s: tensor %q: %w", s.file.Name(), t.Name, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if told += n * t.Cols; told >= pieceWeights {
			told = 0
			s.tell(before + int64(float64(t.Bytes)*float64(at+n)/float64(t.Read*s.passes)))
		}
	}
	s.tell(before + t.Bytes/int64(s.passes))
	return nil
}

func (s *survey) room(n int) []float32 {
	if cap(s.piece) < n {
		s.piece = make([]float32, n)
	}
	return s.piece[:n]
}

// notFinite returns the index of the first weight that is infinite or NaN, or −1.
func notFinite(w []float32) int {
	for i, v := range w {
		if v-v != 0 {
			return i
		}
	}
	return -1
}

// add measures rows in every format. The workers divide the formats among themselves.
func (s *survey) add(t *Tensor, whole *quant.Span, rows int, w []float32) error {
	var running sync.WaitGroup
	for i := range s.workers {
		running.Go(func() {
			for j := i; j < len(t.Losses) && s.workers[i].err == nil; j += len(s.workers) {
				s.workers[i].err = s.measure(i, j, &t.Losses[j], whole, rows, w)
			}
		})
	}
	running.Wait()
	for i := range s.workers {
		if err := s.workers[i].err; err != nil {
			return err
		}
	}
	if s.seen != nil {
		s.seen(w)
	}
	return nil
}

// measure adds the errors of rows in format j of the survey.
func (s *survey) measure(worker, j int, l *Loss, whole *quant.Span, rows int, w []float32) error {
	if l.Absent != "" {
		return nil
	}
	p := s.packed[j]
	if cols := len(w) / rows; p == nil || p.Rows != rows || p.Cols != cols {
		var err error
		if p, err = quant.NewPacked(l.Format, rows, cols); err != nil {
			return err
		}
		s.packed[j] = p
	}
	tally, err := p.Encode(w, whole)
	if err != nil {
		return err
	}
	l.Tally.Clamped += tally.Clamped
	l.Tally.Infinite += tally.Infinite
	k := &s.workers[worker]
	if cap(k.decoded) < len(w) {
		k.decoded = make([]float32, len(w))
	}
	if err := p.Decode(k.decoded[:len(w)]); err != nil {
		return err
	}
	return l.Errors.Add(w, k.decoded[:len(w)])
}
