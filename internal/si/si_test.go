package si

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{Time(0.00123456), "1.23 ms"},
		{Time(0.9999), "1.00 s"},
		{Time(12345), "12345 s"},
		{Time(9.9996e-4), "1.00 ms"},
		{Time(3.2e-7), "320 ns"},
		{Time(4e-12), "4.00 ps"},
		{Time(0), "0 s"},
		{Time(nan), Unknown},
		{Format(148e9, "FLOP/s"), "148 GFLOP/s"},
		{Format(3.804e5, "items/s"), "380 k items/s"},
		{Format(8, "items/s"), "8.00 items/s"},
		{Format(nan, "B"), Unknown},
		{Format(inf, "B"), "infinite"},
		{Bytes(4194304), "4.19 MB"},
		{Bytes(999), "999 B"},
		{Bytes(nan), Unknown},
		{Ratio(1.4213), "1.42×"},
		{Ratio(nan), Unknown},
		{Counted(1, "result"), "1 result"},
		{Counted(0, "result"), "0 results"},
		{Counted(14000, "result"), "14,000 results"},
		{Digits(0.0456), "0.0456"},
		{Digits(999.6), "1000"},
		{Digits(-12.34), "-12.3"},
		{Format(-3.956, "dB"), "-3.96 dB"},
		{Bytes(-12), "-12 B"},
		{Digits(0.00033), "0.000330"},
		{Digits(0.000332), "0.000332"},
		{Digits(5e-6), "5.00e-06"},
		{Digits(1.5e6), "1.50e+06"},
		{Digits(4.77e-6), "4.77e-06"},
		{Range(8.41e-5, 8.36e-5, 8.44e-5, "s"), "84.1 (83.6 to 84.4) µs"},
		{Range(999.7e-6, 990e-6, 1010e-6, "s"), "1.00 (0.990 to 1.01) ms"},
		{Range(2000, 1990, 2010, "s"), "2000 (1990 to 2010) s"},
		{Range(3.804e5, 3.773e5, 3.837e5, "items/s"), "380 (377 to 384) k items/s"},
		{Range(193e9, 190e9, 195e9, "FLOP/s"), "193 (190 to 195) GFLOP/s"},
		{Range(52e9, 52e9, 52e9, "FLOP/s"), "52.0 GFLOP/s"},
		{Range(52e9, -inf, inf, "FLOP/s"), "52.0 GFLOP/s"},
		{Range(nan, nan, nan, "s"), Unknown},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// Every unit of the table is found, and is written and read with each of its prefixes.
func TestUnits(t *testing.T) {
	for i := range units {
		u := &units[i]
		if got := Find(u.Symbol); got != *u || u.Symbol == "" || u.Lowest < minExp || u.Highest >= len(prefixes)+minExp {
			t.Errorf("%q is found as %+v", u.Symbol, got)
		}
		for exp := u.Lowest; exp <= u.Highest; exp++ {
			if got := u.Exponent(1.5 * u.Power(exp)); u.Kind == Scaled && got != exp {
				t.Errorf("1.5 %s has exponent %d", u.Name(exp), got)
			}
		}
	}
	for word, want := range map[string]bool{
		"ms": true, "µs": true, "GFLOP/s": true, "MiB": true, "kB/s": true, "%": true, "°C": true, "GHz": true, "mW": true, "min": true,
		"ks": false, "mB": false, "": false, "k": false, "ratio": false, "rows": false, "1/s": false, "kdB": false,
	} {
		if IsUnit(word) != want {
			t.Errorf("%q is a unit: %v", word, !want)
		}
	}
	for _, c := range []struct {
		v          float64
		unit, want string
	}{
		{0.5, "ratio", "50.0 %"},
		{512, "B", "512 B"},
		{0.5, "B", "0.500 B"},
		{3 << 20, "iB", "3.00 MiB"},
		{1536, "iB", "1.50 KiB"},
		{46758, "1/s", "46.8 k"},
		{0.012, "1/s", "0.0120"},
		{4096, "rows", "4096 rows"},
		{0.04, "dB", "0.0400 dB"},
		{2e18, "FLOP/s", "2.00 EFLOP/s"},
	} {
		if got := Format(c.v, c.unit); got != c.want {
			t.Errorf("%g %s is %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// A change says its direction, and its interval if it has two ends.
func TestChangeInWords(t *testing.T) {
	inf := math.Inf(1)
	for want, v := range map[string][3]float64{
		"1.22× slower (1.01–1.52)":  {1 / 1.22, 1 / 1.52, 1 / 1.01},
		"1.22× faster (1.01–1.52)":  {1.22, 1.01, 1.52},
		"1.05× slower (0.900–1.20)": {1 / 1.05, 1 / 1.2, 1 / 0.9},
		"1.00× (0.990–1.01)":        {1, 0.99, 1.01},
		"2.00× faster":              {2, -inf, inf},
		"2.00× slower":              {0.5, -inf, inf},
		"":                          {math.NaN(), math.NaN(), math.NaN()},
	} {
		if got := Change(v[0], v[1], v[2]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for want, v := range map[string][3]float64{
		"1.22× slower than f32 (1.01–1.52)": {1 / 1.22, 1 / 1.52, 1 / 1.01},
		"2.00× faster than f32":             {2, 2, 2},
		"as fast as f32 (0.990–1.01)":       {1, 0.99, 1.01},
	} {
		if got := ChangeFrom(v[0], v[1], v[2], "f32"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDurationInWords(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "less than 1 s", 12.4: "12 s", 89: "89 s", 200: "3 min 20 s", 7500: "2 h 05 min",
	} {
		if got := Duration(seconds); got != want {
			t.Errorf("Duration(%v) = %q, want %q", seconds, got, want)
		}
	}
}
