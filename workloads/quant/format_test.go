package quant

import (
	"strings"
	"testing"
)

func TestFormatNamesRoundTrip(t *testing.T) {
	all := Formats(MinBlock, MaxBlock)
	if len(all) != 12 {
		t.Fatalf("%d formats, want f32, f16 and 5 each of int8 and int4", len(all))
	}
	seen := map[string]bool{}
	for _, f := range all {
		got, err := ParseFormat(f.String())
		if err != nil || got != f {
			t.Errorf("ParseFormat(%q) = %v, %v", f.String(), got, err)
		}
		if seen[f.String()] {
			t.Errorf("%q occurs twice", f.String())
		}
		seen[f.String()] = true
	}
}

func TestParseFormatRefuses(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"", "want f32"},
		{"int2", "want f32"},
		{"f32 tensor", "want nothing after it"},
		{"int8", "int8 tensor or int8 block N"},
		{"int8 block", "int8 tensor or int8 block N"},
		{"int4 block x", "whole number"},
		{"int4 block 16", "power of two from 32 to 256"},
		{"int4 block 96", "power of two from 32 to 256"},
		{"int4 block 512", "power of two from 32 to 256"},
		{"int4 block -64", "power of two from 32 to 256"},
	} {
		if f, err := ParseFormat(tc.in); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("ParseFormat(%q) = %v, %v; want an error with %q", tc.in, f, err, tc.want)
		}
	}
}

func TestFormatBytes(t *testing.T) {
	for _, tc := range []struct {
		format     string
		rows, cols int
		bytes      int64
		scales     int
		bits       float64
	}{
		{"f32", 3, 5, 60, 0, 32},
		{"f16", 3, 5, 30, 0, 16},
		{"int8 tensor", 4, 10, 48, 1, 9.6},
		{"int8 block 32", 2, 64, 160, 4, 10},
		{"int8 block 32", 2, 65, 2*65 + 6*8, 6, 8 * (2*65 + 6*8) / 130.0},
		{"int4 tensor", 1, 1, 9, 1, 72},
		{"int4 tensor", 3, 5, 3*3 + 8, 1, 8 * 17 / 15.0},
		{"int4 block 64", 2, 128, 128 + 32, 4, 5},
		{"int8 block 32", 0, 64, 0, 0, 0},
	} {
		f, err := ParseFormat(tc.format)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Bytes(tc.rows, tc.cols); got != tc.bytes {
			t.Errorf("%s [%d, %d]: %d B, want %d B", tc.format, tc.rows, tc.cols, got, tc.bytes)
		}
		if got := f.Scales(tc.rows, tc.cols); got != tc.scales {
			t.Errorf("%s [%d, %d]: %d scales, want %d", tc.format, tc.rows, tc.cols, got, tc.scales)
		}
		if got := f.BitsPerWeight(tc.rows, tc.cols); got != tc.bits {
			t.Errorf("%s [%d, %d]: %g bits a weight, want %g", tc.format, tc.rows, tc.cols, got, tc.bits)
		}
	}
}
