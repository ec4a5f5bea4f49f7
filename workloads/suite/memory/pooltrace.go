package memory

import (
	"math"
	"math/rand/v2"

	"assay/gpu"
	"assay/workloads"
)

// Values of the parameter profile.
const (
	training  = "training"
	inference = "inference"
	oneOff    = "one-off"
)

// profile is a kind of work, characterized by the buffers that it requests.
type profile struct {
	name, param, title string
	band               [2]float64 // percent of requests that a pool serves from its cache, as published
	trace              func(unit, steps int, r *rand.Rand) trace
}

// profiles lists them. The bands come from the guide that the workload "published" cites for batching.
func profiles() []profile {
	return []profile{
		{training, "training", "Training", [2]float64{80, 95}, trainingTrace},
		{inference, "inference", "Batch inference", [2]float64{60, 80}, inferenceTrace},
		{oneOff, "one_off", "One-off work", [2]float64{0, 20}, oneOffTrace},
	}
}

func profileOptions() []workloads.Option {
	list := []workloads.Option{{Value: all}}
	abouts := map[string]string{
		training:  "The same sizes in every step: activations of eight layers kept until their gradients are computed.",
		inference: "Batches of 1 to 16 rows, each with a few buffers of its size.",
		oneOff:    "Buffers of sizes that rarely recur.",
	}
	for _, p := range profiles() {
		list = append(list, workloads.Option{Value: p.name, Title: p.title, About: abouts[p.name], Typical: p.name == training})
	}
	return list
}

// chosenProfiles returns the profiles chosen by the parameter profile.
func chosenProfiles(v workloads.Values) []profile {
	var list []profile
	for _, p := range profiles() {
		if c := v.String("profile"); c == all || c == p.name {
			list = append(list, p)
		}
	}
	return list
}

// act is a request for a buffer, or the release of one.
type act struct {
	bytes int // 0: release
	at    int // index of the trace's buffer
}

// trace is the sequence of a job's requests and releases, beginning and ending with no buffer.
type trace struct {
	acts    []act
	buffers int // maximum number of live buffers
	free    []int
}

// take requests a buffer and returns its index.
func (t *trace) take(bytes int) int {
	at := t.buffers
	if n := len(t.free); n > 0 {
		at = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		t.buffers++
	}
	t.acts = append(t.acts, act{max(bytes, 1), at})
	return at
}

func (t *trace) give(at int) {
	t.acts = append(t.acts, act{at: at})
	t.free = append(t.free, at)
}

// acquires returns the number of requests.
func (t *trace) acquires() (n int) {
	for _, a := range t.acts {
		if a.bytes > 0 {
			n++
		}
	}
	return n
}

// peakSizes is the maximum number of typical buffers that a trace holds at once: that of training.
const peakSizes = layers * (1 + 3 + 4)

const layers = 8

// trainingTrace keeps three activations per layer until the layer's gradients are computed, in two more buffers.
func trainingTrace(unit, steps int, _ *rand.Rand) trace {
	var t trace
	for range steps {
		var kept [layers][3]int
		for l := range kept {
			kept[l] = [3]int{t.take(unit), t.take(3 * unit), t.take(4 * unit)}
		}
		for l := layers - 1; l >= 0; l-- {
			wide, narrow := t.take(4*unit), t.take(unit)
			for _, at := range kept[l] {
				t.give(at)
			}
			t.give(wide)
			t.give(narrow)
		}
	}
	return t
}

// inferenceTrace answers requests of 1 to 16 rows, four per step: input and output, and two hidden activations.
func inferenceTrace(unit, steps int, r *rand.Rand) trace {
	var t trace
	for range 4 * steps {
		rows := 1 + r.IntN(16)
		bytes := max(rows*unit/16, 1)
		in, first := t.take(bytes), t.take(4*bytes)
		t.give(in)
		second := t.take(4 * bytes)
		t.give(first)
		out := t.take(bytes)
		t.give(second)
		t.give(out)
	}
	return t
}

// oneOffTrace requests buffers of sizes from a sixteenth of the unit to eight times the unit; every second one is kept for a while.
func oneOffTrace(unit, steps int, r *rand.Rand) trace {
	var t trace
	var kept []int
	for i := range 6 * steps {
		at := t.take(int(float64(unit) * math.Exp2(7*r.Float64()-4)))
		if i%2 == 0 {
			kept = append(kept, at)
		} else {
			t.give(at)
		}
		if len(kept) > 4 {
			t.give(kept[0])
			kept = kept[1:]
		}
	}
	for _, at := range kept {
		t.give(at)
	}
	return t
}

// peaks returns the maximum number of live buffers of each class, keyed by the granted size.
func (t *trace) peaks(granted func(bytes int) int) map[int]int {
	live, most, size := map[int]int{}, map[int]int{}, make([]int, t.buffers)
	for _, a := range t.acts {
		if a.bytes == 0 {
			live[size[a.at]]--
			continue
		}
		size[a.at] = granted(a.bytes)
		live[size[a.at]]++
		most[size[a.at]] = max(most[size[a.at]], live[size[a.at]])
	}
	return most
}

// play runs a trace on a pool, and writes each buffer if requested. All leases have ended when it returns.
func (t *trace) play(p *gpu.Pool, leases []gpu.Lease, write bool) error {
	for _, a := range t.acts {
		if a.bytes == 0 {
			if err := leases[a.at].Release(); err != nil {
				return err
			}
			leases[a.at] = gpu.Lease{}
			continue
		}
		l, err := p.Acquire(a.bytes, "trace")
		if err == nil {
			leases[a.at] = l
			if write {
				err = l.Fill(byte(a.at))
			}
		}
		if err != nil {
			return errorsJoin(err, leases)
		}
	}
	return nil
}
