package ggml

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/half"
)

func block(t testing.TB, name string) Block {
	t.Helper()
	for _, b := range Blocks() {
		if b.Name == name {
			return b
		}
	}
	t.Fatalf("no format %s", name)
	return Block{}
}

// bell returns a number from −1 to 1, the sum of four uniform ones: exact, and so the same on every machine.
func bell(rng *rand.Rand) float32 {
	var sum int32
	for range 4 {
		sum += int32(rng.Uint32()>>11) - 1<<20
	}
	return float32(sum) * 0x1p-22
}

// shapes are the kinds of blocks tested.
func shapes() []func(rng *rand.Rand, i int) float32 {
	return []func(rng *rand.Rand, i int) float32{
		func(rng *rand.Rand, _ int) float32 { return bell(rng) },
		func(rng *rand.Rand, i int) float32 { // outliers
			if i%61 == 7 {
				return 64 * bell(rng)
			}
			return bell(rng) / 64
		},
		func(rng *rand.Rand, _ int) float32 { return 0x1p-120 * bell(rng) },
		func(rng *rand.Rand, _ int) float32 { return 0x1p-130 * bell(rng) }, // subnormal
		func(rng *rand.Rand, _ int) float32 { return 0x1p90 * bell(rng) },
		func(rng *rand.Rand, _ int) float32 { return 2 + bell(rng) }, // of one sign
		func(rng *rand.Rand, _ int) float32 { return bell(rng) - 2 },
		func(rng *rand.Rand, _ int) float32 { return float32(rng.IntN(31) - 15) }, // many ties
		func(rng *rand.Rand, i int) float32 { // mostly zeros
			if i%17 != 3 {
				return 0
			}
			return bell(rng)
		},
		func(*rand.Rand, int) float32 { return 0 },
		func(*rand.Rand, int) float32 { return float32(math.Copysign(0, -1)) },
		func(*rand.Rand, int) float32 { return 0.375 },
		func(*rand.Rand, int) float32 { return -3 },
		func(rng *rand.Rand, _ int) float32 { // of every magnitude
			return bell(rng) * math.Float32frombits(uint32(64+rng.IntN(128))<<23)
		},
	}
}

// sample returns blocks of 256 weights of every shape.
func sample() []float32 {
	rng := rand.New(rand.NewPCG(15, 149))
	var all []float32
	for range 100 {
		for _, shape := range shapes() {
			for i := range 256 {
				all = append(all, shape(rng, i))
			}
		}
	}
	return all
}

func encode(b Block, x []float32) []byte {
	out := make([]byte, len(x)/b.Weights*b.Bytes)
	for i := range len(x) / b.Weights {
		b.Encode(out[i*b.Bytes:(i+1)*b.Bytes], x[i*b.Weights:(i+1)*b.Weights])
	}
	return out
}

func decode(b Block, raw []byte) []float32 {
	out := make([]float32, len(raw)/b.Bytes*b.Weights)
	for i := range len(raw) / b.Bytes {
		b.Decode(out[i*b.Weights:(i+1)*b.Weights], raw[i*b.Bytes:(i+1)*b.Bytes])
	}
	return out
}

// The bytes equal those that ggml's own reference quantizers, compiled by gcc with -ffp-contract=off, wrote for the same weights; the
// checksums were taken from that output.
func TestBytesAreGGMLs(t *testing.T) {
	x := sample()
	for name, want := range map[string]string{
		"q8_0": "0982d5a9060e625a",
		"q4_0": "dc17c821c8fea6ba",
		"q4_1": "5df861d929bed362",
		"q4_K": "ae9c6f745a11ad29",
		"q6_K": "a7f53153d4c3fa3a",
	} {
		sum := sha256.Sum256(encode(block(t, name), x))
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: checksum %s, want %s", name, got, want)
		}
	}
}

// Blocks computed by hand.
func TestBytesByHand(t *testing.T) {
	x := make([]float32, 32)
	x[0], x[1], x[16], x[31] = -8, 8, 3, 0.5
	for name, want := range map[string]string{
		// d = 1 = 0x3c00; nibbles 0, 15 (clamped from 16), 8 for zeros; weight 16 above weight 0, 31 above 15.
		// 0.5 + 8.5 = 9 → 9.
		"q4_0": "003c" + "b08f888888888888888888888888" + "8898",
		// d = 16/15 = 0x3c44, m = −8 = 0xc800; 8 → 15, 3 → 11·15/16 + 0.5 = 10. 1/d is a bit below 15/16, so 0 falls short of 8, which 0.5 reaches.
		"q4_1": "443c00c8" + "a07f777777777777777777777777" + "7787",
		// d = 8/127 = 0x2c08; 3 · 15.875 = 47.6 → 48, 0.5 · 15.875 = 7.9 → 8.
		"q8_0": "082c" + "817f" + "0000000000000000000000000000" + "30" + "0000000000000000000000000000" + "08",
	} {
		if got := hex.EncodeToString(encode(block(t, name), x)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// valueOf returns weight i of a block according to the layout's definition, one bit field at a time.
var valueOf = map[string]func(b []byte, i int) float32{
	"q8_0": func(b []byte, i int) float32 { return at16(b, 0) * float32(int8(b[2+i])) },
	"q4_0": func(b []byte, i int) float32 { return at16(b, 0) * float32(field(b[2:], i%16*8+i/16*4, 4)-8) },
	"q4_1": func(b []byte, i int) float32 {
		return float32(at16(b, 0)*float32(field(b[4:], i%16*8+i/16*4, 4))) + at16(b, 2)
	},
	"q4_K": func(b []byte, i int) float32 {
		g, s := i/32, b[4:]
		scale, low := field(s, 8*g, 6), field(s, 8*g+32, 6)
		if g > 3 {
			scale = field(s, 8*g+32, 4) + 16*field(s, 8*g-26, 2)
			low = field(s, 8*g+36, 4) + 16*field(s, 8*g+6, 2)
		}
		code := field(b[16:], (g/2*32+i%32)*8+g%2*4, 4)
		return float32(at16(b, 0)*float32(scale)*float32(code)) - at16(b, 2)*float32(low)
	},
	"q6_K": func(b []byte, i int) float32 {
		part, in := i/128, i%128
		low := field(b, (part*64+in%64)*8+in/64*4, 4)
		high := field(b[128:], (part*32+in%32)*8+in/32*2, 2)
		return at16(b, 208) * float32(int8(b[192+i/16])) * float32(low+16*high-32)
	},
}

func at16(b []byte, at int) float32 { return half.To(uint16(b[at]) | uint16(b[at+1])<<8) }

// field returns `bits` bits starting at bit `at`.
func field(b []byte, at, bits int) int { return int(b[at/8]) >> (at % 8) & (1<<bits - 1) }

func TestDecodeByTheLayout(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, b := range Blocks() {
		raw := make([]byte, b.Bytes)
		got, codes := make([]float32, b.Weights), make([]int16, b.Weights)
		for range 200 {
			for i := range raw {
				raw[i] = byte(rng.Uint32())
			}
			b.Decode(got, raw)
			b.Codes(codes, raw)
			for i, v := range got {
				want := valueOf[b.Name](raw, i)
				if v != want && (v == v || want == want) {
					t.Fatalf("%s %x: weight %d is %g, want %g", b.Name, raw, i, v, want)
				}
				if int(codes[i]) < b.Lo || int(codes[i]) > b.Hi {
					t.Fatalf("%s: code %d, want %d to %d", b.Name, codes[i], b.Lo, b.Hi)
				}
			}
		}
	}
}

// Codes lie within half a step of their weights, apart from the effects of clamping and coarse scales.
func TestBlocksComeBack(t *testing.T) {
	for _, b := range Blocks() {
		rng := rand.New(rand.NewPCG(5, 6))
		x := make([]float32, 64*b.Weights)
		for i := range x {
			x[i] = bell(rng)
		}
		var noise, signal float64
		for i, v := range decode(b, encode(b, x)) {
			noise += float64(v-x[i]) * float64(v-x[i])
			signal += float64(x[i]) * float64(x[i])
		}
		// A uniform step's noise is its square / 12; 2^bits steps span about four deviations.
		got, want := 10*math.Log10(signal/noise), 6.02*float64(b.Bits)-2
		if math.Abs(got-want) > 3 {
			t.Errorf("%s: SNR %.1f dB, want about %.1f", b.Name, got, want)
		}
	}
}

// Weights beyond the range of codes are counted.
func TestClampedAreCounted(t *testing.T) {
	x := make([]float32, 256)
	for i := range x {
		x[i] = -1
	}
	x[5], x[40], x[200] = 1, 1, 1
	for name, want := range map[string]int{"q4_0": 3, "q8_0": 0, "q4_1": 0, "q4_K": 0} {
		b, n := block(t, name), 0
		for i := 0; i < len(x); i += b.Weights {
			n += b.Encode(make([]byte, b.Bytes), x[i:i+b.Weights])
		}
		if n != want {
			t.Errorf("%s: %d clamped, want %d", name, n, want)
		}
	}
}

// Any bytes decode without a panic, and any finite weights encode to bytes that decode to finite values.
func FuzzBlocks(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0x3c, 0x12}, 512))
	f.Add(bytes.Repeat([]byte{0xff}, 1024))
	f.Add(make([]byte, 1024))
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = append(raw, make([]byte, 1024)...)[:1024]
		x := make([]float32, 256)
		for i := range x {
			bits := uint32(raw[4*i]) | uint32(raw[4*i+1])<<8 | uint32(raw[4*i+2])<<16 | uint32(raw[4*i+3])<<24
			if x[i] = math.Float32frombits(bits); abs(x[i]) > math.MaxFloat32 || x[i] != x[i] {
				x[i] = 0
			}
		}
		for _, b := range Blocks() {
			decode(b, raw[:len(raw)/b.Bytes*b.Bytes])
			out := make([]byte, b.Bytes)
			if n := b.Encode(out, x[:b.Weights]); n < 0 || n > b.Weights {
				t.Fatalf("%s: %d of %d weights clamped", b.Name, n, b.Weights)
			}
			again := make([]byte, b.Bytes)
			b.Encode(again, x[:b.Weights])
			if !bytes.Equal(out, again) {
				t.Fatalf("%s: %x, and %x a second time", b.Name, out, again)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float32, 1<<16)
	for i := range x {
		x[i] = bell(rng)
	}
	for _, f := range Blocks() {
		b.Run(f.Name, func(b *testing.B) {
			out := make([]byte, len(x)/f.Weights*f.Bytes)
			b.SetBytes(int64(4 * len(x)))
			for b.Loop() {
				for i := range len(x) / f.Weights {
					f.Encode(out[i*f.Bytes:(i+1)*f.Bytes], x[i*f.Weights:(i+1)*f.Weights])
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, f := range Blocks() {
		b.Run(f.Name, func(b *testing.B) {
			x, out := sample()[:1<<16], make([]float32, 1<<16)
			raw := encode(f, x)
			b.SetBytes(int64(4 * len(x)))
			for b.Loop() {
				for i := range len(x) / f.Weights {
					f.Decode(out[i*f.Weights:(i+1)*f.Weights], raw[i*f.Bytes:(i+1)*f.Bytes])
				}
			}
		})
	}
}

// TestTermsAreWhatIsDecoded decomposes random blocks: each weight is its code times a scale, plus an offset, which decoding rounds.
func TestTermsAreWhatIsDecoded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, b := range Blocks() {
		src, w, codes, top := make([]byte, b.Bytes), make([]float32, b.Weights), make([]int16, b.Weights), 0.0
		for range 20 {
			b.Fill(src, r, 2)
			b.Decode(w, src)
			b.Codes(codes, src)
			for i := range w {
				code, scale, offset := b.Terms(src, i)
				rounding := 0x1p-23 * (math.Abs(code*scale) + math.Abs(offset))
				if code != float64(codes[i]) || math.Abs(b.At(src, i)-float64(w[i])) > rounding {
					t.Fatalf("%s: weight %d is %g · %g + %g, decoded %g of code %d", b.Name, i, code, scale, offset, w[i], codes[i])
				}
				top = max(top, math.Abs(b.At(src, i)))
			}
		}
		if top < 0.5 || top > 4 {
			t.Errorf("%s: the largest weight is %g, want about 2", b.Name, top)
		}
	}
}
