package bench

import (
	"context"

	"assay/gpu"
)

// staging is a shared buffer used to fill another.
type staging struct {
	gpu.Buffer
	under gpu.Submission // that still reads it
}

// Streamed returns a function that sends bytes to a buffer in chunks: the host writes one staging buffer while the queue copies from the other.
//
//go:noinline
func (s *Scope) Streamed(to gpu.Buffer, sent []byte, chunk int) (send func(ctx context.Context) error, err error) {
	var stages [2]*staging
	for i := range stages {
		b, err := s.Stored(gpu.Shared, chunk, "staging")
		if err != nil {
			return nil, err
		}
		stages[i] = &staging{Buffer: b}
	}
	var programs []gpu.Program
	for i, at := 0, 0; at < len(sent); i, at = i+1, at+chunk {
		p, err := s.prepare(gpu.Copy{
			From: gpu.Binding{Buffer: stages[i%2].Buffer}, To: gpu.Binding{Buffer: to, Offset: at}, Bytes: min(chunk, len(sent)-at),
		})
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return func(ctx context.Context) error {
		for i, p := range programs {
			stage, from := stages[i%2], i*chunk
			if err := s.free(ctx, stage); err != nil {
				return err
			}
			if err := stage.Write(0, sent[from:min(from+chunk, len(sent))]); err != nil {
				return err
			}
			under, err := s.bench.Queue.Submit(p, 1)
			if err != nil {
				return err
			}
			stage.under = under
		}
		for _, stage := range stages {
			if err := s.free(ctx, stage); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// free waits until nothing reads a staging buffer.
func (s *Scope) free(ctx context.Context, stage *staging) error {
	if stage.under == nil {
		return nil
	}
	_, err := s.bench.wait(ctx, stage.under)
	stage.under = nil
	return err
}
