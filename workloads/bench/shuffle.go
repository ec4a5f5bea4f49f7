package bench

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"assay/gpu"
	"assay/shaders"
)

// order is a permutation of the numbers below n, which is derived from a seed and takes no memory.
type order struct {
	n, mask, seed uint64
}

func orderOf(n int, seed uint64) order {
	return order{uint64(n), 1<<bits.Len64(uint64(max(1, n-1))) - 1, seed}
}

// at returns number i of the permutation: invertible steps mix the bits, and are repeated while the result is beyond the end.
func (o order) at(i uint64) uint64 {
	const rounds = 3
	half := uint(bits.Len64(o.mask)+1) / 2
	for {
		for r := range uint64(rounds) {
			i = (i*0x9E3779B97F4A7C15 + o.seed + r) & o.mask // odd: a permutation of the numbers up to the mask
			i ^= i >> half
		}
		if i < o.n {
			return i
		}
	}
}

// Shuffled returns the numbers below n in an order derived from the run's seed. Nothing may write to it.
//
//go:noinline
func (s *Scope) Shuffled(n int, label string) (gpu.Buffer, error) {
	o := orderOf(n, s.bench.Seed)
	return s.numbers(n, label, "shuffled", o.at)
}

// Linked returns a list of n places, each holding the next one, so that they form one circle in an order derived from the
// run's seed. Place i is number i·every of a buffer; the numbers between are 0. It also returns every place that is `steps` after the
// previous one, starting with the first.
//
//go:noinline
func (s *Scope) Linked(n, every, steps int, label string) (list gpu.Buffer, visited []uint32, err error) {
	o := orderOf(n, s.bench.Seed)
	for i := 0; i < n; i += steps {
		visited = append(visited, uint32(o.at(uint64(i)))*uint32(every))
	}
	next := make([]uint32, n)
	at := o.at(0)
	for i := range n {
		to := o.at(uint64((i + 1) % n))
		next[at] = uint32(to) * uint32(every)
		at = to
	}
	list, err = s.numbers(n*every, label, fmt.Sprintf("linked every %d", every), func(i uint64) uint64 {
		if i%uint64(every) != 0 {
			return 0
		}
		return uint64(next[i/uint64(every)])
	})
	return list, visited, err
}

// Clocked reports whether the engine's times show when the device began after a submission.
func (s *Scope) Clocked() bool { return s.bench.Engine.Info().GapWhy == "" }

// numbers returns a buffer of n numbers; kind distinguishes buffers with the same seed.
//
//go:noinline
func (s *Scope) numbers(n int, label, kind string, at func(i uint64) uint64) (gpu.Buffer, error) {
	return Cached(s, fmt.Sprintf("%s × %d, seed %d", kind, n, s.bench.Seed), func(s *Scope) (gpu.Buffer, error) {
		b, err := s.Buffer(shaders.U32, n, label)
		if err != nil {
			return nil, err
		}
		return b, s.fill(b, shaders.U32, n, func(v shaders.View, from int) error {
			for i := range v.Len() {
				binary.NativeEndian.PutUint32(v.Data[4*i:], uint32(at(uint64(from+i))))
			}
			return nil
		})
	})
}
