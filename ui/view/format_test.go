package view

import (
	"math"
	"testing"
)

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct {
		v          float64
		unit, want string
	}{
		{6.0952e-3, "s", "6.10 ms"},
		{4.53e-6, "s", "4.53 µs"},
		{999.6e-9, "s", "1.00 µs"},
		{72, "s", "72.0 s"},
		{5400, "s", "5400 s"},
		{148.2e9, "FLOP/s", "148 GFLOP/s"},
		{2.1e12, "FLOP/s", "2.10 TFLOP/s"},
		{512, "B", "512 B"},
		{4194304, "B", "4.19 MB"},
		{305600, "/s", "306 k/s"},
		{35.44, "dB", "35.4 dB"},
		{-3.2, "dB", "-3.20 dB"},
		{0, "B", "0 B"},
		{math.NaN(), "s", ""},
		{math.Inf(1), "B/s", ""},
		{3e-15, "s", "0.00300 ps"},
	} {
		if got := Quantity(c.v, c.unit); got != c.want {
			t.Errorf("Quantity(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}
