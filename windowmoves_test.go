package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// moves returns what scripts/windowmoves.awk prints for rounds with these ratios, of results with an interval of ± half.
func moves(t *testing.T, half float64, disturbed int, ratios ...float64) string {
	t.Helper()
	var in strings.Builder
	for i, r := range ratios {
		for condition, time := range map[string]float64{"none": 1e-3, "window": r * 1e-3} {
			flag := 0
			if condition == "window" && i < disturbed {
				flag = 1
			}
			fmt.Fprintf(&in, "%d %s 256 %.9g %.9g %.9g %d\n", i, condition, time, time*(1-half), time*(1+half), flag)
		}
	}
	cmd := exec.Command("awk", "-f", "scripts/windowmoves.awk")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// A change of less than the interval is reported as such only if enough undisturbed rounds show it.
func TestWindowMovesIsNotToldForGood(t *testing.T) {
	same := []float64{1.001, 0.999, 1.0005, 0.9995, 1.0002, 0.9998, 1.0001, 1}
	for _, c := range []struct {
		name   string
		half   float64
		soiled int
		ratios []float64
		want   string
	}{
		{"same", 0.005, 0, same, "8 rounds: less than the interval of a result"},
		{"slower", 0.005, 0, []float64{1.02, 1.03, 1.021, 1.019, 1.025, 1.024, 1.02, 1.03}, "8 rounds: MORE than the interval of a result"},
		{"faster", 0.005, 0, []float64{0.98, 0.97, 0.981, 0.979, 0.975, 0.974, 0.98, 0.97}, "8 rounds: MORE than the interval of a result"},
		{"between", 0.005, 0, []float64{1.004, 1.006, 1.003, 1.007, 1.005, 1.002, 1.004, 1.009}, "8 rounds: inconclusive"},
		{"few rounds", 0.005, 0, same[:5], "inconclusive: 5 of 5 rounds undisturbed, want 6"},
		{"disturbed", 0.005, 3, same, "inconclusive: 5 of 8 rounds undisturbed, want 6"},
		{"coarse", 0.1, 0, same, "8 rounds: inconclusive: the result's own interval is wider than ± 2 %"},
	} {
		if got := moves(t, c.half, c.soiled, c.ratios...); !strings.HasSuffix(got, c.want) || !strings.HasPrefix(got, "256, window: ") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A result without an interval is unknown, not exactly known.
func TestWindowMovesOfUnknownIntervals(t *testing.T) {
	var in strings.Builder
	for i := range 8 {
		fmt.Fprintf(&in, "%d none 256 1e-3 - - 0\n%d window 256 1.1e-3 - - 0\n", i, i)
	}
	cmd := exec.Command("awk", "-f", "scripts/windowmoves.awk")
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil || !strings.HasPrefix(string(out), "256, window: inconclusive: 0 of 8 rounds undisturbed") {
		t.Errorf("%q, %v", out, err)
	}
}

// The interval of a ratio contains the median in 95 of 100 cases: on each side, as many means of pairs of rounds lie outside as
// the tables of Wilcoxon's test give for 5 %, two-sided.
func TestWindowMovesInterval(t *testing.T) {
	for n, outside := range map[int]int{6: 0, 8: 3, 9: 5, 12: 13, 20: 52, 40: 264} {
		ratios := make([]float64, n)
		var sums []int
		for i := range ratios {
			ratios[i] = 1 + float64(i+1)/1000
			for j := range i + 1 {
				sums = append(sums, i+1+j+1)
			}
		}
		slices.Sort(sums)
		got := moves(t, 0.01, 0, ratios...)
		want := fmt.Sprintf("(%+.2f to %+.2f)", float64(sums[outside])/20, float64(sums[len(sums)-1-outside])/20)
		if !strings.Contains(got, want) {
			t.Errorf("%d rounds: %s, want %s", n, got, want)
		}
	}
}
