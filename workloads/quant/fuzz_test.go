package quant

import (
	"encoding/binary"
	"math"
	"testing"
)

// Decoding succeeds for any bytes of a matrix, and encoded weights are read back as finite.
func FuzzPacked(f *testing.F) {
	for i := range Kinds() {
		f.Add(uint8(i), int16(32), false, []byte{1, 2, 3, 0xff, 0x7f, 0x80, 0x3f, 0})
	}
	f.Fuzz(func(t *testing.T, kind uint8, block int16, half bool, raw []byte) {
		k := Kinds()[int(kind)%len(Kinds())]
		format := Format{Kind: k, Block: int(block), Half: half}
		const rows, cols = 2, 512
		p, err := NewPacked(format, rows, cols)
		if err != nil {
			return
		}
		w := make([]float32, rows*cols)
		for i := range w {
			w[i] = finite(raw, i)
		}
		tally, err := p.Encode(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, len(w))
		if err := p.Decode(got); err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if k.Scaled() && (v != v || v-v != 0) {
				t.Fatalf("%v: %g becomes %g, %+v", format, w[i], v, tally)
			}
		}
		if len(raw) == 0 {
			return
		}
		for i := range p.Planes { // any bytes
			for j := range p.Planes[i] {
				p.Planes[i][j] = raw[j%len(raw)]
			}
		}
		if p.Decode(got) != nil || p.Codes(make([]int16, len(w))) != nil {
			t.Fatal("bytes were refused")
		}
	})
}

// finite returns weight i of raw, repeated, as float32; 0 if it is not finite.
func finite(raw []byte, i int) float32 {
	if len(raw) < 4 {
		return 0
	}
	at := 4 * i % (len(raw) - 3)
	v := math.Float32frombits(binary.LittleEndian.Uint32(raw[at:]))
	if v-v != 0 {
		return 0
	}
	return v
}
