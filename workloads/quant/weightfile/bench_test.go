package weightfile

import (
	"bytes"
	"testing"

	"assay/workloads/quant"
	"assay/workloads/quant/weighttest"
)

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

func BenchmarkReadGGUF(b *testing.B) {
	const rows, cols = 64, 4096
	w := make([]float32, rows*cols)
	quant.NewGenerator(1, cols, quant.Outliers{}).Fill(w)
	for id, k := range map[uint32]quant.Kind{2: "q4_0", 8: "q8_0", 12: "q4_K", 14: "q6_K"} {
		b.Run(string(k), func(b *testing.B) {
			raw := (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{weighttest.Matrix(b, "w", id, k, w, rows)}}).Encode(b)
			f, err := newFile("bench.gguf", bytes.NewReader(raw), int64(len(raw)))
			if err != nil {
				b.Fatal(err)
			}
			x, err := f.Tensor("w")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(x.Bytes())
			for b.Loop() {
				if err := f.ReadFloat32At(x, w, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
