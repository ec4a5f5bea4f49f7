package gpu_test

import (
	"math/rand/v2"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

func benchPool(b *testing.B, o gpu.PoolOptions) *gpu.Pool {
	b.Helper()
	p, _ := scriptedPool(b, gputest.Script{}, o)
	b.ReportAllocs()
	return p
}

func turn(b *testing.B, p *gpu.Pool, n int) {
	l, err := p.Acquire(n, "bench")
	if err != nil {
		b.Fatal(err)
	}
	if err := l.Release(); err != nil {
		b.Fatal(err)
	}
}

// manyLeases is the number of live leases in benchmarks with many of them.
const manyLeases = 100_000

// crowded returns a pool with many live leases, of as many sizes as a large model has.
func crowded(b *testing.B) (*gpu.Pool, []gpu.Lease) {
	b.Helper()
	p := benchPool(b, gpu.PoolOptions{Mode: gpu.ModeDirty, Capacity: 1000})
	leases := make([]gpu.Lease, manyLeases)
	for i := range leases {
		leases[i] = acquire(b, p, 16+i%64*16)
	}
	b.Cleanup(func() { release(b, leases...) })
	return p, leases
}

func BenchmarkPoolAcquireRelease(b *testing.B) {
	for _, c := range []struct {
		name   string
		policy gpu.Policy
	}{{"fine", gpu.PolicyFine}, {"pow2", gpu.PolicyPow2}, {"exact", gpu.PolicyExact}} {
		b.Run(c.name, func(b *testing.B) {
			p := benchPool(b, gpu.PoolOptions{Policy: c.policy, Mode: gpu.ModeDirty})
			for b.Loop() {
				turn(b, p, 4096)
			}
		})
	}
	b.Run("parallel", func(b *testing.B) {
		p := benchPool(b, gpu.PoolOptions{Mode: gpu.ModeDirty})
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				turn(b, p, 4096)
			}
		})
	})
	b.Run("disabled", func(b *testing.B) {
		p := benchPool(b, gpu.PoolOptions{Mode: gpu.ModeDirty, Disabled: true})
		for b.Loop() {
			turn(b, p, 4096)
		}
	})
}

// The cost of many live leases: one more is acquired and released, and an old one is replaced.
func BenchmarkPoolCrowded(b *testing.B) {
	b.Run("one more", func(b *testing.B) {
		p, _ := crowded(b)
		for b.Loop() {
			turn(b, p, 4096)
		}
	})
	b.Run("any for another", func(b *testing.B) {
		p, leases := crowded(b)
		r := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			i := r.IntN(len(leases))
			n := leases[i].Size()
			if err := leases[i].Release(); err != nil {
				b.Fatal(err)
			}
			leases[i] = acquire(b, p, n)
		}
	})
}
