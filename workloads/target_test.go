package workloads

import (
	"strings"
	"testing"

	"assay/internal/stats"
)

// configured is a result with a throughput in GFLOP/s and a power in W, both known within 1 %; 0: no power.
func configured(name string, speed, watts float64) Result {
	within := func(v float64) stats.Interval { return stats.Interval{Median: v, Lo: 0.99 * v, Hi: 1.01 * v} }
	r := Result{ID: name, Case: name, Variant: "f32", Status: OK}
	r.Values.Set(Throughput, within(speed*1e9))
	if watts > 0 {
		r.Values.Set(LoadPower, within(watts))
		r.Values.Set(OpsPerJoule, within(speed*1e9/watts))
	} else {
		r.Values.SetText(EnergySource, "not available: no counter is known for this device")
	}
	return r
}

func TestTargets(t *testing.T) {
	// Half of the speed takes a third of the power.
	all := []Result{configured("128", 100, 60), configured("512", 200, 180), configured("1024", 300, 300), configured("2048", 301, 310)}
	broken := configured("4096", 900, 10)
	broken.Status = Failed
	disturbed := configured("8192", 900, 10)
	disturbed.Warn("disturbed", "another program")
	dark := configured("256", 50, 0) // disturbed, and without power
	dark.Warn("disturbed", "another program")
	for _, c := range []struct {
		target   string
		of       []Result
		want     string // the case
		sentence []string
	}{
		{"fastest", all, "2048", []string{"Products: the target is the fastest; of 4 configurations, it is 2048, f32: 301 ", "Not shown to be worse: 1024, f32."}},
		{"per-watt", all, "128", []string{"the most work per watt", "60", "1.67 (1.65 to 1.68) GFLOP/J"}},
		{"within=200", all, "512", []string{"the fastest within 200 W", "2 of them stay within the limit"}},
		{"within=181 W", all, "128", []string{"1 of them stay"}}, // the interval of 512 ends beyond
		{"within=10", all, "", []string{"none of 4 configurations stays within it"}},
		{"fastest", append([]Result{broken, disturbed}, all...), "2048", []string{"of 4 configurations", "Left out: 1 of 5 results disturbed."}},
		{"within=10", append([]Result{disturbed}, all...), "", []string{"none of 4 configurations stays within it. Left out: 1 of 5 results disturbed."}},
		{"fastest", []Result{all[0], disturbed, disturbed}, "", []string{"no conclusion. 2 of 3 results disturbed: measure again on a quiet machine."}},
		{"per-watt", []Result{all[0], disturbed, disturbed}, "", []string{"no conclusion. 2 of 3 results disturbed"}},
		{"per-watt", []Result{broken, dark, dark, dark}, "", []string{"no conclusion. The power of 3 of 3 results is not available: no counter is known for this device."}},
		{"within=50", []Result{configured("64", 10, 0), dark, broken}, "", []string{"no conclusion. The power of 2 of 2 results is not available"}},
		{"fastest", []Result{broken}, "", []string{"no conclusion. No result has a time."}},
		{"per-watt", append([]Result{configured("64", 10, 0)}, all...), "", []string{"no conclusion", "The power of 1 of 5 results is not available: no counter is known for this device."}},
		{"fastest", []Result{configured("64", 10, 0)}, "64", nil},
		{"fastest", []Result{disturbed}, "", []string{"1 of 1 result disturbed"}},
	} {
		target, err := ParseTarget(c.target)
		if err != nil {
			t.Fatal(err)
		}
		found := target.Choose("Products", c.of)
		if len(found) != 1 || found[0].Case != c.want {
			t.Errorf("%s: %+v", c.target, found)
			continue
		}
		for _, words := range c.sentence {
			if text := found[0].Sentence(); !strings.Contains(text, words) {
				t.Errorf("%s says %q, want %q", c.target, text, words)
			}
		}
	}
	if found := (Target{}).Choose("Products", all); found != nil {
		t.Errorf("without a target: %+v", found)
	}
	for _, text := range []string{"slowest", "within", "within=", "within=-1", "within=NaN", "within=1e9", "fastest=3"} {
		if _, err := ParseTarget(text); err == nil || !strings.Contains(err.Error(), "within=WATTS") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
