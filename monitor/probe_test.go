package monitor

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"testing"
	"time"
)

func TestUseSince(t *testing.T) {
	from := cpuTime{busy: 1000, idle: 1000, steal: 10}
	for _, c := range []struct {
		name string
		now  cpuTime
		own  float64
		want coreUse
	}{
		{"two others of four ticks", cpuTime{busy: 1100, idle: 1100, steal: 10}, 0.5, coreUse{busy: 0.5, own: 0.25, others: 0.25}},
		{"stolen", cpuTime{busy: 1100, idle: 1100, steal: 30}, 0.5, coreUse{busy: 0.5, own: 0.25, others: 0.15, steal: 0.1}},
		{"own time is finer than a tick", cpuTime{busy: 1100, idle: 1000, steal: 10}, 1.02, coreUse{busy: 1, own: 1}},
		{"own time goes back", cpuTime{busy: 1100, idle: 1000, steal: 10}, -1, coreUse{busy: 1, others: 1}},
	} {
		got, ok := c.now.useSince(from, c.own)
		if !ok || !near(got.busy, c.want.busy) || !near(got.own, c.want.own) || !near(got.others, c.want.others) || !near(got.steal, c.want.steal) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if _, ok := from.useSince(from, 1); ok {
		t.Error("no time has passed, and there is a share")
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestProbe(t *testing.T) {
	times, fails, now := cpuTime{busy: 100, idle: 100}, false, time.Unix(0, 0)
	stalled, swapped := 1.0, 5e6
	p := newProbe(func(context.Context) (cpuTime, error) {
		if fails {
			return cpuTime{}, errors.New("no")
		}
		return times, nil
	}, func() (float64, float64) { return stalled, swapped })
	p.now = func() time.Time { return now }
	unknown(t, "the first lap", p.Lap())

	times.busy, times.idle, times.steal = times.busy+2000, times.idle+2000, times.steal+400 // far more than this test's own time
	now, stalled, swapped = now.Add(2*time.Second), stalled+0.5, swapped+6e6
	lap := p.Lap()
	if math.Abs(lap.Others-0.4) > 0.05 || !near(lap.Steal, 0.1) || !near(lap.Stalled, 0.25) || !near(lap.Swapped, 3e6) {
		t.Errorf("lap %+v", lap)
	}

	fails, stalled, swapped, now = true, math.NaN(), math.NaN(), now.Add(time.Second)
	unknown(t, "nothing can be read", p.Lap())
}

func failingTimes(context.Context) (cpuTime, error) { return cpuTime{}, errors.New("no") }

func unknown(t *testing.T, when string, lap Lap) {
	t.Helper()
	for _, v := range []float64{lap.Others, lap.OthersGPU, lap.Steal, lap.Stalled, lap.Swapped} {
		if !math.IsNaN(v) {
			t.Errorf("%s: %+v, want nothing known", when, lap)
		}
	}
}

// TestProbeOfThisMachine reads the real counters twice.
func TestProbeOfThisMachine(t *testing.T) {
	p := NewProbe()
	p.Lap()
	time.Sleep(50 * time.Millisecond)
	lap := p.Lap()
	for _, share := range []float64{lap.Others, lap.Steal, lap.Stalled} {
		if share < 0 || share > 1 {
			t.Errorf("shares %+v", lap)
		}
	}
	if math.IsNaN(lap.Others) {
		t.Errorf("the others' share is not known: %+v", lap)
	}
}

func BenchmarkProbe(b *testing.B) {
	p := NewProbe()
	for b.Loop() {
		p.Lap()
	}
}

func TestBusiestIsByProgram(t *testing.T) {
	names := map[int32]string{1: "init", 2: "clang", 3: "clang", 4: "hog", 5: ""}
	used := map[int32]float64{1: 0, 2: 2, 3: 2, 4: 3, 5: 9}
	top, ok := busiest(used, 2, func(pid int32) string { return names[pid] })
	if !ok || top.Name != "clang" || !near(top.Cores, 2) {
		t.Errorf("%+v, %v; want clang with 2 cores", top, ok)
	}
	if top, ok := busiest(map[int32]float64{1: 0}, 2, func(int32) string { return "init" }); ok {
		t.Errorf("%+v used nothing", top)
	}
}

// Another process of this program is distinguished from this one.
func TestAnotherAssayIsNamedByItsProcess(t *testing.T) {
	for name, want := range map[string]string{"assay": "another Assay (process 1234)", "clang": "clang", "": ""} {
		if got := otherName(1234, name, "assay"); got != want {
			t.Errorf("%q is called %q, want %q", name, got, want)
		}
	}
	if got := otherName(1234, "", ""); got != "" {
		t.Errorf("without a name: %q", got)
	}
}

// TestBusiestFindsAHog looks at the processes of this machine, one of which is deliberately busy.
func TestBusiestFindsAHog(t *testing.T) {
	var b Busiest
	if _, ok := b.Top(t.Context()); ok {
		t.Error("a top without a mark")
	}
	hog := exec.CommandContext(t.Context(), "sh", "-c", "while :; do :; done")
	if err := hog.Start(); err != nil {
		t.Fatal(err)
	}
	defer hog.Wait() //nolint:errcheck // it is killed
	defer hog.Process.Kill()
	b.Mark(t.Context())
	time.Sleep(300 * time.Millisecond)
	before, after := b.before[int32(hog.Process.Pid)], b.cores.read(t.Context())[int32(hog.Process.Pid)]
	top, ok := b.Top(t.Context())
	if !ok || after <= before {
		t.Errorf("the hog went from %v to %v s, the busiest is %+v, %v", before, after, top, ok)
	}
}

func BenchmarkBusiest(b *testing.B) {
	var c coreSeconds
	for b.Loop() {
		c.read(b.Context())
	}
}
