package target

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/monitor"
)

// machine is a system with scripted processes.
type machine struct {
	all   []Process
	has   map[int]usage
	fails map[int]error
	took  time.Duration // of reading memory
	now   time.Time
	lists int
}

func (m *machine) processes() ([]Process, error) { m.lists++; return slices.Clone(m.all), nil }

func (m *machine) process(pid int) (Process, error) {
	i := slices.IndexFunc(m.all, func(p Process) bool { return p.PID == pid })
	if i < 0 {
		return Process{}, errors.New("gone")
	}
	return m.all[i], nil
}

func (m *machine) usage(pid int, memory bool) (usage, error) {
	if memory {
		m.now = m.now.Add(m.took)
	}
	return m.has[pid], m.fails[pid]
}

func (m *machine) gpu([]int) gpuMemory {
	return gpuMemory{amount: missing(errors.New("no GPU")), source: "test"}
}

func (m *machine) sources() sources { return sources{footprint: "test"} }

func (m *machine) open(t *testing.T, pid int) *Reader {
	t.Helper()
	r, err := open(m, pid)
	if err != nil {
		t.Fatal(err)
	}
	r.now = func() time.Time { return m.now }
	return r
}

func family() *machine {
	all := func(v float64) usage {
		return usage{footprint: known(v), resident: known(2 * v), anonymous: known(v), swap: known(0), handles: known(3)}
	}
	return &machine{
		now: time.Unix(1000, 0),
		all: []Process{
			{PID: 1, Start: 1, Name: "init"},
			{PID: 10, Parent: 1, Group: 10, Start: 5, Name: "root", Threads: 2, Seconds: 1},
			{PID: 11, Parent: 10, Group: 10, Start: 6, Name: "child", Threads: 1},
			{PID: 12, Parent: 11, Group: 12, Start: 7, Name: "grandchild", Threads: 4},
			{PID: 13, Parent: 1, Group: 13, Start: 7, Name: "stranger", Threads: 9},
		},
		has: map[int]usage{10: all(100), 11: all(20), 12: all(3), 13: all(5000)},
	}
}

func valueOf(t *testing.T, readings []monitor.Reading, metric string) float64 {
	t.Helper()
	s := monitor.Snapshot{Readings: readings}
	v, ok := s.Value(metric)
	if !ok {
		r, _ := s.Find(metric)
		t.Errorf("%s: not available: %s", metric, r.Reason)
	}
	return v
}

func reasonOf(t *testing.T, readings []monitor.Reading, metric string) string {
	t.Helper()
	s := monitor.Snapshot{Readings: readings}
	r, ok := s.Find(metric)
	if !ok || r.Status == monitor.OK {
		t.Errorf("%s is %+v, want a reason", metric, r)
	}
	return r.Reason
}

func TestReaderAddsUpATree(t *testing.T) {
	m := family()
	r := m.open(t, 10)
	got := r.Read()
	for metric, want := range map[string]float64{
		monitor.WatchedProcesses: 3, monitor.WatchedThreads: 7, monitor.WatchedHandles: 9,
		monitor.WatchedFootprint: 123, monitor.WatchedResident: 246, monitor.WatchedSwap: 0,
	} {
		if v := valueOf(t, got, metric); v != want {
			t.Errorf("%s is %v, want %v", metric, v, want)
		}
	}
	if why := reasonOf(t, got, monitor.WatchedCPU); !strings.Contains(why, "two samples") {
		t.Errorf("the first processor time: %q", why)
	}
	if why := reasonOf(t, got, monitor.WatchedGPU); why != "no GPU" {
		t.Errorf("GPU memory: %q", why)
	}
	m.now = m.now.Add(2 * time.Second)
	m.all[1].Seconds, m.all[3].Seconds = 2, 0.5
	if cores := valueOf(t, r.Read(), monitor.WatchedCPU); cores != 0.75 {
		t.Errorf("%v cores, want 1.5 s in 2 s", cores)
	}
}

// Without one of its parts there is no sum: it would drop and rise again.
func TestReaderHasNoPartialSums(t *testing.T) {
	m := family()
	u := m.has[11]
	u.footprint = missing(errors.New("readable only by root"))
	m.has[11] = u
	got := m.open(t, 10).Read()
	if why := reasonOf(t, got, monitor.WatchedFootprint); why != "process 11 (child): readable only by root" {
		t.Errorf("reason %q", why)
	}
	valueOf(t, got, monitor.WatchedResident)
}

// Children whose parent has ended stay; a process that has reused the ID of the root does not count.
func TestTree(t *testing.T) {
	m := family()
	r := m.open(t, 10)
	r.Read()
	m.all = slices.Delete(m.all, 2, 3) // the child ends
	m.all[2].Parent = 1                // and the grandchild is reparented to the first process
	m.now = m.now.Add(time.Minute)
	if n := valueOf(t, r.Read(), monitor.WatchedProcesses); n != 2 {
		t.Errorf("%v processes, want root and grandchild", n)
	}
	m.all[1].Start = 99
	m.now = m.now.Add(time.Minute)
	got := r.Read()
	if !r.Gone() || !strings.Contains(reasonOf(t, got, monitor.WatchedFootprint), "process 10 has ended") {
		t.Error("another process with the same ID was read")
	}
	if _, err := open(m, 4242); err == nil || !strings.Contains(err.Error(), "no process 4242") {
		t.Errorf("error %v", err)
	}
}

// Reading memory takes at most 2 % of the time: a reading of 100 ms is taken every 5 s, and in between that is stated.
func TestReaderIsCheap(t *testing.T) {
	m := family()
	m.all = m.all[:2]
	m.took = 100 * time.Millisecond
	r := m.open(t, 10)
	read := 0
	for range 20 {
		if s := (monitor.Snapshot{Readings: r.Read()}); true {
			if _, ok := s.Value(monitor.WatchedFootprint); ok {
				read++
			} else if why := reasonOf(t, s.Readings, monitor.WatchedFootprint); why != "read every 5.00 s: one reading takes 100 ms" {
				t.Fatal(why)
			}
		}
		m.now = m.now.Add(time.Second)
	}
	if read != 4 {
		t.Errorf("memory was read %d times in 20 s, want 4", read)
	}
}

// A real process and its child are read on this system.
func TestReadRealProcesses(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 100 & wait")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	r, err := Open(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	got := r.Read()
	for valueOf(t, got, monitor.WatchedProcesses) < 2 && time.Now().Before(deadline) {
		time.Sleep(50 * time.Millisecond)
		got = r.Read()
	}
	if n := valueOf(t, got, monitor.WatchedProcesses); n != 2 {
		t.Fatalf("%v processes, want the shell and its child", n)
	}
	time.Sleep(50 * time.Millisecond)
	r.nextMemory = time.Time{}
	got = r.Read()
	if v := valueOf(t, got, monitor.WatchedFootprint); v < 10e3 || v > 50e6 {
		t.Errorf("a shell and a sleep have %v B", v)
	}
	if v := valueOf(t, got, monitor.WatchedHandles); v < 4 {
		t.Errorf("%v handles", v)
	}
	if v := valueOf(t, got, monitor.WatchedCPU); v < 0 || v > 1 {
		t.Errorf("%v cores", v)
	}
	all, err := List()
	if err != nil || !slices.ContainsFunc(all, func(p Process) bool { return p.PID == os.Getpid() }) {
		t.Errorf("this process is not listed: %v", err)
	}
}

func BenchmarkRead(b *testing.B) {
	r, err := Open(os.Getpid())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r.nextList, r.nextMemory = time.Time{}, time.Time{}
		r.Read()
	}
}
