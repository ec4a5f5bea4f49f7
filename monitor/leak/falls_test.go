package leak

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Memory that is released again is reported: how often, and by how much. Noise and steady growth are not.
func TestFallsAreTold(t *testing.T) {
	tooth := func(period, size float64) program {
		return func(at float64) float64 { return size * math.Mod(math.Floor(at), period) / period }
	}
	for _, c := range []struct {
		name string
		p    program
		want string // at the end; empty: no falls
	}{
		{"teeth", plus(constant(100*mb), tooth(100, 50*mb)), ", fell 5 times, by up to 49.0 MB"},
		{"teeth that grow", plus(leaks(0.1*mb), tooth(250, 200*mb)), ", fell 2 times, by up to 198 MB"},
		{"one fall", func(at float64) float64 { return 100*mb - 50*mb*min(2, math.Floor(at/200)) }, ", fell once, by 100 MB"},
		{"noise", plus(constant(100*mb), tooth(7, 0.5*mb)), ""},
		{"steps", func(at float64) float64 { return 10 * mb * math.Floor(at/200) }, ""},
		{"leak with teeth", plus(leaks(mb), tooth(10, 5*mb)), ""},
	} {
		var trend Trend
		start := time.Unix(1_000_000, 0)
		for i := range minutes * 60 {
			trend.Observe(start.Add(time.Duration(i)*time.Second), c.p(float64(i)))
		}
		v := trend.Judge(start, start.Add(time.Hour), hostLimits)
		if got := v.Words("B", start); !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "fell") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
