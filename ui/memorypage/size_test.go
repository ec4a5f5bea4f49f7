package memorypage

import (
	"strings"
	"testing"

	"assay/app"
	"assay/internal/si"
	"assay/ui/desk"
)

func TestParseCount(t *testing.T) {
	for s, want := range map[string]int{"0": 0, " 12 ": 12, "1,000": 1000} {
		if got, err := parseCount(s, 0, 1000); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", s, got, err, want)
		}
	}
	for s, words := range map[string]string{
		"": "no number", "1,5": "“1,5” is not a whole number", "1.5": "not a whole number", "many": "Enter one from 0 to 1,000",
		"-1": "out of range", "1001": "1,001 is out of range",
	} {
		if got, err := parseCount(s, 0, 1000); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q is %d (%v), want %q", s, got, err, words)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	f.Add("64 MB")
	f.Add("1.5GiB")
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := si.ParseBytes(s); err == nil && v < 0 {
			t.Errorf("%q is %d", s, v)
		}
	})
}

func TestSizeTextIsExact(t *testing.T) {
	for _, bytes := range []int64{0, 1, 999, 1000, 1500, 64_000_000, 1_000_000_000, 12_800_000_000, 1_073_741_824, 1_610_612_736, 123_456_789} {
		if back, err := si.ParseBytes(sizeText(bytes)); err != nil || back != bytes {
			t.Errorf("%d is written %q, which is read as %d (%v)", bytes, sizeText(bytes), back, err)
		}
	}
}

func TestScales(t *testing.T) {
	for _, n := range capacityStops() {
		if got := capacityOf(capacityAt(n)); got != n {
			t.Errorf("capacity %d comes back as %d", n, got)
		}
	}
	if at := capacityAt(15); at <= capacityAt(10) || at >= capacityAt(20) {
		t.Errorf("15 stands at %v", at)
	}
	const most = 16_000_000_000
	for _, bytes := range []int64{app.PoolBudgetMin, 12_000_000, 340_000_000, most} {
		if got := budgetOfPlace(budgetAt(bytes, app.PoolBudgetMin, most), app.PoolBudgetMin, most); got != bytes {
			t.Errorf("a budget of %d comes back as %d", bytes, got)
		}
	}
	if at := budgetAt(5, app.PoolBudgetMin, most); at != 0 {
		t.Errorf("a budget below the least stands at %v", at)
	}
}

func TestReuseBands(t *testing.T) {
	for rate, words := range map[float64]string{
		0: "one-off work: 0–20 %", 0.2: "one-off work:", 0.4: "between the bands", 0.6: "batch inference", 0.7999: "batch inference",
		0.8: "training: 80–95 %", 0.95: "training:", 0.99: "above training: 80–95 %",
	} {
		if got := reuseBand(rate, desk.PublishedBands()); !strings.Contains(got, words) {
			t.Errorf("%v is %q, want %q", rate, got, words)
		}
	}
}
