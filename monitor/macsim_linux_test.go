package monitor

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/race"
)

// macPackage lays out this package in its macOS form, next to the simulated system, in a module of the same name, and builds a program
// with it. Files lose their suffix, because the compiler would otherwise leave them out.
func macPackage(t *testing.T) string {
	t.Helper()
	clang, dir := findClang(t), t.TempDir()
	linkHeaders(t, filepath.Join(dir, "gcc"))
	copyTo(t, filepath.Join(dir, "go.mod"), "../go.mod")
	copyTo(t, filepath.Join(dir, "go.sum"), "../go.sum")
	copyTo(t, filepath.Join(dir, "main.go"), "testdata/macsim/ticks.go.txt")
	files, err := filepath.Glob("*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "_linux.") || strings.HasSuffix(name, ".h") {
			continue
		}
		copyTo(t, filepath.Join(dir, "monitor", strings.Replace(name, "_darwin.", "_mac.", 1)), name)
	}
	for _, name := range []string{"si/si.go", "si/units.go", "si/parse.go", "severity/severity.go", "plain/plain.go", "alike/alike.go", "cgroup/cgroup.go", "cgroup/cpu.go", "cgroup/memory.go"} {
		copyTo(t, filepath.Join(dir, "internal", name), filepath.Join("../internal", name))
	}
	for _, name := range []string{"cf.c", "io.c", "loader.c", "foundation/foundation.m"} {
		copyTo(t, filepath.Join(dir, "monitor", "sim_"+filepath.Base(name)), filepath.Join("testdata/macsim", name))
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sim := filepath.Join(here, "testdata/macsim")
	flags := append(objcFlags("../gcc"), // relative, so that the flags are the same each time and the build cache helps
		"-I"+sim+"/foundation", "-I"+sim+"/include", "-I"+sim, "-I"+here)
	cmd := exec.Command("go", "build", "-o", "ticks", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "CC="+clang,
		"CGO_CFLAGS="+strings.Join(append(flags, "-Wno-unused-command-line-argument"), " "))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "ticks")
}

// copyTo copies a file; frameworks become the libraries that stand for them.
func copyTo(t *testing.T, to, from string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("-framework Foundation -framework CoreFoundation -framework IOKit"),
		[]byte("-lgnustep-base -lobjc -lBlocksRuntime -lpthread"), 1)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Everything from Sources down to the readers, as built for macOS, runs on the simulated system: the Go side reports what the system
// said. Processor times are left out: gopsutil reads this machine's.
func TestMacSourcesOnASimulatedSystem(t *testing.T) {
	if testing.Short() || race.On {
		t.Skip("builds a program, without the race detector")
	}
	cmd := exec.Command(macPackage(t))
	cmd.Env = append(os.Environ(), "MACSIM=live")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	var s Snapshot
	if err := json.NewDecoder(bytes.NewReader(out[bytes.IndexByte(out, '{'):])).Decode(&s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	page := float64(os.Getpagesize())
	for metric, want := range map[string]float64{
		ProcessFootprint: 7000, ProcessRSS: 3000,
		HostMemory: 620 * page, HostMemoryTotal: 17179869184, HostMemoryFull: 620 * page / 17179869184, HostMemoryCompressed: 90 * page,
		HostSwap: 512, HostMemoryFree: 0.63,
		PowerCPU: 20, PowerGPU: 30, GPUBusy: 0.75, GPUClock: 444e6, GPUClockShare: 1,
		GPUUtilization: 0.21, GPUMemory: 351141888,
		TemperatureCPU: 58.75, TemperatureGPU: 44.5, Temperature: 58.75, Power: 38.25,
	} {
		wantValue(t, &s, metric, want, "")
	}
	for metric, want := range map[string]State{MemoryPressureLevel: Normal, ThermalState: Nominal, ThermalPressure: Nominal} {
		if r, _ := s.Find(metric); r.Text != want || r.Status != OK {
			t.Errorf("%s: %+v, want %s", metric, r, want)
		}
	}
	if others, ok := s.Value(GPUOthers); !ok || math.Abs(others-0.25) > 0.05 { // by the clock of this machine
		t.Errorf("other programs used %v of the GPU, %v; want a fifth and a twentieth", others, ok)
	}
	wantNone(t, &s, PowerANE, Unavailable, "no such energy counter")
	wantNone(t, &s, GPUTiler, Unavailable, "does not report Tiler Utilization %")
	wantNone(t, &s, Throttling, Unavailable, "mostly idle")
	for _, r := range s.Readings {
		if r.Status == Failed {
			t.Errorf("%+v", r)
		}
	}
}
