package quant

import (
	"strings"
	"testing"
)

func TestFormatNames(t *testing.T) {
	var names []string
	for _, f := range Formats(MinBlock, MaxBlock) {
		names = append(names, f.String())
	}
	const want = "f32, f16, bf16, int8 tensor, int8 block 256, int8 block 128, int8 block 64, int8 block 32, " +
		"int4 tensor, int4 block 256, int4 block 128, int4 block 64, int4 block 32"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("formats %s, want %s", got, want)
	}
}

func TestCheckBlock(t *testing.T) {
	for _, block := range []int{32, 64, 128, 256} {
		if err := CheckBlock(block); err != nil {
			t.Error(err)
		}
	}
	for _, block := range []int{-64, 0, 16, 33, 96, 512} {
		if err := CheckBlock(block); err == nil || !strings.Contains(err.Error(), "power of two from 32 to 256") {
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
		{Format{}, 3, 5, 60, 0, 32},
		{Format{Kind: F16}, 3, 5, 30, 0, 16},
		{Format{Kind: Int8}, 4, 10, 48, 1, 9.6},
		{Format{Int8, 32}, 2, 64, 160, 4, 10},
		{Format{Int8, 32}, 2, 65, 2*65 + 6*8, 6, 8 * (2*65 + 6*8) / 130.0},
		{Format{Kind: Int4}, 1, 1, 9, 1, 72},
		{Format{Kind: Int4}, 3, 5, 3*3 + 8, 1, 8 * 17 / 15.0},
		{Format{Int4, 64}, 2, 128, 128 + 32, 4, 5},
		{Format{Int8, 32}, 0, 64, 0, 0, 0},
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
