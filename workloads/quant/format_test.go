package quant

import (
	"strings"
	"testing"
)

func TestFormatNames(t *testing.T) {
	var names []string
	for _, f := range Grouped([]Kind{F32, F16, Int8, Int4, "q4_K"}, MinBlock, 256) {
		names = append(names, f.String())
	}
	const want = "f32, f16, int8 tensor, int8 block 256, int8 block 128, int8 block 64, int8 block 32, " +
		"int4 tensor, int4 block 256, int4 block 128, int4 block 64, int4 block 32, q4_K"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("formats %s, want %s", got, want)
	}
	for f, want := range map[Format]string{
		{Kind: Int4, Block: PerRow, Scheme: Symmetric, Half: true}: "int4 row symmetric, f16 scales",
		{Kind: Int8, Scheme: Affine}:                               "int8 tensor",
		{Kind: Ternary, Scheme: Absmean, Block: 32}:                "ternary block 32",
		{Kind: "none"}: "none",
	} {
		if got := f.String(); got != want {
			t.Errorf("%+v is called %q, want %q", f, got, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range everyFormat() {
		if got, err := ParseFormat(f.String()); err != nil || got != f {
			t.Errorf("%v is read as %v, %v", f, got, err)
		}
	}
	if f, err := ParseFormat("int4"); err != nil || f != (Format{Kind: Int4}) {
		t.Errorf("int4 is read as %v, %v", f, err)
	}
	for name, want := range map[string]string{
		"":                      "want a kind",
		"int9 tensor":           `no kind "int9"; there are f32, `,
		"int4 block":            `"block": want tensor, row or block`,
		"int4 block 48":         "power of two",
		"int4 block x":          "invalid syntax",
		"int4 tensor absmean":   `"absmean": want tensor, row or block N, then affine or symmetric, then ", f16 scales"; a row is an output channel`,
		"int4 channel":          "a row is an output channel",
		"f16 scales":            `must follow a format with scales, as in "int4 block 64, f16 scales"`,
		"q4_0 scales":           "want nothing after q4_0",
		"int4 tensor affine x":  `"affine x"`,
		"f16 row":               "f16 has no scales",
		"q4_K, f16 scales":      "q4_K has no scales",
		"ternary row symmetric": "then absmean",
	} {
		if _, err := ParseFormat(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// The description of a kind is consistent.
func TestKindsAreDescribed(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Kinds() {
		d := k.describe()
		if lo, hi := k.Codes(); seen[k] || !k.Known() || k.Bits() <= 0 || (lo != hi) != k.Quantized() || hi-lo >= 1<<k.Bits() {
			t.Errorf("%v: %d bits, codes %d to %d", k, k.Bits(), d.lo, d.hi)
		}
		if k.Scaled() && d.top <= 0 {
			t.Errorf("%v: no largest code", k)
		}
		seen[k] = true
	}
	if k, known := ParseKind("int5"); known || k.Bits() != 0 || k.Quantized() || (Format{Kind: k}).Bytes(3, 4) != 0 {
		t.Errorf("%v is a kind", k)
	}
}

func TestCheckBlock(t *testing.T) {
	for _, block := range []int{32, 64, 128, 256, 512, 1024} {
		if err := CheckBlock(block); err != nil {
			t.Error(err)
		}
	}
	for _, block := range []int{-64, 0, 16, 33, 96, 2048} {
		if err := CheckBlock(block); err == nil || !strings.Contains(err.Error(), "power of two from 32 to 1024") {
			t.Errorf("a block of %d: %v", block, err)
		}
	}
}

func TestFormatBytes(t *testing.T) {
	for _, tc := range []struct {
		format     Format
		rows, cols int
		bytes      int64
		scales     int
		bits       float64
	}{
		{Format{Kind: F32}, 3, 5, 60, 0, 32},
		{Format{Kind: F16}, 3, 5, 30, 0, 16},
		{Format{Kind: Int8}, 4, 10, 48, 1, 9.6},
		{Format{Kind: Int8, Block: 32}, 2, 64, 160, 4, 10},
		{Format{Kind: Int8, Block: 32}, 2, 65, 2*65 + 6*8, 6, 8 * (2*65 + 6*8) / 130.0},
		{Format{Kind: Int4}, 1, 1, 9, 1, 72},
		{Format{Kind: Int4}, 3, 5, 3*3 + 8, 1, 8 * 17 / 15.0},
		{Format{Kind: Int4, Block: 64}, 2, 128, 128 + 32, 4, 5},
		{Format{Kind: Int8, Block: 32}, 0, 64, 0, 0, 0},
		{Format{Kind: Int8, Block: 32, Scheme: Symmetric}, 2, 65, 2*65 + 6*4, 6, 8 * (2*65 + 6*4) / 130.0},
		{Format{Kind: Int4, Block: 32, Half: true}, 1, 64, 32 + 8, 2, 5},
		{Format{Kind: Int8, Block: PerRow, Scheme: Symmetric, Half: true}, 4, 10, 48, 4, 9.6},
		{Format{Kind: E4M3}, 4, 10, 44, 1, 8.8},
		{Format{Kind: Ternary}, 2, 5, 4 + 4, 1, 6.4},
		{Format{Kind: "q8_0"}, 2, 64, 136, 0, 8.5},
		{Format{Kind: "q4_0"}, 1, 64, 36, 0, 4.5},
		{Format{Kind: "q4_1"}, 1, 64, 40, 0, 5},
		{Format{Kind: "q4_K"}, 3, 256, 432, 0, 4.5},
		{Format{Kind: "q6_K"}, 1, 257, 420, 0, 8 * 420 / 257.0},
	} {
		f := tc.format
		if got := f.Bytes(tc.rows, tc.cols); got != tc.bytes {
			t.Errorf("%v [%d, %d]: %d B, want %d B", tc.format, tc.rows, tc.cols, got, tc.bytes)
		}
		if got := f.Scales(tc.rows, tc.cols); got != tc.scales {
			t.Errorf("%v [%d, %d]: %d scales, want %d", tc.format, tc.rows, tc.cols, got, tc.scales)
		}
		if got := f.BitsPerWeight(tc.rows, tc.cols); got != tc.bits {
			t.Errorf("%v [%d, %d]: %g bits a weight, want %g", tc.format, tc.rows, tc.cols, got, tc.bits)
		}
	}
}
