// Package target reads the memory, handles, threads and processor time of another program, including
// its children. Pure functions decode what a system reports about a process; a thin reader for each system makes the
// calls. Anything that cannot be read is not available, with the reason.
package target

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
)

// Process is a process of this machine.
type Process struct {
	PID, Parent, Group int
	Start              uint64 // on a system clock: two processes with the same ID differ in it
	Name               string // from the system, possibly truncated
	Seconds            float64
	Threads            int
	Own                bool // owned by the current user
	ended              bool // and not yet reaped
}

// amount is a figure of a process, or the reason why there is none.
type amount struct {
	value float64
	err   error
}

func known(v float64) amount { return amount{value: v} }

func missing(err error) amount { return amount{err: err} }

// usage is what one process uses.
type usage struct {
	footprint amount // bytes that would be free without it
	resident  amount // B
	anonymous amount // bytes of resident that no file backs
	swap      amount // B
	handles   amount
	source    string // of the memory, if it is not the usual one
}

// system is the interface to the operating system.
type system interface {
	// processes lists all processes.
	processes() ([]Process, error)
	// process reads one process; an error means that it is gone.
	process(pid int) (Process, error)
	// usage reads what a process uses, including its memory if requested. An error means that it is gone.
	usage(pid int, memory bool) (usage, error)
	// gpu returns the GPU memory of several processes together.
	gpu(pids []int) gpuMemory
	// sources name where usage's figures come from.
	sources() sources
}

// sources name where the figures of a usage come from.
type sources struct{ process, footprint, resident, anonymous, swap, handles string }

// gpuMemory is GPU memory, and its source.
type gpuMemory struct {
	amount
	source    string
	estimated bool // it covers more than the requested processes
}

// Shares of the time that reading may take: the list of processes, and the memory of a tree, for which the kernel walks its page
// tables. Readings that take longer are done less often.
const (
	listShare   = 0.01
	memoryShare = 0.02

	maxListPause   = 5 * time.Second
	maxMemoryPause = 10 * time.Second // a reading that was held up once is not typical
)

// Reader reads a process and its children. It is not safe for concurrent use.
type Reader struct {
	system  system
	now     func() time.Time
	root    Process
	members []Process

	nextList, nextMemory time.Time
	tookMemory           time.Duration
	seconds              map[identity]float64
	at                   time.Time
	gone                 bool
	took                 time.Duration
}

// identity distinguishes processes that reuse an ID.
type identity struct {
	pid   int
	start uint64
}

func (p *Process) identity() identity { return identity{p.PID, p.Start} }

// Open returns a reader of a running process.
func Open(pid int) (*Reader, error) { return open(newSystem(), pid) }

func open(s system, pid int) (*Reader, error) {
	all, err := s.processes()
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	i := slices.IndexFunc(all, func(p Process) bool { return p.PID == pid && !p.ended })
	if i < 0 {
		return nil, fmt.Errorf("no process %d is running", pid)
	}
	return &Reader{system: s, now: time.Now, root: all[i], members: []Process{all[i]}, seconds: map[identity]float64{}}, nil
}

// List lists the running processes of this user.
func List() ([]Process, error) {
	all, err := newSystem().processes()
	return slices.DeleteFunc(all, func(p Process) bool { return !p.Own || p.ended }), err
}

// Root returns the process that the reader was opened for.
func (r *Reader) Root() Process { return r.root }

// Gone reports whether the process had ended at the last reading. Its children may still be running.
func (r *Reader) Gone() bool { return r.gone }

// Took returns how long the last reading took.
func (r *Reader) Took() time.Duration { return r.took }

// Read reads the process and its children. After the process has ended there is nothing to read.
func (r *Reader) Read() []monitor.Reading {
	begin := r.now()
	if err := r.list(begin); err != nil {
		return r.nothing(err)
	}
	if r.gone {
		return r.nothing(fmt.Errorf("process %d has ended", r.root.PID))
	}
	sum, err := r.sum(begin)
	if err != nil {
		return r.nothing(err)
	}
	readings := r.readings(&sum, begin)
	r.took = r.now().Sub(begin)
	return append(readings, measured(monitor.WatchedCost, "its own clock", r.took.Seconds()))
}

// list lists the members of the tree again. If that was done a moment ago, it reads the known ones.
func (r *Reader) list(now time.Time) error {
	if now.Before(r.nextList) {
		r.refresh()
		return nil
	}
	all, err := r.system.processes()
	if err != nil {
		return fmt.Errorf("list the processes: %w", err)
	}
	r.nextList = now.Add(min(maxListPause, time.Duration(float64(r.now().Sub(now))/listShare)))
	r.members = tree(r.root, r.members, all)
	r.gone = len(r.members) == 0 || r.members[0].identity() != r.root.identity()
	return nil
}

// refresh reads the members again, and drops those that have ended.
func (r *Reader) refresh() {
	alive := r.members[:0]
	for i, p := range r.members {
		now, err := r.system.process(p.PID)
		switch {
		case err == nil && !now.ended && now.identity() == p.identity():
			alive = append(alive, now)
		case i == 0:
			r.gone = true
			return
		}
	}
	r.members = alive
}

// total is the usage of a tree.
type total struct {
	usage
	memory bool // it was read this time
}

// sum adds up the members' usage. A member that has ended since they were listed is left out.
func (r *Reader) sum(now time.Time) (total, error) {
	t, begin := total{memory: !now.Before(r.nextMemory)}, r.now()
	for i := range r.members {
		p := &r.members[i]
		u, err := r.system.usage(p.PID, t.memory)
		if err != nil {
			if i == 0 {
				return t, err
			}
			continue
		}
		t.source = cmp.Or(t.source, u.source)
		for _, part := range []struct {
			sum *amount
			add amount
		}{
			{&t.footprint, u.footprint}, {&t.resident, u.resident}, {&t.anonymous, u.anonymous}, {&t.swap, u.swap}, {&t.handles, u.handles},
		} {
			part.sum.add(p, part.add)
		}
	}
	if t.memory {
		r.tookMemory = r.now().Sub(begin)
		r.nextMemory = now.Add(min(maxMemoryPause, time.Duration(float64(r.tookMemory)/memoryShare)))
	}
	return t, nil
}

// add adds a process's usage. Without one part there is no sum: it would drop once that process is no longer read.
func (a *amount) add(p *Process, part amount) {
	switch {
	case a.err != nil:
	case part.err != nil:
		a.err = fmt.Errorf("process %d (%s): %w", p.PID, plain.Text(p.Name), part.err)
	default:
		a.value += part.value
	}
}

// readings returns the readings of a tree.
func (r *Reader) readings(t *total, now time.Time) []monitor.Reading {
	s := r.system.sources()
	pids, threads := make([]int, len(r.members)), 0
	for i := range r.members {
		pids[i], threads = r.members[i].PID, threads+r.members[i].Threads
	}
	out := []monitor.Reading{
		measured(monitor.WatchedProcesses, s.process, float64(len(r.members))),
		measured(monitor.WatchedThreads, s.process, float64(threads)),
		reading(monitor.WatchedHandles, s.handles, t.handles),
		r.load(s.process, now),
	}
	late := fmt.Errorf("read every %s: one reading takes %s", si.Time(min(maxMemoryPause.Seconds(), r.tookMemory.Seconds()/memoryShare)), si.Time(r.tookMemory.Seconds()))
	for _, m := range []struct {
		metric, source string
		value          amount
	}{
		{monitor.WatchedFootprint, s.footprint, t.footprint},
		{monitor.WatchedResident, s.resident, t.resident},
		{monitor.WatchedAnonymous, s.anonymous, t.anonymous},
		{monitor.WatchedSwap, s.swap, t.swap},
	} {
		if !t.memory {
			m.value = missing(late)
		}
		out = append(out, reading(m.metric, cmp.Or(t.source, m.source), m.value))
	}
	g := r.system.gpu(pids)
	one := reading(monitor.WatchedGPU, g.source, g.amount)
	if g.estimated && one.Status == monitor.OK {
		one.Provenance = monitor.Estimated
	}
	return append(out, one)
}

// load returns how many cores the tree has used since the last reading. A process counts from its second listing on.
func (r *Reader) load(source string, now time.Time) monitor.Reading {
	elapsed := now.Sub(r.at).Seconds()
	first := r.at.IsZero()
	before := r.seconds
	r.seconds, r.at = map[identity]float64{}, now
	used := 0.0
	for i := range r.members {
		p := &r.members[i]
		r.seconds[p.identity()] = p.Seconds
		if earlier, ok := before[p.identity()]; ok {
			used += max(0, p.Seconds-earlier)
		}
	}
	if first || elapsed <= 0 {
		return reading(monitor.WatchedCPU, source, missing(errors.New("needs two samples")))
	}
	return measured(monitor.WatchedCPU, source, used/elapsed)
}

// nothing returns the readings of a process that cannot be read.
func (r *Reader) nothing(err error) []monitor.Reading {
	var out []monitor.Reading
	for _, metric := range monitor.Watched() {
		out = append(out, reading(metric, "", missing(err)))
	}
	return out
}

func measured(metric, source string, value float64) monitor.Reading {
	return reading(metric, source, known(value))
}

func reading(metric, source string, a amount) monitor.Reading {
	r := monitor.Template(metric, source)
	if a.err != nil {
		r.Status, r.Reason = monitor.Unavailable, a.err.Error()
		return r
	}
	r.Status, r.Provenance, r.Value = monitor.OK, monitor.Measured, a.value
	return r
}
