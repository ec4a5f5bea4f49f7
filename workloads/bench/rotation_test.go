package bench

import (
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/elementwise"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// There are enough sets to fill the cache twice, within the limits of memory and the caller; fewer bytes than the cache
// are noted.
func TestRotation(t *testing.T) {
	const mib = 1 << 20
	for _, tc := range []struct {
		name                  string
		cache, working, bytes int64
		maxSets, sets         int
		noted                 bool
	}{
		{"large sets", 32 * mib, 1 << 40, 64 * mib, 512, 1, false},
		{"small sets", 32 * mib, 1 << 40, mib, 512, 64, false},
		{"not a whole number", 32 * mib, 1 << 40, 3 * mib, 512, 22, false},
		{"too many sets", 32 * mib, 1 << 40, 1000, 512, 512, true},
		{"little memory", 32 * mib, 512 * mib, mib, 512, 16, true},
		{"unknown cache", 0, 1 << 40, 64 * mib, 512, 4, false},
		{"unknown memory", 32 * mib, 0, 16 * mib, 512, 4, false},
	} {
		info := gpu.Info{LastLevelCache: tc.cache, WorkingSet: tc.working}
		got := rotation(info, tc.bytes, tc.maxSets)
		if got.Sets != tc.sets || (got.Note != "") != tc.noted || len(got.Notes()) > 0 != tc.noted {
			t.Errorf("%s: %+v, want %d sets, noted %v", tc.name, got, tc.sets, tc.noted)
		}
	}
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	if got := s.Rotation(FromCache, 1, 512); got.Sets != 1 || got.Note != "" {
		t.Errorf("operands in cache: %+v", got)
	}
}

// ringOf is ReLU on a number of sets of operands, each of eight elements.
func ringOf(t *testing.T, s *Scope, sets int) [][]gpu.Launch {
	t.Helper()
	x, err := s.Random(shaders.F32, 8, "x")
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Copies(x, 32, sets, "copies")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Outputs(32, sets, "out")
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Dispatch(shaders.Pick{Op: "relu", Type: shaders.F32}, nil, elementwise.ElementwiseParams{N: 8}, in.Buffer, out.Buffer)
	if err != nil {
		t.Fatal(err)
	}
	return Rotate(d, in, out)
}

// A sample is the next segment of the sets or whole rounds through all of them; each launch has its own operands. It
// reports the time of one repetition.
func TestSamplesGoRoundTheSets(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Steps: []gputest.Step{{Seconds: 12}}, Repeat: true})
	heard := &listener{Queue: b.Env.Queue}
	b.Env.Queue = heard
	s := New(b.Env).NewScope(t.Context())
	defer s.Release()
	const all = 7
	sets := ringOf(t, s, all)
	for i, set := range sets {
		if in, out := set[0].Bindings[0].Offset, set[0].Bindings[1].Offset; in != i*setAlign || out != in {
			t.Errorf("set %d: operands at %d and %d", i, in, out)
		}
	}
	for _, tc := range []struct{ reps, launches, rounds int }{
		{1, 1, 1}, {2, 3, 1}, {3, 4, 1}, {4, 7, 1}, {7, 7, 1}, {8, 7, 2}, {14, 7, 2}, {70, 7, 10},
	} {
		work := s.Launches(sets...)
		for at := 0; at < 2*all; at += tc.launches {
			seconds, err := run(t.Context(), work, tc.reps)
			if err != nil {
				t.Fatal(err)
			}
			last := len(heard.repeats) - 1
			if n := tc.rounds * tc.launches; heard.repeats[last] != tc.rounds || heard.programs[last].Launches() != tc.launches ||
				work.Reps(tc.reps) != n || seconds != 12/float64(n) {
				t.Errorf("%d repetitions: %d rounds of %d launches, %g s each, want %d of %d", tc.reps, heard.repeats[last],
					heard.programs[last].Launches(), seconds, tc.rounds, tc.launches)
			}
		}
		for i, written := range work.(*launches).written {
			if !written {
				t.Errorf("samples of %d repetitions leave set %d out", tc.reps, i)
			}
		}
	}
	if limit := s.Launches(sets...).MaxReps(); limit%all != 0 || limit > maxLaunches || limit < maxLaunches-all {
		t.Errorf("at most %d repetitions", limit)
	}
}

// Only sets not used since the outputs were poisoned are skipped.
func TestOnlyUsedSetsAreVerified(t *testing.T) {
	s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
	defer s.Release()
	work := s.Launches(ringOf(t, s, 4)...).(*launches)
	for used := range 5 {
		if err := work.Poison(); err != nil {
			t.Fatal(err)
		}
		for range used {
			if _, err := run(t.Context(), work, 1); err != nil {
				t.Fatal(err)
			}
		}
		if c, err := work.Verify(t.Context()); err != nil || !c.OK || c.Checked != 8*used {
			t.Errorf("%d of 4 sets used: %+v, error %v", used, c, err)
		}
	}
}

// Every set is verified: a wrong result in any set makes the work wrong.
func TestEverySetIsVerified(t *testing.T) {
	for wrong := range 3 {
		s := New(benchtest.New(t, gputest.Script{}).Env).NewScope(t.Context())
		sets := ringOf(t, s, 3)
		v := Variant{Work: s.Launches(sets...)}
		if c, err := check(t.Context(), &v); err != nil || !c.OK {
			t.Fatalf("right work: %+v, error %v", c, err)
		}
		at := sets[wrong][0].Bindings[1]
		if err := at.Buffer.Write(at.Offset, []byte{1, 2, 3, 64}); err != nil {
			t.Fatal(err)
		}
		c, err := v.Work.(Verifier).Verify(t.Context())
		if err != nil || c.OK || !strings.Contains(c.Failure, "relu_f32") {
			t.Errorf("set %d is wrong: %+v, error %v", wrong, c, err)
		}
		s.Release()
	}
}

// Work reports where its operands are: in the cache if all of them fit, in memory if they are at least twice its size.
func TestWhereOperandsAre(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	b.Env.Workload = &workloads.Workload{Axes: []workloads.Axis{OperandsAxis()}}
	run := New(b.Env)
	s := run.NewScope(t.Context())
	small, _ := reluOf(t, s, 128) // all of a cache of 1 KiB
	large, _ := reluOf(t, s, 256)
	shared, _ := reluOf(t, s, 100)
	works := map[string]Work{
		"small": s.Launches(small), "large": s.Launches(large), "twice on the same": s.Launches(append(shared, shared...)),
		"ring": s.Launches(ringOf(t, s, 32)...), "streams": streamsOf(t, s, s.Launches(small), s.Launches(large)),
		"host": Host(nil), "failed": s.Launches([]gpu.Launch{{}}),
	}
	want := map[string]any{
		"small": FromCache, "large": FromMemory, "twice on the same": FromCache, "ring": FromMemory, "streams": FromMemory,
	}
	for name, w := range works {
		r := workloads.Result{Settings: run.operands(w, nil)}
		if got := r.Setting("operands"); got != want[name] {
			t.Errorf("%s: operands from %v, want %v", name, got, want[name])
		}
	}
	said := []workloads.Setting{{Name: "operands", Value: FromMemory}}
	if got := run.operands(works["small"], said); len(got) != 1 || got[0] != said[0] {
		t.Errorf("the case's own setting becomes %v", got)
	}
	run.Workload = &workloads.Workload{}
	if got := run.operands(works["small"], nil); len(got) != 0 {
		t.Errorf("without the axis: %v", got)
	}
	s.Release()
}

// Nothing is reported for a device that does not report its cache, nor for data that may be partly cached.
func TestReadFrom(t *testing.T) {
	for _, c := range []struct {
		cache, bytes int64
		want         string
	}{
		{1000, 0, ""}, {1000, 1000, FromCache}, {1000, 1001, ""}, {1000, 1999, ""}, {1000, 2000, FromMemory}, {0, 1, ""}, {0, 1 << 40, ""},
	} {
		if got := readFrom(gpu.Info{LastLevelCache: c.cache}, c.bytes); got != c.want {
			t.Errorf("%d B with a cache of %d B: from %q, want %q", c.bytes, c.cache, got, c.want)
		}
	}
}
