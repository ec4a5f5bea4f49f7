package gpu_test

import (
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
