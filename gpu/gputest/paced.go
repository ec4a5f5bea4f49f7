package gputest

import (
	"context"

	"assay/gpu"
	"assay/shaders"
)

// Paced is an engine on which each kernel has its own pace, and some are wrong: for searches among kernels.
type Paced struct {
	gpu.Engine
	// Factor returns the factor for the times of a kernel.
	Factor func(k *shaders.Kernel) float64
	// Wrong reports whether a kernel's outputs begin with garbage; nil: none do.
	Wrong func(k *shaders.Kernel) bool
}

// Prepare implements gpu.Engine.
func (e *Paced) Prepare(commands ...gpu.Command) (gpu.Program, error) {
	p, err := e.Engine.Prepare(commands...)
	if err != nil {
		return nil, err
	}
	paced := &pacedProgram{Program: p, factor: 1}
	for _, c := range commands {
		l, launches := c.(gpu.Launch)
		if !launches {
			continue
		}
		k := l.Kernel.Spec()
		paced.factor = e.Factor(k)
		if e.Wrong != nil && e.Wrong(k) {
			for _, i := range k.Outputs() {
				paced.spoils = append(paced.spoils, l.Bindings[i])
			}
		}
	}
	return paced, nil
}

// NewQueue implements gpu.Engine.
func (e *Paced) NewQueue(label string) (gpu.Queue, error) {
	q, err := e.Engine.NewQueue(label)
	return pacedQueue{q}, err
}

type pacedProgram struct {
	gpu.Program
	factor float64
	spoils []gpu.Binding
}

type pacedQueue struct{ gpu.Queue }

// Submit implements gpu.Queue.
func (q pacedQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	paced := p.(*pacedProgram)
	s, err := q.Queue.Submit(paced.Program, repeat)
	return &pacedSubmission{s, paced}, err
}

type pacedSubmission struct {
	gpu.Submission
	program *pacedProgram
}

// Wait implements gpu.Submission.
func (s *pacedSubmission) Wait(ctx context.Context) (gpu.Timing, error) {
	t, err := s.Submission.Wait(ctx)
	t.Device *= s.program.factor
	for _, at := range s.program.spoils {
		if err == nil {
			err = at.Buffer.Write(at.Offset, []byte{1, 2, 3, 4})
		}
	}
	return t, err
}
