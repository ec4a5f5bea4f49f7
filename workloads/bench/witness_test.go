package bench

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"strings"
	"sync"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/shaders/norm"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// lapse is an engine that does something else than it is told for one command buffer with launches, and says nothing.
type lapse struct {
	gpu.Engine
	at int // number of that command buffer; negative: none
	// instead runs in its place; nil: nothing does.
	instead gpu.Program

	mu   sync.Mutex
	done int
}

func (l *lapse) NewQueue(label string) (gpu.Queue, error) {
	q, err := l.Engine.NewQueue(label)
	return &lapseQueue{q, l}, err
}

func (l *lapse) due(p gpu.Program) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.Launches() == 0 {
		return false
	}
	l.done++
	return l.done-1 == l.at
}

type lapseQueue struct {
	gpu.Queue
	lapse *lapse
}

func (q *lapseQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	switch {
	case !q.lapse.due(p):
		return q.Queue.Submit(p, repeat)
	case q.lapse.instead == nil:
		return idleSubmission{}, nil
	}
	return q.Queue.Submit(q.lapse.instead, 1)
}

// negated measures y = silu(x) of 2000 elements in a kind of work on an engine with a lapse, whose queue the bench has, and returns the one
// result and how many command buffers with launches there were.
func negated(t *testing.T, at int, zeros bool, work func(s *Scope, d gpu.Launch) (Work, error)) (workloads.Result, int) {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	l := &lapse{Engine: b.Engine, at: at}
	queue, err := l.NewQueue("lapsing")
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	b.Env.Engine, b.Env.Queue = l, queue
	bench := New(b.Env)
	bench.Workload = &workloads.Workload{Name: "test"}
	err = bench.MeasureAll(t.Context(), []Case{{Name: "case", Build: func(s *Scope) ([]Variant, error) {
		const n = 2000
		x, err := s.Random(shaders.F32, n, "x")
		if err != nil {
			return nil, err
		}
		y, err := s.Buffer(shaders.F32, n, "y")
		if err != nil {
			return nil, err
		}
		d, err := s.Dispatch(shaders.Pick{Op: "silu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: n}, x, y)
		if err != nil {
			return nil, err
		}
		if zeros {
			if l.instead, err = s.prepare(gpu.Fill{To: gpu.Binding{Buffer: y}, Bytes: 4 * n}); err != nil {
				return nil, err
			}
		}
		w, err := work(s, d)
		return []Variant{{Name: "variant", Work: w}}, err
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Measured) != 1 {
		t.Fatalf("%d results", len(b.Measured))
	}
	return b.Measured[0], l.done
}

// A command buffer that is silently skipped, or leaves zeros, in the middle of sampling is noticed, whoever times the sample; the result
// has no time. So is one in calibration and warm-up, and the last.
func TestEverySampleIsVerified(t *testing.T) {
	kinds := map[string]func(s *Scope, d gpu.Launch) (Work, error){
		"the device times": func(s *Scope, d gpu.Launch) (Work, error) { return s.Launches([]gpu.Launch{d}), nil },
		"the host times":   func(s *Scope, d gpu.Launch) (Work, error) { return s.Submitted(1, []gpu.Launch{d}) },
		"streams":          func(s *Scope, d gpu.Launch) (Work, error) { return s.Streams(s.Launches([]gpu.Launch{d})) },
	}
	for name, work := range kinds {
		right, all := negated(t, -1, false, work)
		if right.Status != workloads.OK || all < 12 {
			t.Fatalf("%s: without a lapse %s, %q; %d command buffers", name, right.Status, right.Failure.Text, all)
		}
		for _, at := range []int{1, all / 3, all / 2, all - 2} {
			for _, zeros := range []bool{false, true} {
				r, _ := negated(t, at, zeros, work)
				words := "was not written"
				if zeros {
					words = "is 0, want"
				}
				if r.Status != workloads.Failed || r.Failure.Kind != workloads.WrongOutput || !strings.Contains(r.Failure.Text, words) {
					t.Errorf("%s, command buffer %d of %d, zeros %v: %s, %q", name, at, all, zeros, r.Status, r.Failure.Text)
				}
				benchtest.Untimed(t, &r)
				if at == all/2 && !strings.Contains(r.Failure.Text, "sample ") {
					t.Errorf("%s: it does not say which sample: %q", name, r.Failure.Text)
				}
			}
		}
	}
}

// Samples of a case that go around several sets are verified each by the sets that they took.
func TestEverySampleOfARotationIsVerified(t *testing.T) {
	rotating := func(s *Scope, d gpu.Launch) (Work, error) {
		ring, err := s.Outputs(4*2000, 5, "ring")
		if err != nil {
			return nil, err
		}
		d.Bindings = []gpu.Binding{d.Bindings[0], {Buffer: ring.Buffer}}
		return s.Launches(Rotate(d, ring)...), nil
	}
	right, all := negated(t, -1, false, rotating)
	if right.Status != workloads.OK {
		t.Fatalf("without a lapse %s, %q", right.Status, right.Failure.Text)
	}
	for _, at := range []int{1, all / 3, all / 2, all - 2} {
		if r, _ := negated(t, at, false, rotating); r.Status != workloads.Failed || !strings.Contains(r.Failure.Text, "was not written") {
			t.Errorf("command buffer %d of %d: %s, %q", at, all, r.Status, r.Failure.Text)
		}
	}
}

// There is room for the words of every segment, of whatever rounds and repetitions.
func TestRoomForWords(t *testing.T) {
	for round := 1; round <= 130; round++ {
		l := &launches{sets: make([][]gpu.Launch, round)}
		w := newWitnesses(l)
		for reps := 1; reps <= 2*round; reps++ {
			n, count := l.segments(reps)
			last := w.from(slot{segment{(n - 1) * count, count}, places - 1})
			if last+perSample*gpu.CopyAlign > w.room() {
				t.Fatalf("%d sets, %d repetitions: words at byte %d of %d", round, reps, last, w.room())
			}
		}
	}
}

// What differs by rounding passes; what differs by more, an integer that differs at all, and poison do not.
func TestWordsAreCompared(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	s := New(b.Env).NewScope(t.Context())
	defer s.Release()
	x, _ := s.Random(shaders.F32, 8, "x")
	y, err := s.Buffer(shaders.F32, 8, "y")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: 8}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	word := func(v float64) []byte {
		data := make([]byte, 4)
		shaders.View{Type: shaders.F32, Data: data}.Set(0, v)
		return data
	}
	w := witness{launch: d, arg: 1, seen: word(1), may: []shaders.Expected{{Want: 1, Within: 1e-6}}}
	for got, wrong := range map[float64]bool{1: false, 1 + 1.5e-6: false, 1 - 1.5e-6: false, 1.001: true, 0: true} {
		if said := w.compare(word(got)); (said != "") != wrong {
			t.Errorf("%v: %q", got, said)
		}
	}
	poisoned := []byte{gpu.PoisonByte, gpu.PoisonByte, gpu.PoisonByte, gpu.PoisonByte}
	if said := w.compare(poisoned); !strings.Contains(said, "byte 0 of out was not written") {
		t.Errorf("poison: %q", said)
	}
	if w.seen = poisoned; w.poison() == gpu.PoisonByte {
		t.Error("a word that is right looks as if it were poisoned")
	}
}

// Work without words, such as the host's, is started as it is.
func TestWorkWithoutWords(t *testing.T) {
	w := Host(func(context.Context, int) (float64, error) { return 2, nil })
	wait, err := sampler(w)(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if seconds, err := wait(); seconds != 2 || err != nil {
		t.Errorf("%v, %v", seconds, err)
	}
	var _ func(context.Context, int) (measure.Pending, error) = w.Start
}

// Samples in place have no reference: one that is skipped does not end as the ones before it.
func TestEverySampleInPlaceIsCompared(t *testing.T) {
	inPlace := func(s *Scope, _ gpu.Launch) ([]gpu.Launch, error) {
		x, err := s.Random(shaders.F32, 4*500, "x")
		if err != nil {
			return nil, err
		}
		weight, err := s.Random(shaders.F32, 500, "weight")
		if err != nil {
			return nil, err
		}
		d, err := s.Dispatch(shaders.Pick{Op: "rmsnorm", Type: shaders.F32}, nil, norm.RMSNormParams{Rows: 4, Cols: 500, Eps: 1e-5}, x, weight)
		return []gpu.Launch{d}, err
	}
	kinds := map[string]func(s *Scope, d gpu.Launch) (Work, error){
		"the device times": func(s *Scope, d gpu.Launch) (Work, error) {
			set, err := inPlace(s, d)
			return s.Launches(set), err
		},
		"streams": func(s *Scope, d gpu.Launch) (Work, error) {
			set, err := inPlace(s, d)
			if err != nil {
				return nil, err
			}
			return s.Streams(s.Launches(set))
		},
	}
	for name, work := range kinds {
		right, all := negated(t, -1, false, work)
		if right.Status != workloads.OK || all < 12 {
			t.Fatalf("%s: without a lapse %s, %q; %d command buffers", name, right.Status, right.Failure.Text, all)
		}
		for _, at := range []int{all / 2, all - 3} {
			r, _ := negated(t, at, false, work)
			if r.Status != workloads.Failed || !strings.Contains(r.Failure.Text, "repetitions in place is not as") {
				t.Errorf("%s, command buffer %d of %d: %s, %q", name, at, all, r.Status, r.Failure.Text)
			}
			benchtest.Untimed(t, &r)
		}
	}
}

// Where the order of sums is left open, samples differ a little: that is not wrong, and from then on nothing is compared.
func TestSamplesInPlaceMayDiffer(t *testing.T) {
	spec := &shaders.Kernel{Name: "kernel", Args: []shaders.Arg{{Name: "x", Type: shaders.F32, Access: shaders.InOut}}}
	words := []witness{{launch: gpu.Launch{Kernel: kernelOf{spec}}, seen: make([]byte, 4), repeats: true}}
	bits := func(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) }
	for name, c := range map[string]struct {
		values []float32
		wrong  bool
	}{
		"the same": {[]float32{1, 1, 1, 1}, false}, "never the same": {[]float32{1, 2, 3}, false}, "nearly": {[]float32{1, 1, 1.001, 5}, false},
		"wrong": {[]float32{1, 1, 1, 1.5}, true}, "wrong, not a number": {[]float32{1, 1, float32(math.NaN())}, true},
	} {
		w := &witnesses{ends: map[ending]*ends{}}
		var err error
		for _, x := range c.values {
			err = cmp.Or(err, w.repeat(ending{}, words, bits(x)))
		}
		if (err != nil) != c.wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type kernelOf struct{ spec *shaders.Kernel }

func (k kernelOf) Spec() *shaders.Kernel { return k.spec }
