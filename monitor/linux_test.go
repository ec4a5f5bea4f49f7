//go:build linux

package monitor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// tree is a fake /proc and /sys: names below "proc" and "sys", and what is in them.
type tree map[string]string

// write lays a tree out in a new folder.
func (f tree) write(t *testing.T) (roots, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range f {
		put(t, filepath.Join(dir, name), text)
	}
	return roots{proc: filepath.Join(dir, "proc"), sys: filepath.Join(dir, "sys")}, dir
}

// put rewrites a file in place, as the kernel does: an open descriptor sees the new text.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// machine resembles a laptop: Intel, hwmon and thermal zones, RAPL with a package, its cores and memory.
var machine = tree{
	"proc/stat":            statFile,
	"proc/meminfo":         meminfoFile,
	"proc/loadavg":         "1.25 0.80 0.60 2/300 12345\n",
	"proc/self/statm":      "765 442 414 5 0 123 0\n",
	"proc/pressure/memory": "some avg10=12.50 avg60=0 avg300=0 total=1\nfull avg10=3.25 avg60=0 avg300=0 total=1\n",
	"proc/pressure/cpu":    "some avg10=50.00 avg60=0 avg300=0 total=1\n",
	"proc/pressure/io":     "some avg10=1.00 avg60=0 avg300=0 total=1\nfull avg10=0.00 avg60=0 avg300=0 total=1\n",

	"sys/class/hwmon/hwmon0/name":                         "coretemp\n",
	"sys/class/hwmon/hwmon0/temp1_input":                  "85000\n",
	"sys/class/hwmon/hwmon0/temp1_label":                  "Package id 0\n",
	"sys/class/hwmon/hwmon0/temp1_max":                    "70000\n",
	"sys/class/hwmon/hwmon0/temp1_crit":                   "100000\n",
	"sys/class/hwmon/hwmon1/name":                         "nvme\n",
	"sys/class/hwmon/hwmon1/temp1_input":                  "41850\n",
	"sys/class/hwmon/hwmon1/temp1_crit":                   "65261850\n",
	"sys/class/thermal/thermal_zone0/type":                "acpitz\n",
	"sys/class/thermal/thermal_zone0/temp":                "27800\n",
	"sys/class/thermal/thermal_zone0/trip_point_0_type":   "critical\n",
	"sys/class/thermal/thermal_zone0/trip_point_0_temp":   "119000\n",
	"sys/class/thermal/thermal_zone1/type":                "iwlwifi_1\n",
	"sys/class/thermal/thermal_zone1/temp":                "-274000\n",
	"sys/class/powercap/intel-rapl:0/name":                "package-0\n",
	"sys/class/powercap/intel-rapl:0/energy_uj":           "262143000000\n",
	"sys/class/powercap/intel-rapl:0/max_energy_range_uj": "262143328850\n",
	"sys/class/powercap/intel-rapl:0:0/name":              "core\n",
	"sys/class/powercap/intel-rapl:0:0/energy_uj":         "5000000\n",
	"sys/class/powercap/intel-rapl:0:1/name":              "dram\n",
	"sys/class/powercap/intel-rapl:0:1/energy_uj":         "1000000\n",

	"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_total_time_ms":    "100\n",
	"sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_total_time_ms": "200\n",
	"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_total_time_ms":    "0\n",
}

func (f tree) with(changes tree) tree {
	out := maps.Clone(f)
	maps.Copy(out, changes)
	return out
}

// twoTicks reads a tree, applies changes, and reads it again two seconds later, on a clock that only the test moves.
func twoTicks(t *testing.T, f, changes tree) (first, second Snapshot) {
	t.Helper()
	r, dir := f.write(t)
	synctest.Test(t, func(t *testing.T) {
		m := newMonitor(t, time.Second, linuxSources(r)...)
		first = m.Tick(t.Context())
		for name, text := range changes {
			put(t, filepath.Join(dir, name), text)
		}
		time.Sleep(2 * time.Second)
		second = m.Tick(t.Context())
	})
	return first, second
}

func TestLinuxMachine(t *testing.T) {
	first, second := twoTicks(t, machine, tree{
		"proc/stat":    "cpu  26000 0 4132 184291 450 0 83 72 0 0\n", // 100 ticks busy, 300 idle
		"proc/meminfo": strings.Replace(meminfoFile, "7000000", "6900000", 1),
		"sys/class/powercap/intel-rapl:0/energy_uj":                                   "29671150\n", // 30 J after the wrap
		"sys/class/powercap/intel-rapl:0:0/energy_uj":                                 "25000000\n",
		"sys/class/powercap/intel-rapl:0:1/energy_uj":                                 "5000000\n",
		"sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_total_time_ms": "700\n",
	})
	for metric, want := range map[string]float64{
		HostCPU: 0.25, HostSteal: 0, HostLoad: 1.25,
		HostMemoryTotal: 16e6 * 1024, HostMemory: 12e6 * 1024, HostMemoryFull: 0.75,
		HostSwap: 1.1e6 * 1024, HostSwapGrowth: 50_000 * 1024,
		MemoryPressure: 0.125, MemoryPressureFull: 0.0325, CPUPressure: 0.5, IOPressure: 0.01,
		Temperature: 85, Temperature + ".coretemp_package_id_0": 85, Temperature + ".nvme": 41.85,
		Temperature + ".acpitz": 27.8,
		Throttling:              0.25,
		Power:                   17, Power + ".package-0": 15, Power + ".core": 10, Power + ".dram": 2,
		ProcessRSS: 442 * float64(os.Getpagesize()),
	} {
		got, ok := second.Value(metric)
		if !ok || got < want*0.999999 || got > want*1.000001 {
			r, _ := second.Find(metric)
			t.Errorf("%s = %v, want %v (%s)", metric, got, want, r.Reason)
		}
	}
	if r, _ := second.Find(ThermalState); r.Text != Fair || r.Provenance != Estimated {
		t.Errorf("thermal state %+v, want an estimated fair at 15 °C below the critical limit", r)
	}
	if r, _ := second.Find(Temperature); r.Title != "Temperature (coretemp Package id 0)" {
		t.Errorf("the hottest sensor is named %q", r.Title)
	}
	for _, metric := range []string{HostCPU, HostOthers, HostSteal, ProcessShare, HostSwapGrowth, ProcessCPU, Power, Throttling, MonitorCost} {
		if r, _ := first.Find(metric); r.Status != Unavailable || r.Reason != needsTwo {
			t.Errorf("first tick: %s is %+v", metric, r)
		}
	}
}

func TestLinuxCountersThatStandStillAreStale(t *testing.T) {
	_, second := twoTicks(t, machine, nil)
	for _, metric := range []string{HostCPU, Power, Power + ".package-0"} {
		if r, _ := second.Find(metric); r.Status != Unavailable || r.Reason != stale {
			t.Errorf("%s: %+v, want stale and no value", metric, r)
		}
	}
	if v, ok := second.Value(Throttling); !ok || v != 0 {
		t.Errorf("throttling %v, %v: no throttled time is a value of 0", v, ok)
	}
}

func TestLinuxEmptyTreesSayWhy(t *testing.T) {
	_, second := twoTicks(t, tree{"proc/x": "", "sys/x": ""}, nil)
	for metric, reason := range map[string]string{
		HostCPU:        "/proc/stat does not exist on this system",
		HostLoad:       "/proc/loadavg does not exist on this system",
		HostMemory:     "/proc/meminfo does not exist on this system",
		HostSwap:       "/proc/meminfo does not exist on this system",
		MemoryPressure: pressureOff,
		Temperature:    noSensor,
		ThermalState:   noSensor,
		Throttling:     noThrottle,
		Power:          "this machine exposes no energy counter (RAPL)",
		ProcessRSS:     "/proc/self/statm does not exist on this system",
	} {
		if r, _ := second.Find(metric); r.Status != Unavailable || r.Reason != reason {
			t.Errorf("%s: %s %q, want unavailable %q", metric, r.Status, r.Reason, reason)
		}
	}
}

func TestLinuxGarbageFailsByName(t *testing.T) {
	garbage := tree{}
	for name := range machine {
		garbage[name] = "\x00\xffgarbage"
	}
	_, second := twoTicks(t, garbage, nil)
	for _, r := range second.Readings {
		if r.Status == OK && (strings.HasPrefix(r.Metric, "host.") || r.Metric == ProcessRSS) {
			t.Errorf("a value out of garbage: %+v", r)
		}
		if r.Status != OK && r.Reason == "" {
			t.Errorf("no reason: %+v", r)
		}
	}
	for _, metric := range []string{HostCPU, HostMemory, MemoryPressure, ProcessRSS, Throttling} {
		if r, _ := second.Find(metric); r.Status != Failed {
			t.Errorf("%s: %+v, want failed", metric, r)
		}
	}
}

func TestLinuxOneDomainWithoutValueLeavesNoPower(t *testing.T) {
	_, second := twoTicks(t, machine, tree{
		"sys/class/powercap/intel-rapl:0/energy_uj": "262143100000\n", // memory does not change
	})
	if r, _ := second.Find(Power); r.Status != Unavailable || r.Reason != stale {
		t.Errorf("power %+v, want none rather than a part", r)
	}
	if _, ok := second.Value(Power + ".package-0"); !ok {
		t.Error("the package's own power is missing")
	}
}

// The level of memory pressure follows the machine's stalls, or those of the control group if that limits memory, and how full its
// limit is.
func TestLinuxMemoryPressureLevel(t *testing.T) {
	const job = "sys/fs/cgroup/job/"
	calm := "some avg10=0.00 avg60=0 avg300=0 total=1\nfull avg10=0.00 avg60=0 avg300=0 total=1\n"
	group := tree{
		"proc/self/mountinfo": "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "proc/self/cgroup": "0::/job\n",
		job + "memory.max": "1000000000\n", job + "memory.current": "300000000\n", job + "memory.high": "max\n",
		job + "memory.stat": "inactive_file 0\n", job + "memory.events": "high 0\nmax 4\noom_kill 1\n", job + "memory.pressure": calm,
	}
	for name, c := range map[string]struct {
		files, later tree
		want         State
		source       string // its suffix
	}{
		"a machine that stalls":               {machine, nil, Warning, "/proc/pressure/memory"},
		"a machine at rest":                   {machine, tree{"proc/pressure/memory": calm}, Normal, "/proc/pressure/memory"},
		"a machine that does little else":     {machine, tree{"proc/pressure/memory": "some avg10=55.00 avg60=0 avg300=0 total=1\n"}, Critical, "/proc/pressure/memory"},
		"a container counts, not the machine": {machine.with(group), nil, Normal, "/job/memory.pressure"},
		"a container that stalls":             {machine.with(group), tree{job + "memory.pressure": "some avg10=41.00 avg60=0 avg300=0 total=1\n"}, Critical, "/job/memory.pressure"},
		"a container that is nearly full":     {machine.with(group), tree{job + "memory.current": "930000000\n"}, Warning, "/job/memory.max"},
		"only with cached files":              {machine.with(group), tree{job + "memory.current": "930000000\n", job + "memory.stat": "inactive_file 500000000\n"}, Normal, "/job/memory.pressure"},
		"a container that is full":            {machine.with(group), tree{job + "memory.current": "980000000\n"}, Critical, "/job/memory.max"},
		"a high mark that slows down":         {machine.with(group).with(tree{job + "memory.high": "400000000\n"}), tree{job + "memory.events": "high 9\nmax 4\noom_kill 1\n", job + "memory.current": "350000000\n"}, Warning, "/job/memory.high"},
		"a process was killed":                {machine.with(group), tree{job + "memory.events": "high 0\nmax 9\noom_kill 2\n"}, Critical, "/job/memory.max"},
	} {
		_, second := twoTicks(t, c.files, c.later)
		r, _ := second.Find(MemoryPressureLevel)
		if r.Status != OK || r.Text != c.want || !strings.HasSuffix(r.Source, c.source) {
			t.Errorf("%s: %+v, want %s by %s", name, r, c.want, c.source)
		}
	}
	_, second := twoTicks(t, machine.with(tree{"proc/pressure/memory": ""}), nil)
	if r, _ := second.Find(MemoryPressureLevel); r.Status == OK || r.Reason == "" {
		t.Errorf("without stalls and limits: %+v", r)
	}
}

// Memory and processor time of a control group are what a container, a service or a batch job has.
func TestLinuxControlGroup(t *testing.T) {
	const job = "sys/fs/cgroup/job/"
	group := tree{
		"proc/self/mountinfo": "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "proc/self/cgroup": "0::/job/step\n",
		job + "memory.max": "1000000000\n", job + "memory.current": "300000000\n", job + "memory.stat": "inactive_file 50000000\n",
		job + "cpu.max": "30000 100000\n", job + "cpu.stat": "nr_periods 10\nnr_throttled 5\n",
	}
	first, second := twoTicks(t, machine.with(group), tree{job + "cpu.stat": "nr_periods 30\nnr_throttled 15\n"})
	for metric, want := range map[string]float64{
		HostMemoryTotal: 1e9, HostMemory: 0.25e9, HostMemoryFull: 0.25, HostSwap: 1e6 * 1024, Throttling: 0.5,
	} {
		if got, ok := second.Value(metric); !ok || got != want {
			t.Errorf("%s = %v, %v; want %v", metric, got, ok, want)
		}
	}
	if r, _ := second.Find(Throttling); !strings.HasSuffix(r.Source, "/cgroup/job/cpu.stat") {
		t.Errorf("throttling by %q", r.Source)
	}
	if r, _ := first.Find(Throttling); r.Reason != needsTwo {
		t.Errorf("first tick: %+v", r)
	}
	_, second = twoTicks(t, group, nil)
	if v, ok := second.Value(Throttling); !ok || v != 0 {
		t.Errorf("nothing ran: %v, %v", v, ok)
	}
	_, second = twoTicks(t, machine.with(group).with(tree{job + "memory.max": "99000000000\n"}), nil)
	if v, _ := second.Value(HostMemoryTotal); v != 16e6*1024 {
		t.Errorf("a limit above the machine's memory: %v", v)
	}
}

func TestLimitsInWords(t *testing.T) {
	for want, host := range map[string]HostInfo{
		"": {}, "0.300 cores": {CPUQuota: 0.3}, "1.50 cores, 500 MB of memory": {CPUQuota: 1.5, MemoryLimit: 5e8},
	} {
		if got := host.Limits(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The memory shown in a container is what it may use.
func TestMemoryInWords(t *testing.T) {
	for want, host := range map[string]HostInfo{
		"": {MemoryLimit: 5e8}, "25.0 GB": {MemoryBytes: 25e9}, "500 MB, of the machine’s 25.0 GB": {MemoryBytes: 25e9, MemoryLimit: 5e8},
		"24.0 GB": {MemoryBytes: 24e9, MemoryLimit: 25e9},
	} {
		if got := host.Memory(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLinuxWithoutSwap(t *testing.T) {
	none := strings.NewReplacer("8000000", "0", "7000000", "0").Replace(meminfoFile)
	_, second := twoTicks(t, machine.with(tree{"proc/meminfo": none}), nil)
	for _, metric := range []string{HostSwap, HostSwapGrowth} {
		if r, _ := second.Find(metric); r.Status != Unavailable || r.Reason != noSwap {
			t.Errorf("%s: %+v", metric, r)
		}
	}
}

func TestLinuxThrottleCountSaysOnlyWhether(t *testing.T) {
	const count = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
	_, second := twoTicks(t, tree{count: "7\n"}, tree{count: "9\n"})
	if r, _ := second.Find(Throttling); r.Status != OK || r.Value != 1 || r.Provenance != Estimated {
		t.Errorf("an advanced count: %+v", r)
	}
	_, second = twoTicks(t, tree{count: "7\n"}, nil)
	if r, _ := second.Find(Throttling); r.Status != OK || r.Value != 0 || r.Provenance != Measured {
		t.Errorf("a count that stands: %+v", r)
	}
}

func TestLinuxClockBelowBase(t *testing.T) {
	const cpu = "sys/devices/system/cpu/cpu0/cpufreq/"
	clocks := tree{
		"proc/stat": "cpu  100 0 0 100\n", cpu + "scaling_cur_freq": "1500000\n", cpu + "base_frequency": "2000000\n",
	}
	_, second := twoTicks(t, clocks, tree{"proc/stat": "cpu  190 0 0 110\n"})
	if r, _ := second.Find(Throttling); r.Status != OK || r.Value != 0.25 || r.Provenance != Estimated {
		t.Errorf("busy below base: %+v", r)
	}
	_, second = twoTicks(t, clocks, tree{"proc/stat": "cpu  110 0 0 190\n"})
	if r, _ := second.Find(Throttling); r.Status != Unavailable || r.Reason != idleClock {
		t.Errorf("idle below base: %+v", r)
	}
}

// Without a base clock, the reference is the best clock under full load; the clock of a few busy cores is higher and does not count.
func TestLinuxClockBelowTheBestSeen(t *testing.T) {
	const clock = "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
	r, dir := tree{"proc/stat": "cpu  0 0 0 0\n", clock: "4800000\n"}.write(t)
	s := newThrottleSource(r)
	busy, idle := 0, 0
	for _, step := range []struct {
		busy  int // of 100 ticks
		clock string
		want  float64
		why   string
	}{
		{100, "4800000", 0, needsTwo},
		{60, "4800000", 0, idleClock}, // one core of two
		{98, "4000000", 0, ""},
		{98, "3000000", 0.25, ""},
		{20, "800000", 0, idleClock},
		{98, "4000000", 0, ""},
	} {
		busy, idle = busy+step.busy, idle+100-step.busy
		put(t, filepath.Join(dir, "proc/stat"), fmt.Sprintf("cpu  %d 0 0 %d\n", busy, idle))
		put(t, filepath.Join(dir, clock), step.clock+"\n")
		got := s.Read(t.Context())[0]
		if got.Reason != step.why || got.Value != step.want || step.why == "" && got.Provenance != Estimated {
			t.Errorf("%+v: %+v", step, got)
		}
	}
}

func TestLinuxSensorsAreFoundAgain(t *testing.T) {
	r, dir := tree{"sys/class/thermal/thermal_zone0/temp": "40000\n"}.write(t)
	synctest.Test(t, func(t *testing.T) {
		m := newMonitor(t, time.Second, newThermalSource(r))
		m.Tick(t.Context())
		put(t, filepath.Join(dir, "sys/class/thermal/thermal_zone1/temp"), "60000\n")
		time.Sleep(rescanAfter)
		s := m.Tick(t.Context())
		if v, _ := s.Value(Temperature); v != 60 {
			t.Errorf("the hottest is %v °C, want the new sensor's 60", v)
		}
		if state, _ := s.Find(ThermalState); state.Reason != noLimits {
			t.Errorf("state %+v", state)
		}
	})
}

// The tests may run as root, who can read everything, so the errors themselves are given here.
func TestReadingWithoutValueExplainsErrors(t *testing.T) {
	r := Reading{Metric: Power, Source: "/sys/x"}
	for _, c := range []struct {
		err    error
		status Status
		reason string
	}{
		{&fs.PathError{Op: "read", Path: "/sys/x", Err: syscall.EACCES}, Unavailable, "readable only by root: /sys/x"},
		{&fs.PathError{Op: "read", Path: "/sys/x", Err: syscall.ENOENT}, Unavailable, "/sys/x does not exist on this system"},
		{syscall.EOPNOTSUPP, Unavailable, "the kernel does not support /sys/x"},
		{errors.New("bus error"), Failed, "bus error"},
	} {
		if got := r.without(c.err); got.Status != c.status || got.Reason != c.reason {
			t.Errorf("%v: %s %q, want %s %q", c.err, got.Status, got.Reason, c.status, c.reason)
		}
	}
	off := pressed(Reading{}, 0, &fs.PathError{Err: syscall.EOPNOTSUPP})
	if off.Status != Unavailable || off.Reason != pressureOff {
		t.Errorf("PSI off at boot: %+v", off)
	}
}

func TestLinuxPermissionDenied(t *testing.T) {
	r, dir := machine.write(t)
	path := filepath.Join(dir, "sys/class/powercap/intel-rapl:0/energy_uj")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close() //nolint:errcheck // read only
		t.Skip("this user may read everything")
	}
	s := newMonitor(t, time.Second, newPowerSource(r)).Tick(t.Context())
	want := "readable only by root: /sys/class/powercap/intel-rapl:0/energy_uj"
	if got, _ := s.Find(Power); got.Status != Unavailable || got.Reason != want {
		t.Errorf("power %+v, want %q", got, want)
	}
}

func TestFileIsOpenedAgainAfterAnError(t *testing.T) {
	r, dir := tree{"proc/x": ""}.write(t)
	f := r.procFile("late", 16)
	if _, err := f.read(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/proc/late") {
		t.Errorf("absent file: %v", err)
	}
	put(t, filepath.Join(dir, "proc/late"), "42\n")
	if v, err := f.uint(); v != 42 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	put(t, filepath.Join(dir, "proc/late"), "a longer text than fits\n")
	if b, err := f.read(); string(b) != "a longer text th" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestStatSeconds(t *testing.T) {
	for stat, want := range map[string]float64{
		"17 (cat) R 1 17 17 0 -1 4194304 98 0 0 0 250 50 7 7 20 0 1 0 4 5 6":  3,
		"17 (a) b (c) S 1 17 17 0 -1 4194304 98 0 0 0 1 0 7 7 20 0 1 0 4 5 6": 0.01,
		"17 (cat) R 1 17 17 0 -1 4194304 98 0 0 0 250":                        -1,
		"17 (cat) R": -1,
		"":           -1,
	} {
		got, ok := statSeconds([]byte(stat))
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: got %g, %v, want %g", stat, got, ok, want)
		}
	}
}
