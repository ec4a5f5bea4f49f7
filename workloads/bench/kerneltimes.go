package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/gpu"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads/measure"
)

// Limits of the pass that times each kernel: it is short compared with the samples.
const (
	stagedTime = 20e-3 // seconds, for all repetitions together
	stagedReps = 16
	stagedMost = 1024 // launches of a repetition
)

// timeKernels times each kernel of the variants that launch several, by stage counters, in a separate pass, which is verified like a sample. The
// texts are indexed by variant, and empty if there is nothing to time.
func (s *Scope) timeKernels(ctx context.Context, variants []Variant, measured []measure.Result) []string {
	texts := make([]string, len(variants))
	if s.bench.Options.Short {
		return texts
	}
	for i := range variants {
		work, is := variants[i].Work.(*launches)
		if m := &measured[i]; !is || m.Err != nil || !m.Check.OK || !(m.Time.Median > 0) || work.Launches() < 2 {
			continue
		}
		list, err := work.stages(ctx, measured[i].Time.Median)
		if errors.Is(err, errWrong) || stopping(err) != nil {
			measured[i].Err, measured[i].Samples, measured[i].Time = err, nil, stats.Median(nil)
			continue
		}
		if err != nil {
			texts[i] = "not available: " + err.Error()
			continue
		}
		texts[i] = stageText(list)
	}
	return texts
}

// stages returns the times of the commands of the first set, by kernel in the order of their first launch.
func (l *launches) stages(ctx context.Context, seconds float64) ([]gpu.Stage, error) {
	if n := l.Launches(); n > stagedMost {
		return nil, fmt.Errorf("%d launches in a repetition, at most %d are timed one by one", n, stagedMost)
	}
	if l.inPlace != nil {
		return nil, fmt.Errorf("launches change their own inputs, which are put back only for samples")
	}
	program, err := l.scope.encode(Encoded{Commands: gpu.Launches(l.sets[0]...), Stages: true})
	if err != nil {
		return nil, err
	}
	q := l.queue
	if q == nil {
		q = l.scope.bench.Queue
	}
	if err := l.poisonWords(ending{slot: slot{at: segment{0, 1}}}); err != nil {
		return nil, err
	}
	reps := max(1, min(stagedReps, int(stagedTime/seconds)))
	submission, err := q.Submit(program, reps)
	if err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	list, err := gpu.Stages(wait, submission)
	if err != nil {
		if wait.Err() != nil {
			l.scope.bench.pending = append(l.scope.bench.pending, submission)
		}
		return nil, err
	}
	return perRepetition(list, reps), l.look()
}

// perRepetition sums the stages of each kernel, per repetition.
func perRepetition(list []gpu.Stage, reps int) (sums []gpu.Stage) {
	for _, s := range list {
		i := slices.IndexFunc(sums, func(k gpu.Stage) bool { return k.Label == s.Label })
		if i < 0 {
			i, sums = len(sums), append(sums, gpu.Stage{Label: s.Label})
		}
		sums[i].Seconds += s.Seconds / float64(reps)
		if s.Why != "" {
			sums[i].Why = s.Why
		}
	}
	return sums
}

// stageText formats the times for people: "matmul_f32 1.20 ms (89 %); relu_f32 150 µs (11 %)".
func stageText(list []gpu.Stage) string {
	total := 0.0
	for _, s := range list {
		total += s.Seconds
	}
	var parts []string
	for _, s := range list {
		if s.Why != "" {
			parts = append(parts, s.Label+" not available: "+s.Why)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s (%s %%)", s.Label, si.Time(s.Seconds), si.Digits(100*s.Seconds/total)))
	}
	return strings.Join(parts, "; ")
}
