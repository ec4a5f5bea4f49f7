package own

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// maxJob is the largest job, in bytes: two kernels and their descriptions.
const maxJob = 64 << 20

// Serve is the child's side: it reads a job as JSON, does it, and writes a report as a line of JSON after each step. The last
// has Done; without one, the child did not come to the end of its work.
func Serve(ctx context.Context, in io.Reader, out io.Writer, engines []Engine) error {
	var job Job
	if err := json.NewDecoder(io.LimitReader(in, maxJob)).Decode(&job); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	go orphaned(in)
	var failed error
	encoder := json.NewEncoder(out)
	w := newWorker(&job, engines, func(r *Report) {
		if err := encoder.Encode(r); err != nil && failed == nil {
			failed = err
		}
	})
	limitMemory(job.memory())
	if err := w.work(ctx); err != nil {
		return err
	}
	return failed
}

// orphaned ends this process when its parent is gone, which holds the other end of the input open: a kernel that never ends
// would outlive it.
func orphaned(in io.Reader) {
	_, _ = io.Copy(io.Discard, in)
	os.Exit(1)
}

func newWorker(job *Job, engines []Engine, tell func(*Report)) *worker {
	return &worker{job: job, engines: engines, report: &Report{}, tell: tell, began: time.Now()}
}

// Check compiles a kernel and fits its description and source together, in this process: nothing of the kernel runs.
func Check(ctx context.Context, f Files, cache string) (*Report, error) {
	w := newWorker(&Job{Do: Checking, Kernel: f, Cache: cache}, nil, func(*Report) {})
	err := w.work(ctx)
	return w.report, err
}

// limits of a job are those of its descriptions: the larger of them.
func (j *Job) limits() (time.Duration, int64) {
	longest, most := time.Duration(0), int64(0)
	for _, f := range []Files{j.Kernel, j.Other} {
		if f.Path == "" {
			continue
		}
		var d *Description
		if f.Description == "" {
			d, _ = Load(f.Path)
		} else {
			d, _ = Parse(f.Path, f.Description)
		}
		longest, most = longest+d.time(), max(most, d.memory())
	}
	return cmp.Or(longest, defaultTime), cmp.Or(most, defaultMemory)
}

// time is the description's limit, or the default in place of one that Parse refuses: the child lives to say so.
func (d *Description) time() time.Duration {
	if d.Time <= 0 || d.Time > maxOfLimit {
		return defaultTime
	}
	return d.Time
}

// memory is the description's limit, or the default in place of one that Parse refuses.
func (d *Description) memory() int64 {
	if d.Memory < minMemory || d.Memory > maxMemory {
		return defaultMemory
	}
	return d.Memory
}

func (j *Job) memory() int64 {
	_, most := j.limits()
	return most
}
