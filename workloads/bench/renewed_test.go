package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/train"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// learn multiplies weights and takes a step of gradient descent on them: two new buffers, and one that it overwrites.
func learn() []Step {
	return []Step{
		step("mul", shaders.F32, 10, "w", "x", "dw"),
		step("relu", shaders.F32, 10, "dw", "out"),
		{Pick: shaders.Pick{Op: "sgd", Type: shaders.F32}, Params: train.SGDParams{N: 10, Rate: 0.5}, Args: []string{"w", "dw"}},
	}
}

func TestRenewedTakesBuffersAgain(t *testing.T) {
	for _, cleared := range []bool{false, true} {
		rig := benchtest.New(t, gputest.Script{})
		rig.Env.Pool = gpu.NewPool(rig.Engine, gpu.PoolOptions{})
		s := New(rig.Env).NewScope(t.Context())
		inputs := Buffers{}
		work, err := s.Renewed(learn(), inputs, 3, cleared)
		if err != nil {
			t.Fatal(err)
		}
		before := rig.Env.Pool.Stats()
		var trained [2][]float32
		for i := range trained {
			wait, err := work.Start(t.Context(), 2)
			if err != nil {
				t.Fatal(err)
			}
			if seconds, err := wait(); err != nil || !(seconds > 0) {
				t.Errorf("%g s, %v", seconds, err)
			}
			trained[i] = make([]float32, 10)
			if err := s.Floats(work.given["w"], shaders.F32)(trained[i], 0); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(trained[0], trained[1]) {
			t.Errorf("each epoch does not begin with the same weights: %v, then %v", trained[0], trained[1])
		}
		after := rig.Env.Pool.Stats()
		created := map[bool]int64{false: 2, true: 4 * 2} // for four epochs
		if after.LiveBytes != before.LiveBytes || after.Creates-before.Creates != created[cleared] || work.Held < 2*40 {
			t.Errorf("cleared %v: %d buffers created, %d B held, then %d live B more", cleared, after.Creates-before.Creates, work.Held, after.LiveBytes-before.LiveBytes)
		}
		if want := created[cleared] / 4 * map[bool]int64{true: 1}[cleared]; work.Created != want {
			t.Errorf("cleared %v: %d buffers created in the last epoch, want %d", cleared, work.Created, want)
		}
		if c, err := work.Verify(t.Context()); err != nil || !c.OK || c.Checked == 0 {
			t.Errorf("%+v, %v", c, err)
		}
		if work.Launches() != 9 || work.Cost().Ops != 3*work.set.(Costed).Cost().Ops {
			t.Errorf("%d launches, %+v", work.Launches(), work.Cost())
		}
		s.Release()
		rig.Env.Pool.Clear()
		rig.NoLive(t)
	}
}

func TestRenewedLeavesNothingWhenItFails(t *testing.T) {
	rig := benchtest.New(t, gputest.Script{Steps: []gputest.Step{{Err: gpu.ErrExecution}}})
	s := New(rig.Env).NewScope(t.Context())
	work, err := s.Renewed(learn(), Buffers{}, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	live := rig.Pool.Stats().Live
	if _, err := work.Start(t.Context(), 1); !errors.Is(err, gpu.ErrExecution) {
		t.Errorf("error %v", err)
	}
	if n := rig.Pool.Stats().Live; n != live {
		t.Errorf("%d buffers live, then %d", live, n)
	}
	s.Release()
	rig.NoLive(t)
}

// A repetition whose work is skipped is noticed, even on its own buffers.
func TestRenewedSamplesAreVerified(t *testing.T) {
	for want, steps := range map[string][]Step{"was not written": learn()[:2], "repetitions in place is not as": learn()} {
		rig := benchtest.New(t, gputest.Script{})
		l := &lapse{Engine: rig.Engine, at: -1}
		queue, err := l.NewQueue("lapsing")
		if err != nil {
			t.Fatal(err)
		}
		defer queue.Close()
		rig.Env.Engine, rig.Env.Queue = l, queue
		s := New(rig.Env).NewScope(t.Context())
		work, err := s.Renewed(steps, Buffers{}, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := check(t.Context(), &Variant{Work: work}); err != nil || !c.OK {
			t.Fatalf("%+v, %v", c, err)
		}
		for i := range steady + 1 {
			if _, err := work.Sample(t.Context(), 1); err != nil {
				t.Fatalf("%s, sample %d: %v", want, i, err)
			}
		}
		l.at = l.done
		if _, err := work.Sample(t.Context(), 1); !errors.Is(err, measure.ErrOutput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		s.Release()
	}
}
