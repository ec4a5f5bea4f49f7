package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"assay/workloads/measure"
)

// sampled is Work whose every sample is verified, outside its time. Samples of other work are started like any repetitions.
type sampled interface {
	Sample(ctx context.Context, reps int) (measure.Pending, error)
}

// sampler returns how a sample of work is started.
func sampler(w Work) func(ctx context.Context, reps int) (measure.Pending, error) {
	if s, ok := w.(sampled); ok {
		return s.Sample
	}
	return w.Start
}

// Sample is part of sampled.
func (l *launches) Sample(ctx context.Context, reps int) (measure.Pending, error) {
	at, _ := l.upcoming(reps)
	end, err := l.witnesses.begin(ctx, at, reps)
	if err != nil {
		return nil, err
	}
	wait, err := l.Start(ctx, reps)
	if err != nil {
		if look, failed := end(); failed == nil {
			_ = look() // of the sample before
		}
		return nil, err
	}
	look, err := end()
	return func() (float64, error) {
		t, failed := wait()
		return t, cmp.Or(failed, err, look())
	}, nil
}

// Sample is part of sampled.
func (w *Submitted) Sample(ctx context.Context, reps int) (measure.Pending, error) {
	if err := w.arm(1); err != nil {
		return nil, err
	}
	wait, err := w.Start(ctx, reps)
	if err != nil {
		return nil, err
	}
	return wait, w.look()
}

// Sample is part of sampled.
func (s *streams) Sample(ctx context.Context, reps int) (measure.Pending, error) {
	reps = s.Reps(reps)
	if err := s.each(func(w handled) error { return w.arm(reps) }); err != nil {
		return nil, err
	}
	wait, err := s.Start(ctx, reps)
	if err != nil {
		return nil, err
	}
	return func() (float64, error) {
		t, err := wait()
		if err == nil {
			err = s.each(handled.look)
		}
		return t, err
	}, nil
}

// handled is work whose words the host poisons and checks while nothing is in flight.
type handled interface {
	arm(reps int) error
	look() error
}

func (s *streams) each(do func(w handled) error) error {
	for i, w := range s.works {
		x, ok := w.(handled)
		if !ok {
			continue
		}
		if err := do(x); err != nil {
			return fmt.Errorf("stream %d: %w", i+1, err)
		}
	}
	return nil
}

func (l *launches) arm(reps int) error {
	at, _ := l.upcoming(reps)
	return l.poisonWords(ending{l.witnesses.next(at), reps})
}

// poisonWords makes the host poison the words of a slot, which look then compares.
func (l *launches) poisonWords(e ending) error {
	w := l.witnesses
	w.armed, w.armedFor = w.of(e.slot), e
	return poisonAll(w.armed)
}

func poisonAll(words []witness) error {
	for i := range words {
		x := &words[i]
		if x.repeats {
			continue
		}
		if err := x.at.Buffer.Write(x.at.Offset, bytes.Repeat([]byte{x.poison()}, len(x.seen))); err != nil {
			return fmt.Errorf("poison outputs: %w", err)
		}
	}
	return nil
}

func (l *launches) look() error { return l.witnesses.lookAt(l.witnesses.armedFor, l.witnesses.armed) }

// lookAt makes the host compare words.
func (w *witnesses) lookAt(e ending, words []witness) error {
	return w.compare(e, words, func(i int, got []byte) error { return words[i].at.Buffer.Read(words[i].at.Offset, got) })
}
