package monitor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v3/process"
)

// Busy is another program and how many cores it used, on average.
type Busy struct {
	Name  string
	Cores float64
}

// BusyGPU is another program and the share of time in which the GPU worked for it.
type BusyGPU struct {
	Name  string
	Share float64
}

// Busiest finds the programs that use the CPU and the GPU most, other than this one. Reading all processes takes milliseconds, so it
// must not overlap a measurement.
type Busiest struct {
	cores  coreSeconds
	before map[int32]float64 // seconds of each process at the mark
	at     time.Time
	gpu    *gpuUse
}

// Mark starts the interval that Top looks at.
func (b *Busiest) Mark(ctx context.Context) {
	b.before, b.at = b.cores.read(ctx), time.Now()
	if b.gpu == nil {
		b.gpu = newGPUUse(gpuClients())
	}
	_, _, _ = b.gpu.next() // if it cannot be read, TopGPU finds none
}

// Marked returns the time of the last mark; zero if there is none.
func (b *Busiest) Marked() time.Time { return b.at }

// candidates is how many processes Top looks at: processes of one program count together.
const candidates = 8

// Top returns the program that has used the most CPU time since the mark. ok is false if there is no mark, or no other program has used any.
// It does not see processes that have ended since or, on macOS, those of other users.
func (b *Busiest) Top(ctx context.Context) (top Busy, ok bool) {
	if b.before == nil {
		return Busy{}, false
	}
	used := b.cores.read(ctx)
	elapsed := time.Since(b.at).Seconds()
	for pid, seconds := range b.before {
		if _, alive := used[pid]; alive {
			used[pid] -= seconds
		}
	}
	own := programName(ctx, int32(os.Getpid()))
	return busiest(used, elapsed, func(pid int32) string { return otherName(pid, programName(ctx, pid), own) })
}

// TopGPU returns the program that has used the GPU most since the mark. ok is false if there is no mark, no other program has
// used it, or the system does not report it.
func (b *Busiest) TopGPU() (top BusyGPU, ok bool) {
	if b.gpu == nil {
		return BusyGPU{}, false
	}
	return b.gpu.busiest()
}

// busiest is the program whose processes used most, of the busiest processes.
func busiest(used map[int32]float64, elapsed float64, name func(pid int32) string) (top Busy, ok bool) {
	pids := make([]int32, 0, len(used))
	for pid := range used {
		pids = append(pids, pid)
	}
	slices.SortFunc(pids, func(a, b int32) int { return cmp.Or(cmp.Compare(used[b], used[a]), cmp.Compare(a, b)) })
	byName := map[string]float64{}
	for _, pid := range pids[:min(len(pids), candidates)] {
		called := name(pid)
		if called == "" || used[pid] <= 0 || elapsed <= 0 {
			continue
		}
		byName[called] += used[pid] / elapsed
		if sum := byName[called]; sum > top.Cores || sum == top.Cores && called < top.Name {
			top = Busy{called, sum}
		}
	}
	return top, top.Cores > 0
}

// otherName returns the name of another process: its program, unless that is this program, which would read as if it disturbed itself.
func otherName(pid int32, name, own string) string {
	if name != "" && name == own {
		return fmt.Sprintf("another Assay (process %d)", pid)
	}
	return name
}

// programName is the name of a process; empty if it cannot be read.
func programName(ctx context.Context, pid int32) string {
	name, err := (&process.Process{Pid: pid}).NameWithContext(ctx)
	if err != nil {
		return ""
	}
	return name
}
