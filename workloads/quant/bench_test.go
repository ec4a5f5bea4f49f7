package quant

import "testing"

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

// benchFormats has one format for each way of storing weights.
func benchFormats() []Format {
	all := Grouped(Kinds(), 64, 64)
	return append(all, Format{Kind: Int8, Block: 64, Scheme: Symmetric, Half: true})
}

// Throughput counts the float32 weights.
func BenchmarkEncode(b *testing.B) {
	const rows, cols = 64, 1024
	w := generated(1, rows, cols, Outliers{})
	for _, f := range benchFormats() {
		b.Run(f.String(), func(b *testing.B) {
			p, err := NewPacked(f, rows, cols)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(4 * rows * cols)
			for b.Loop() {
				if _, err := p.Encode(w, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	const rows, cols = 64, 1024
	w := generated(1, rows, cols, Outliers{})
	for _, f := range benchFormats() {
		b.Run(f.String(), func(b *testing.B) {
			p, _, err := f.Encode(w, rows, cols)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]float32, rows*cols)
			b.SetBytes(4 * rows * cols)
			for b.Loop() {
				if err := p.Decode(dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
