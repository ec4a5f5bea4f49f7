package bench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// sampledMoves are moves of 1000 bytes on the fake engine.
func sampledMoves(t *testing.T, of func(s *Scope, sent []byte) Moves) *moves {
	t.Helper()
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	t.Cleanup(s.Release)
	sent := make([]byte, 1000)
	for i := range sent {
		sent[i] = byte(i)
	}
	w, err := s.Moves(of(s, sent))
	if err != nil {
		t.Fatal(err)
	}
	return w.(*moves)
}

// sampleOf returns the error of a sample.
func sampleOf(t *testing.T, w *moves) error {
	t.Helper()
	wait, err := w.Sample(t.Context(), 2)
	if err == nil {
		_, err = wait()
	}
	return err
}

func wantWrong(t *testing.T, err error, text string) {
	t.Helper()
	if !errors.Is(err, measure.ErrOutput) || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want an output that is wrong: %q", err, text)
	}
}

func TestHostMovesAreVerified(t *testing.T) {
	to := make(Memory, 1000)
	var send func(sent []byte)
	w := sampledMoves(t, func(_ *Scope, sent []byte) Moves {
		return Moves{Sent: sent, To: to, Host: func(context.Context) error {
			send(sent)
			return nil
		}}
	})
	right := func(sent []byte) { copy(to, sent) }
	send = right
	if err := sampleOf(t, w); err != nil {
		t.Error(err)
	}
	send = func([]byte) {}
	wantWrong(t, sampleOf(t, w), "did not arrive")
	send = func(sent []byte) { copy(to, sent[4:]) }
	wantWrong(t, sampleOf(t, w), "of what arrived are 04 05 06 07, want 00 01 02 03")
	send = right
	if err := sampleOf(t, w); err != nil {
		t.Error(err)
	}
}

func TestDeviceMovesAreVerified(t *testing.T) {
	var source gpu.Buffer
	moves := func(to func(target, other gpu.Buffer) gpu.Buffer) *moves {
		return sampledMoves(t, func(s *Scope, sent []byte) Moves {
			var all [3]gpu.Buffer
			for i := range all {
				b, err := s.Stored(gpu.Shared, len(sent), "buffer")
				if err != nil {
					t.Fatal(err)
				}
				all[i] = b
			}
			source = all[0]
			if err := source.Write(0, sent); err != nil {
				t.Fatal(err)
			}
			copied := gpu.Copy{From: gpu.Binding{Buffer: source}, To: gpu.Binding{Buffer: to(all[1], all[2])}, Bytes: len(sent)}
			return Moves{Sent: sent, To: all[1], Commands: []gpu.Command{copied}}
		})
	}
	w := moves(func(target, _ gpu.Buffer) gpu.Buffer { return target })
	for range 2 * places {
		if err := sampleOf(t, w); err != nil {
			t.Fatal(err)
		}
	}
	if err := source.Write(996, []byte{1, 2, 3, 4}); err != nil { // the last word
		t.Fatal(err)
	}
	wantWrong(t, sampleOf(t, w), "bytes 996 to 999 of what arrived are 01 02 03 04, want e4 e5 e6 e7")
	wantWrong(t, sampleOf(t, moves(func(_, other gpu.Buffer) gpu.Buffer { return other })), "did not arrive")
}

// Nothing is checked if nothing moves, or less than a word.
func TestMovesWithoutWords(t *testing.T) {
	for _, m := range []Moves{{Sent: make([]byte, 100), Still: true}, {Sent: make([]byte, 3)}} {
		m.To, m.Host = make(Memory, 100), func(context.Context) error { return nil }
		if err := sampleOf(t, sampledMoves(t, func(*Scope, []byte) Moves { return m })); err != nil {
			t.Error(err)
		}
	}
}
