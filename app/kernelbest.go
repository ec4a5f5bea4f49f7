package app

import (
	"context"
	"strings"

	"assay/app/bundle"
	"assay/internal/metric"
	"assay/workloads"
)

// KernelBest is the highest rate of a kernel in the runs of a library.
type KernelBest struct {
	Metric metric.Name // workloads.Throughput, or workloads.Bandwidth for kernels that do no arithmetic
	Value  float64
	Case   string // of the workload
	Device string
	Run    string // its ID
	// Disturbed says that other work disturbed the result; there is no undisturbed one.
	Disturbed bool
}

// beats reports whether it is better: undisturbed instead of disturbed, otherwise the higher rate.
func (b *KernelBest) beats(old *KernelBest) bool {
	if b.Disturbed != old.Disturbed {
		return old.Disturbed
	}
	return b.Value > old.Value
}

// bestRuns is how many runs are searched, the newest first.
const bestRuns = 40

// KernelBests finds the best verified rates of kernels, by ID, in results that ran one kernel and name it. Disturbed results
// count only for kernels that have no others. Runs on a simulated device and points of live tuning do not count.
// Runs that cannot be read are left out.
func (l *Library) KernelBests(ctx context.Context) (map[string]KernelBest, error) {
	list, err := l.List(ctx)
	if err != nil {
		return nil, err
	}
	best := map[string]KernelBest{}
	searched := 0
	for i := range list {
		s := &list[i]
		if s.Simulated || s.Tuning || s.NotTiming != "" || s.Watch != "" || s.Verified == 0 || l.isOwn(s.Dir) {
			continue
		}
		if searched++; searched > bestRuns {
			break
		}
		of, err := l.bestsOf(ctx, s)
		if err != nil {
			return nil, err
		}
		for id, b := range of {
			takeBest(best, id, b)
		}
	}
	return best, nil
}

// runBests are the best rates of one run, as it was when it had that size.
type runBests struct {
	size int64
	by   map[string]KernelBest
}

// bestsOf returns those of one run, which is read again only if it has changed. The error is that of ctx.
func (l *Library) bestsOf(ctx context.Context, s *bundle.Summary) (map[string]KernelBest, error) {
	l.mu.Lock()
	known, ok := l.bests[s.Dir]
	l.mu.Unlock()
	if ok && known.size == s.Size {
		return known.by, nil
	}
	run, _, err := bundle.LoadThinned(ctx, s.Dir)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	found := runBests{s.Size, map[string]KernelBest{}}
	if err == nil {
		takeBests(found.by, run.Results, s)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bests[s.Dir] = found
	return found.by, nil
}

// takeBest takes a rate if it is better.
func takeBest(best map[string]KernelBest, id string, b KernelBest) {
	if old, ok := best[id]; !ok || old.Metric == b.Metric && b.beats(&old) {
		best[id] = b
	}
}

// takeBests takes the better rates from the results of a run.
func takeBests(best map[string]KernelBest, results []workloads.Result, s *bundle.Summary) {
	for i := range results {
		r := &results[i]
		id := soleKernel(r)
		if id == "" || r.Status != workloads.OK {
			continue
		}
		_, disturbed := r.Disturbed()
		for _, q := range []metric.Name{workloads.Throughput, workloads.Bandwidth} {
			if v := r.Number(q); v > 0 {
				takeBest(best, id, KernelBest{Metric: q, Value: v, Case: r.Case, Device: s.Device, Run: s.ID, Disturbed: disturbed})
				break
			}
		}
	}
}

// soleKernel returns the ID of the kernel that a result ran, without its constants; empty if it ran several or does not say.
func soleKernel(r *workloads.Result) string {
	text, _ := r.Setting("kernel").(string)
	if strings.Contains(text, "; ") {
		return ""
	}
	id, _, _ := strings.Cut(text, " (")
	id, _, _ = strings.Cut(id, "{")
	return id
}
