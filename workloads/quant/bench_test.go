package quant

import (
	"bytes"
	"testing"
)

func BenchmarkErrorsAdd(b *testing.B) {
	w, got := make([]float32, 1<<16), make([]float32, 1<<16)
	NewGenerator(1, 256, Outliers{}).Fill(w)
	NewGenerator(2, 256, Outliers{}).Fill(got)
	b.SetBytes(8 << 16)
	for b.Loop() {
		var e Errors
		if err := e.Add(w, got); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGenerator(b *testing.B) {
	w := make([]float32, 1<<16)
	g := NewGenerator(1, 4096, UsualOutliers())
	b.SetBytes(4 << 16)
	for b.Loop() {
		g.Fill(w)
	}
}

func BenchmarkReadFloat32(b *testing.B) {
	for _, c := range []content{
		{"F32", "F32", []int64{1 << 20}, make([]byte, 4<<20)},
		{"F16", "F16", []int64{1 << 20}, make([]byte, 2<<20)},
		{"BF16", "BF16", []int64{1 << 20}, make([]byte, 2<<20)},
	} {
		b.Run(c.dtype, func(b *testing.B) {
			raw := encode(b, nil, c)
			f, err := newFile("bench", bytes.NewReader(raw), int64(len(raw)))
			if err != nil {
				b.Fatal(err)
			}
			t, err := f.Tensor(c.name)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]float32, 1<<20)
			b.SetBytes(int64(len(c.data)))
			for b.Loop() {
				if err := f.ReadFloat32At(t, dst, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
