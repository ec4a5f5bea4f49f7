package bench

import (
	"bytes"
	"context"

	"assay/gpu"
)

// meddling is a queue that changes memory when work has ended. begin is called before the work, and returns what changes it.
type meddling struct {
	gpu.Queue
	begin func() (end func())
}

func (m *meddling) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	end := m.begin()
	s, err := m.Queue.Submit(p, repeat)
	return &meddled{s, end}, err
}

type meddled struct {
	gpu.Submission
	end func()
}

func (m *meddled) Wait(ctx context.Context) (gpu.Timing, error) {
	t, err := m.Submission.Wait(ctx)
	m.end()
	return t, err
}

// forgetting is a queue whose work leaves some bytes of a buffer unwritten.
func forgetting(q gpu.Queue, of gpu.Buffer, first, last int) gpu.Queue {
	return &meddling{q, func() func() {
		before := bytes.Clone(of.Bytes()[first:last])
		return func() { copy(of.Bytes()[first:], before) }
	}}
}

// corrupting is a queue that corrupts bytes of a buffer after each submission.
func corrupting(q gpu.Queue, of gpu.Buffer, at int, with []byte) gpu.Queue {
	return &meddling{q, func() func() { return func() { copy(of.Bytes()[at:], with) } }}
}

// leaving is a queue whose work leaves a byte of a buffer equal to a byte of another one, which only poison reaches.
func leaving(q gpu.Queue, of gpu.Buffer, at, like int) gpu.Queue {
	return &meddling{q, func() func() { return func() { of.Bytes()[at] = of.Bytes()[like] } }}
}
