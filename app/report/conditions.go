package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/monitor"
)

// conditions are the state of the machine during a run, from its monitor.
type conditions struct {
	hottest   monitor.State // thermal state; empty if none was read
	others    typical       // share of all cores used by programs other than Assay
	throttled typical       // how much the device, or on macOS always the GPU, was throttled; few systems report it
}

// typical is the median of a reading over a run.
type typical struct {
	value float64
	known bool
}

// conditionsOf reads the monitor's snapshots once, one by one: those of a long run are many times larger than its results.
func conditionsOf(r *bundle.Run) conditions {
	var c conditions
	var others, throttled held
	worst := -1
	look := func(s *monitor.Snapshot) error {
		reading, ok := s.Find(monitor.ThermalState)
		if rank, known := reading.Text.Rank(); ok && known && reading.Status == monitor.OK && rank > worst {
			worst, c.hottest = rank, reading.Text
		}
		if v, ok := othersOf(s, r.Meta.Host.Threads); ok && finite(v) {
			others.add(s.Time, v)
		}
		if v, ok := s.Throttled(r.Meta.Engine.GPU); ok && finite(v) {
			throttled.add(s.Time, v)
		}
		return nil
	}
	if r.EachSnapshot(look) != nil { // the file has disappeared since it was loaded: those in memory remain
		others, throttled = held{}, held{}
		for i := range r.Snapshots {
			_ = look(&r.Snapshots[i]) // it never fails
		}
	}
	c.others, c.throttled = others.typical(), throttled.typical()
	return c
}

// held is a reading over a run; the longer the run, the more rarely its ticks are kept.
type held struct {
	at     []time.Time
	values []float64
}

func (h *held) add(at time.Time, v float64) { h.at, h.values = append(h.at, at), append(h.values, v) }

// typical returns the value that was exceeded half of the time: each value lasted since the one before.
func (h *held) typical() typical {
	n := len(h.values)
	if n == 0 {
		return typical{}
	}
	order, lasted, total := make([]int, n), make([]float64, n), 0.0
	for i := range order {
		order[i] = i
		lasted[i] = h.at[i].Sub(h.at[max(0, i-1)]).Seconds()
		if i == 0 && n > 1 {
			lasted[0] = h.at[1].Sub(h.at[0]).Seconds()
		}
		lasted[i] = max(lasted[i], 1e-9)
		total += lasted[i]
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(h.values[a], h.values[b]) })
	sum := 0.0
	for k, i := range order {
		switch sum += lasted[i]; {
		case sum > total/2*(1+1e-9):
			return typical{h.values[i], true}
		case sum >= total/2*(1-1e-9) && k+1 < n: // exactly half
			return typical{(h.values[i] + h.values[order[k+1]]) / 2, true}
		}
	}
	return typical{h.values[order[n-1]], true}
}

// othersOf is the share of all cores used by programs other than Assay at one moment.
func othersOf(s *monitor.Snapshot, threads int) (float64, bool) {
	host, inHost := s.Value(monitor.HostCPU)
	own, inOwn := s.Value(monitor.ProcessCPU)
	if threads <= 0 || !inHost || !inOwn {
		return 0, false
	}
	return max(0, host-own/float64(threads)), true
}

// heat compares the hottest thermal states.
func heat(base, run conditions) (told, unknown string) {
	b, r := base.hottest, run.hottest
	switch {
	case b == "" && r == "":
		return "", "the thermal state of both runs"
	case b == "":
		return "", "the thermal state of the baseline"
	case r == "":
		return "", "the thermal state of this run"
	case b != r:
		return fmt.Sprintf("Hottest thermal state %s (baseline: %s).", r, b), ""
	}
	return "", ""
}

// company compares the share of the CPU that other programs used.
func company(base, run conditions) (told, unknown string) {
	b, r := base.others, run.others
	const what = "the share of the CPU that other programs used"
	switch {
	case !b.known && !r.known:
		return "", what + " in both runs"
	case !b.known:
		return "", what + " in the baseline"
	case !r.known:
		return "", what + " in this run"
	case max(b.value, r.value) > QuietShare:
		return fmt.Sprintf("Other programs used %.0f %% of the CPU (baseline: %.0f %%).", 100*r.value, 100*b.value), ""
	}
	return "", ""
}

// slowdown compares how much the machine was throttled.
func slowdown(base, run conditions) (told, unknown string) {
	b, r := base.throttled, run.throttled
	const step = 0.02
	if b.known && r.known && math.Abs(b.value-r.value) > step {
		told = fmt.Sprintf("Throttled by %.0f %% (baseline: %.0f %%).", 100*r.value, 100*b.value)
	}
	return told, ""
}

// disturbance returns the noise floor of two runs, and why the machine's load prevents a comparison, if it does.
func disturbance(base, run conditions) (floor float64, reason string) {
	if !base.others.known || !run.others.known {
		return NoiseFloor, ""
	}
	return underLoad(base.others.value, run.others.value, takeCPU)
}

// takeCPU says what others do with the CPU.
const takeCPU = "other programs or virtual machines used the CPU"

// underLoad is disturbance for a share that others took in both runs; who names them and what they used. Programs on the CPU
// also share memory, heat and power with a GPU.
func underLoad(base, run float64, who string) (floor float64, reason string) {
	switch {
	case max(base, run) <= QuietShare:
		return NoiseFloor, ""
	case math.Abs(base-run) > QuietShare:
		return BusyFloor, who + " much more in one of the runs"
	}
	return BusyFloor, ""
}
