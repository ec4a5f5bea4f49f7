package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"assay/gpu"
	"assay/workloads/measure"
)

// arrivals are words by which each sample of moved bytes is verified, outside its time: they are poisoned at the destination before it and
// must equal what was sent after it. As with outputs of kernels (witnesses), the device does this around samples that it times, and the host
// around samples that it times itself.
type arrivals struct {
	scope  *Scope
	sent   []byte
	at     []int // multiples of gpu.CopyAlign
	aside  gpu.Buffer
	poison gpu.Program
	copies []gpu.Program // for samples that may be in flight together, each with its part of aside
	next   int
}

// newArrivals chooses words: the first, the last, and others by seed.
func newArrivals(s *Scope, sent []byte) *arrivals {
	words := len(sent) / gpu.CopyAlign
	if words == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(s.bench.Seed, uint64(len(sent))))
	at := []int{0, (words - 1) * gpu.CopyAlign}
	for len(at) < perSample {
		at = append(at, r.IntN(words)*gpu.CopyAlign)
	}
	slices.Sort(at)
	return &arrivals{scope: s, sent: sent, at: slices.Compact(at)}
}

func (a *arrivals) word(i int) []byte { return a.sent[a.at[i]:][:gpu.CopyAlign] }

// compare reports which word differs from what was sent.
func (a *arrivals) compare(i int, got []byte) error {
	want := a.word(i)
	switch {
	case bytes.Equal(got, want):
		return nil
	case bytes.Count(got, []byte{poisonFor(want)}) == len(got):
		return fmt.Errorf("%w: bytes %d to %d did not arrive", measure.ErrOutput, a.at[i], a.at[i]+len(got)-1)
	}
	return fmt.Errorf("%w: bytes %d to %d of what arrived are % x, want % x", measure.ErrOutput, a.at[i], a.at[i]+len(got)-1, got, want)
}

// arm makes the host poison the words.
func (a *arrivals) arm(to Place) error {
	for i, at := range a.at {
		if err := to.Write(at, bytes.Repeat([]byte{poisonFor(a.word(i))}, gpu.CopyAlign)); err != nil {
			return fmt.Errorf("poison where bytes arrive: %w", err)
		}
	}
	return nil
}

// look compares what the host finds in a place, where word i lies at where(i).
func (a *arrivals) look(in Place, where func(i int) int) error {
	for i := range a.at {
		var got [gpu.CopyAlign]byte
		if err := in.Read(where(i), got[:]); err != nil {
			return fmt.Errorf("look at what arrived: %w", err)
		}
		if err := a.compare(i, got[:]); err != nil {
			return err
		}
	}
	return nil
}

// prepare creates the programs that the device runs around samples.
func (a *arrivals) prepare(to gpu.Buffer) (err error) {
	if a.poison != nil {
		return nil
	}
	if a.aside, err = a.scope.Stored(gpu.Shared, places*perSample*gpu.CopyAlign, "words that arrived"); err != nil {
		return err
	}
	var fills []gpu.Command
	for i, at := range a.at {
		fills = append(fills, gpu.Fill{To: gpu.Binding{Buffer: to, Offset: at}, Bytes: gpu.CopyAlign, Value: poisonFor(a.word(i))})
	}
	for place := range places {
		var copies []gpu.Command
		for i, at := range a.at {
			aside := gpu.Binding{Buffer: a.aside, Offset: a.place(place, i)}
			copies = append(copies, gpu.Copy{From: gpu.Binding{Buffer: to, Offset: at}, To: aside, Bytes: gpu.CopyAlign})
		}
		p, err := a.scope.prepare(copies...)
		if err != nil {
			return err
		}
		a.copies = append(a.copies, p)
	}
	a.poison, err = a.scope.prepare(fills...)
	return err
}

func (a *arrivals) place(place, i int) int { return (place*perSample + i) * gpu.CopyAlign }

// Sample is part of sampled.
func (m *moves) Sample(ctx context.Context, reps int) (measure.Pending, error) {
	switch {
	case m.arrivals == nil:
		return m.Start(ctx, reps)
	case m.Host != nil:
		return m.sampleByHost(ctx, reps)
	}
	return m.sampleByDevice(ctx, reps)
}

func (m *moves) sampleByHost(ctx context.Context, reps int) (measure.Pending, error) {
	if err := m.arrivals.arm(m.To); err != nil {
		return nil, err
	}
	wait, err := m.Start(ctx, reps)
	if err != nil {
		return nil, err
	}
	return wait, m.arrivals.look(m.To, func(i int) int { return m.arrivals.at[i] })
}

func (m *moves) sampleByDevice(ctx context.Context, reps int) (measure.Pending, error) {
	a := m.arrivals
	if err := a.prepare(m.To.(gpu.Buffer)); err != nil {
		return nil, fmt.Errorf("look at what arrived: %w", err)
	}
	place := a.next % len(a.copies)
	a.next++
	var pending []func() (gpu.Timing, error)
	var wait measure.Pending
	err := m.submitAround(ctx, &pending, a.poison, a.copies[place], func() (err error) {
		wait, err = m.Start(ctx, reps)
		return err
	})
	ended := func() (err error) {
		for _, p := range pending {
			_, failed := p()
			err = cmp.Or(err, failed)
		}
		return err
	}
	if err != nil {
		return nil, errors.Join(err, ended())
	}
	return func() (float64, error) {
		t, err := wait()
		if err = cmp.Or(err, ended()); err != nil {
			return t, err
		}
		return t, a.look(a.aside, func(i int) int { return a.place(place, i) })
	}, nil
}

// submitAround starts programs before and after what `between` starts.
func (m *moves) submitAround(ctx context.Context, pending *[]func() (gpu.Timing, error), before, after gpu.Program, between func() error) error {
	b := m.scope.bench
	submit := func(p gpu.Program) error {
		wait, err := b.start(ctx, b.Queue, p, 1)
		if err == nil {
			*pending = append(*pending, wait)
		}
		return err
	}
	if err := submit(before); err != nil {
		return err
	}
	if err := between(); err != nil {
		return err
	}
	return submit(after)
}
