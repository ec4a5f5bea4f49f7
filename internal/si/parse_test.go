package si

import (
	"errors"
	"strings"
	"testing"
)

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]int64{
		"64": 64, "4096": 4096, "64 MB": 64_000_000, "64mb": 64_000_000, "1.5 GiB": 1_610_612_736, "4 KiB": 4096, "0": 0, "1 B": 1,
		"12,800 kB": 12_800_000, " 2GB ": 2_000_000_000, "1,234,567 B": 1_234_567, "1,000.5 kB": 1_000_500, "1.001 GB": 1_001_000_000,
		"1KB": 1000, "1.5GB": 1_500_000_000, "16MiB": 16 << 20, "2 TiB": 2 << 40, "3G": 3_000_000_000, "3Gi": 3 << 30, "7B": 7,
		"1,000": 1000,
	} {
		if got, err := ParseBytes(s); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", s, got, err, want)
		}
	}
	for s, why := range map[string]string{
		"": "no number", "MB": "no number", "-3 MB": "negative", "-1": "negative", "3 parsecs": "unknown unit “parsecs”",
		"1e30 TB": "too large", "1e300": "too large", "9223372036854775807": "too large", "9999999999999999999999 GB": "too large",
		"NaN": "no number", "five MB": "is not a number", "3 parsecs of this": "unknown unit", "Inf": "no number", "1XB": "unknown unit “XB”",
		"1MiBB": "unknown unit", "1BM": "unknown unit", "1,5 GB": "a comma only separates", "12,80 kB": "a comma only", ",500 kB": "a comma only",
		"1.5,000 kB": "a comma only", "1234,567 B": "a comma only", "+ B": "is not a number",
	} {
		_, err := ParseBytes(s)
		var size *SizeError
		if !errors.As(err, &size) || !strings.Contains(size.Why, why) || size.Text != strings.TrimSpace(s) {
			t.Errorf("%q gives %v, want %q", s, err, why)
		}
	}
}

func FuzzParseBytes(f *testing.F) {
	f.Add("64 MB")
	f.Add("1.5GiB")
	f.Add("12,800 kB")
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := ParseBytes(s); err == nil && v < 0 {
			t.Errorf("%q is %d", s, v)
		}
	})
}

func TestTyped(t *testing.T) {
	for s, want := range map[string]string{
		"65536": "65536", "65,536": "65536", " 65 536 ": "65536", "65\u00a0536": "65536", "-1,024.5": "-1024.5",
		"1,5": "1,5", "many": "many", "": "", // which no number is read from
	} {
		if got := Typed(s); got != want {
			t.Errorf("%q is read as %q, want %q", s, got, want)
		}
	}
}
