package exec

import (
	"context"
	"fmt"
	"slices"

	"assay/gpu/msl"
)

// raced is a byte of a buffer that depends on the order of threads.
type raced struct{ buffer, at int }

// Race runs a dispatch in several orders of its threads, each from the same memory, and compares the results: an order with
// different bytes is a *Fault. The buffers hold the result of the first order. Threadgroup memory is poisoned, since what an
// earlier order left there may be the very value that a missing barrier fails to wait for.
func (k *Kernel) Race(ctx context.Context, l Launch, orders int) error {
	l.poison = true
	start := copyBuffers(&l)
	if err := k.run(ctx, l, 0); err != nil {
		return err
	}
	for order := 1; order < orders; order++ {
		again := l
		again.Buffers = cloneAll(&start)
		if err := k.run(ctx, again, order); err != nil {
			return err
		}
		if err := k.compare(&l, &again, order); err != nil {
			return err
		}
	}
	return nil
}

func copyBuffers(l *Launch) [31][]byte { return cloneAll(&l.Buffers) }

// cloneAll copies every buffer once, however often it is bound.
func cloneAll(all *[31][]byte) [31][]byte {
	var out [31][]byte
	copies := map[*byte][]byte{}
	for i, b := range all {
		if len(b) == 0 {
			out[i] = b
			continue
		}
		c, ok := copies[&b[0]]
		if !ok || len(c) < len(b) {
			c = slices.Clone(b)
			copies[&b[0]] = c
		}
		out[i] = c[:len(b)]
	}
	return out
}

// compare reports the first byte in which two orders differ.
func (k *Kernel) compare(first, other *Launch, order int) error {
	for i, want := range first.Buffers {
		got := other.Buffers[i]
		for j := range want {
			if want[j] != got[j] {
				f := &Fault{Kernel: k.Name(), File: k.object.Place(0, 0).File, race: &raced{i, j}}
				f.Message = fmt.Sprintf("data race: byte %d of buffer %d%s depends on the order of threads (order %d differs)",
					j, i, k.bufferName(i), order)
				return f
			}
		}
	}
	return nil
}

func (k *Kernel) bufferName(index int) string {
	for _, a := range k.object.Entry.Args {
		if a.Kind == msl.Buffer && a.Index == index && a.Name != "" {
			return " (" + a.Name + ")"
		}
	}
	return ""
}
