package quant

import (
	"math"
	"testing"
)

// The signal-to-noise ratio of each format on normal weights matches theory and ggml's own functions.
func TestSNROfNormalWeights(t *testing.T) {
	const rows, cols = 128, 4096
	w := generated(1, rows, cols, Outliers{})
	symmetric := func(k Kind, block int) Format { return Format{Kind: k, Block: block, Scheme: Symmetric} }
	// absmax is 10 log₁₀(12 Q²/E): Q codes on each side, E the mean square of a block's largest magnitude.
	absmax := func(q, e float64) float64 { return 10 * math.Log10(12*q*q/e) }
	for _, tc := range []struct {
		format Format
		want   float64
	}{
		{Format{Kind: F16}, 73.66},
		{Format{Kind: BF16}, 55.61},
		{Format{Kind: E4M3}, 31.55},
		{Format{Kind: E5M2}, 25.57},
		{Format{Kind: Ternary}, 5.79},
		{Format{Kind: "q8_0"}, 45.42},
		{Format{Kind: "q6_K"}, 35.01},
		{Format{Kind: "q4_K"}, 22.92},
		{Format{Kind: "q4_1"}, 22.13},
		{Format{Kind: "q4_0"}, 21.32},
		{symmetric(Int8, 32), absmax(127, 5.715) + 0.14},
		{symmetric(Int8, 64), absmax(127, 6.929) + 0.06},
		{symmetric(Int8, 128), absmax(127, 8.166)},
		{symmetric(Int8, 256), absmax(127, 9.438)},
		{symmetric(Int8, 1024), absmax(127, 12.03)},
		{symmetric(Int8, PerRow), absmax(127, 14.69)},
		{symmetric(Int4, 32), absmax(7, 5.715) + 0.14},
		{symmetric(Int4, 128), absmax(7, 8.166)},
		{symmetric(Int4, 1024), absmax(7, 12.03)},
		{Format{Kind: Int8, Block: 128, Scheme: Symmetric, Half: true}, absmax(127, 8.166)},
	} {
		p, _ := encoded(t, w, rows, cols, tc.format)
		if got := errorsOf(t, w, decoded(t, p)).SNR(); math.Abs(got-tc.want) > 0.2 {
			t.Errorf("%v: SNR %.2f dB, want %.2f", tc.format, got, tc.want)
		} else {
			t.Logf("%v: SNR %.2f dB, want %.2f", tc.format, got, tc.want)
		}
	}
}
