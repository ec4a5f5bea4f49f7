package app

import (
	"math"
	"strings"
	"testing"
	"time"

	"assay/workloads"
	"assay/workloads/measure"
)

func TestDriftWords(t *testing.T) {
	slow := measure.Drift{Change: 0.5, Part: "compute", Was: 2e-3, Is: 3e-3, Half: 0.021}
	for _, tc := range []struct {
		act         workloads.DriftAct
		title, text string
	}{
		{workloads.Discarded, "Device slowed down", "case discarded and measured again (a): the anchor is 50 % slower than at the start (compute): 3.00 ms, was 2.00 ms"},
		{workloads.Recovered, "Cooled down", "after 3.00 s the anchor is 50 % slower than at the start (compute): 3.00 ms, was 2.00 ms; it can be read to ± 2.10 %"},
		{workloads.Kept, "Device slowed down", "marked (a): the anchor is 50 % slower than at the start (compute): 3.00 ms, was 2.00 ms"},
	} {
		title, text := driftWords(&workloads.Drifted{Act: tc.act, Cases: []string{"a"}, Drift: slow, Waited: 3 * time.Second})
		if title != tc.title || text != tc.text {
			t.Errorf("%s: %q, %q", tc.act, title, text)
		}
	}
	slow.Half = math.Inf(1)
	if _, text := driftWords(&workloads.Drifted{Act: workloads.Recovered, Drift: slow}); !strings.HasSuffix(text, "; there were too few samples to tell how precise that is") {
		t.Errorf("of few samples: %q", text)
	}
	fast := measure.Drift{Change: -0.4, Part: "compute", Was: 3e-3, Is: 1.8e-3}
	title, text := driftWords(&workloads.Drifted{Act: workloads.Discarded, Cases: []string{"a", "b"}, Drift: fast})
	if title != "Device was slow at the start" ||
		text != "2 cases discarded and measured again (a, b): the anchor is 40 % faster than at the start (compute): 1.80 ms, was 3.00 ms; what follows is compared with its time now" {
		t.Errorf("%q, %q", title, text)
	}
}
