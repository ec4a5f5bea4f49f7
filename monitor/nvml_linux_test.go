package monitor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeNVML builds a library without a GPU, whose functions return what a script says.
func fakeNVML(t *testing.T, flags ...string) (library string) {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		missing(t, "a C compiler")
	}
	library = filepath.Join(t.TempDir(), nvmlLibraryName)
	args := append(flags, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", library, "testdata/nvml/fake.c")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return library
}

// scriptNVML makes the library answer lines of function, choice, code and value.
func scriptNVML(t *testing.T, lines string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NVML_FAKE", path)
}

// answering returns the values for every query, whichever function is called.
func answering(values map[nvmlItem]uint64) string {
	var lines strings.Builder
	for _, q := range nvmlQuestions() {
		for _, f := range q.functions {
			if v, ok := values[q.item]; ok {
				fmt.Fprintln(&lines, f, q.which, 0, v)
			}
		}
	}
	return lines.String()
}

// fakeSource reads the library on a system with the first namespace, where processes can be distinguished.
func fakeSource(library string) *nvmlSource {
	s := newNVMLSource(library)
	open := s.open
	s.open = func() (nvmlReader, error) {
		r, err := open()
		if d, ok := r.(*nvmlDriver); ok && d != nil {
			d.hidden = nil
		}
		return r, err
	}
	return s
}

// All functions are called according to their ABI: the library's answers arrive.
func TestNVMLReader(t *testing.T) {
	library := fakeNVML(t)
	values := with(h200(), map[nvmlItem]uint64{nvmlEnergy: 1 << 40})
	scriptNVML(t, answering(values)+"nvmlGpmQueryDeviceSupport 0 0 1\nnvmlDeviceGetProcessUtilization 2 0 30\nnvmlDeviceGetProcessUtilization 3 0 11\n")
	source := fakeSource(library)
	wantNone(t, read(source), GPUOccupancy, Unavailable, needsTwo)
	laterSample(source)
	s := read(source)
	const from = "driver 580.65.06, NVIDIA H200"
	for _, g := range nvmlGauges() {
		want := float64(values[g.item]) * g.scale
		wantValue(t, s, g.metric, want, from)
	}
	wantValue(t, s, GPUOthers, 0.41, from) // the newest average for each
	wantValue(t, s, GPUClockShare, 0.75, from)
	wantValue(t, s, GPUSent, 0, "nvmlDeviceGetFieldValues, field 197, "+from)
	wantValue(t, s, GPUPowerCapped, 0, "field 74")
	if r, _ := s.Find(GPUClockLimit); r.Text != "power cap" {
		t.Errorf("%+v", r)
	}
	source.reader = nil
	runtime.GC() // closes the library
}

// An older driver lacks fields and newer functions; nothing else is missing with it.
func TestNVMLReaderOnAnOldDriver(t *testing.T) {
	library := fakeNVML(t, "-DOLD")
	scriptNVML(t, answering(with(h200(), map[nvmlItem]uint64{nvmlSentRate: 300, nvmlReceivedRate: 40_000})))
	source := fakeSource(library)
	read(source)
	s := read(source)
	wantValue(t, s, GPUThrottling, 0.25, "nvmlDeviceGetCurrentClocksThrottleReasons")
	wantValue(t, s, GPUMemory, 4<<30, "nvmlDeviceGetMemoryInfo,")
	wantValue(t, s, GPUMemoryTotal, 144_384<<20, "nvmlDeviceGetMemoryInfo,")
	wantValue(t, s, PowerGPU, 698.412, "nvmlDeviceGetPowerUsage")
	wantValue(t, s, GPUReceived, 40e6, "nvmlDeviceGetPcieThroughput")
	wantValue(t, s, GPUSent, 300e3, "nvmlDeviceGetPcieThroughput")
	wantNone(t, s, TemperatureGPUMemory, Unavailable, "the NVIDIA driver has no nvmlDeviceGetFieldValues")
	wantNone(t, s, GPUPowerCapped, Unavailable, "no nvmlDeviceGetFieldValues")
	wantNone(t, s, GPUProcesses, Unavailable, "no nvmlDeviceGetComputeRunningProcesses_v3")
	wantNone(t, s, GPUOthers, Unavailable, "no nvmlDeviceGetProcessUtilization")
}

func TestNVMLReaderSaysWhyNot(t *testing.T) {
	library := fakeNVML(t)
	for _, c := range []struct {
		script, metric string
		status         Status
		want           string
	}{
		{"nvmlInit_v2 0 9 0\n", PowerGPU, Unavailable, "the NVIDIA driver is not loaded"},
		{"nvmlInit_v2 0 999 0\n", PowerGPU, Failed, "nvmlInit_v2: Unknown Error"},
		{"nvmlDeviceGetCount_v2 0 0 0\n", PowerGPU, Unavailable, "the NVIDIA driver has no GPU"},
		{"nvmlDeviceGetPowerUsage 0 3 0\n", PowerGPU, Unavailable, "does not report it"},
		{"nvmlDeviceGetPowerUsage 0 4 0\n", PowerGPU, Unavailable, "readable only by root"},
		{"nvmlDeviceGetPowerUsage 0 15 0\n", PowerGPU, Failed, "nvmlDeviceGetPowerUsage: GPU is lost"},
		{"nvmlDeviceGetFieldValues 82 15 0\n", TemperatureGPUMemory, Failed, "field 82: GPU is lost"},
		{"type 82 0 9\nnvmlDeviceGetFieldValues 82 0 70\n", TemperatureGPUMemory, Failed, "unknown type 9"},
		{"nvmlDeviceGetProcessUtilization 0 0 0\n", GPUMemory, Unavailable, "does not report it"},
	} {
		scriptNVML(t, c.script)
		wantNone(t, read(fakeSource(library)), c.metric, c.status, c.want)
	}
	scriptNVML(t, "")
	wantValue(t, read(fakeSource(library)), GPUOthers, 0, "nvmlDeviceGetProcessUtilization") // no process used it
	none := newNVMLSource("libassay-no-such-library.so.1")
	s := read(none)
	if len(s.Readings) < 20 {
		t.Errorf("%d readings without a library", len(s.Readings))
	}
	for _, r := range s.Readings {
		wantNone(t, s, r.Metric, Unavailable, "no NVIDIA driver: libassay-no-such-library.so.1")
	}
	container := fakeSource(library)
	read(container)
	container.reader.(*nvmlDriver).hidden = hiddenProcesses(namespaceLink(t, "pid:[4026532281]"))
	wantNone(t, read(container), GPUOthers, Unavailable, "in a container")
	if err := hiddenProcesses(namespaceLink(t, firstNamespace)); err != nil {
		t.Error(err)
	}
}

// namespaceLink is a link like /proc/self/ns/pid.
func namespaceLink(t *testing.T, to string) string {
	t.Helper()
	link := filepath.Join(t.TempDir(), "pid")
	if err := os.Symlink(to, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// The engine's GPU is read as soon as there is one, and stays chosen; one that NVML does not know has no readings.
func TestNVMLReaderFollowsTheEngine(t *testing.T) {
	library := fakeNVML(t)
	scriptNVML(t, answering(h200())+"nvmlDeviceGetCount_v2 0 0 2\n")
	source, id := fakeSource(library), ""
	source.Follow(func() string { return id })
	for _, c := range []struct{ id, want string }{
		{"", "one of 2: GPU-fake-1"}, {"GPU-fake-2", "one of 2: GPU-fake-2"}, {"", "GPU-fake-2"}, {"GPU-fake-1", "GPU-fake-1"},
	} {
		id = c.id
		wantValue(t, read(source), PowerGPU, 698.412, c.want)
	}
	id = "GPU-fake-3"
	wantNone(t, read(source), PowerGPU, Unavailable, "does not know the engine's GPU, GPU-fake-3")
	id = "GPU-fake-2"
	wantValue(t, read(source), PowerGPU, 698.412, "GPU-fake-2")
}

func TestFieldTypes(t *testing.T) {
	library := fakeNVML(t)
	for kind, c := range []struct {
		raw, want uint64
		narrow    bool
	}{
		{0x4059000000000000, 100, false},
		{1<<40 | 100, 100, true},
		{1<<40 | 100, 1<<40 | 100, false},
		{1<<40 | 100, 1<<40 | 100, false},
		{^uint64(4), 0, false},
		{100, 100, true},
		{1<<40 | 100, 100, true},
	} {
		scriptNVML(t, fmt.Sprintf("type 197 0 %d\nnvmlDeviceGetFieldValues 197 0 %d\n", kind, c.raw))
		source := fakeSource(library)
		read(source)
		a := source.reader.sample(false).answers[nvmlSent]
		if a.err != nil || a.value != c.want || a.narrow != c.narrow {
			t.Errorf("type %d: %+v, want %d, %v", kind, a, c.want, c.narrow)
		}
	}
}

func TestOwnProcess(t *testing.T) {
	proc := t.TempDir()
	for pid, stat := range map[int]string{71: "71 (a) b) S %d 1", 72: "72 (other) S 1 1", 73: "73 (torn"} {
		dir := filepath.Join(proc, fmt.Sprint(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "stat"), []byte(strings.Replace(stat, "%d", fmt.Sprint(os.Getpid()), 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for pid, want := range map[int]bool{os.Getpid(): true, 71: true, 72: false, 73: false, 74: false} {
		if got := ownProcess(proc, pid); got != want {
			t.Errorf("%d: %v", pid, got)
		}
	}
}

// laterSample makes the last sample of counters older than the minimum between two.
func laterSample(s *nvmlSource) {
	c := s.reader.(*nvmlDriver).counters
	c.taken = c.taken.Add(-shortestCounted)
}

// Occupancy and bandwidth cover the time between two readings of the same card; without counters, the reason is given.
func TestNVMLCounters(t *testing.T) {
	library := fakeNVML(t)
	const has = "nvmlGpmQueryDeviceSupport 0 0 1\nnvmlDeviceGetCount_v2 0 0 2\nnvmlGpmMetricsGet 2 0 100001\nnvmlGpmMetricsGet 3 0 62500\n"
	scriptNVML(t, has)
	source, id := fakeSource(library), "GPU-fake-1"
	source.Follow(func() string { return id })
	wantNone(t, read(source), GPUOccupancy, Unavailable, needsTwo)
	wantNone(t, read(source), GPUOccupancy, Unavailable, "within 100 ms")
	for range 3 {
		laterSample(source)
		s := read(source)
		wantValue(t, s, GPUOccupancy, 0.625, "nvmlGpmMetricsGet")
		wantNone(t, s, GPUBandwidth, Unavailable, "does not report it")
		wantNone(t, s, GPUMultiprocessors, Failed, "implausible")
	}
	id = "GPU-fake-2"
	wantNone(t, read(source), GPUOccupancy, Unavailable, needsTwo)
	laterSample(source)
	wantValue(t, read(source), GPUOccupancy, 0.625, "GPU-fake-2")
	for script, want := range map[string]string{
		"":                                   "from Hopper on",
		"nvmlGpmQueryDeviceSupport 0 15 0\n": "GPU is lost",
		"nvmlGpmQueryDeviceSupport 0 0 1\nnvmlGpmSampleGet 0 4 0\n": "readable only by root",
	} {
		scriptNVML(t, script)
		s := read(fakeSource(library))
		if r, ok := s.Find(GPUOccupancy); !ok || r.Status == OK || !strings.Contains(r.Reason, want) {
			t.Errorf("%q: %+v, want %q", script, r, want)
		}
	}
	scriptNVML(t, has)
	wantNone(t, read(fakeSource(fakeNVML(t, "-DOLD"))), GPUOccupancy, Unavailable, "no nvmlGpmQueryDeviceSupport")
}
