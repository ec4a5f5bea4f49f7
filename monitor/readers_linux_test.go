package monitor

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// findClang skips the test if there is none: gcc supports neither blocks nor this Objective-C.
func findClang(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"clang-16", "clang-17", "clang-18", "clang-19", "clang-20", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "clang")
	return ""
}

// missing skips a test that needs something not installed. If everything is supposed to be installed, the test fails.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what + " is not installed: scripts/deps.sh test installs it")
	}
	t.Skip(what + " is not installed: the macOS readers are not run")
}

// macsim builds the readers for macOS, unchanged, against a simulated CoreFoundation, IOKit and IOReport, with the address sanitizer.
// The simulation counts references and stops at misuse; it does not show that the real libraries behave like it.
func macsim(t *testing.T) string {
	t.Helper()
	clang := findClang(t)
	sources, err := filepath.Glob("testdata/macsim/*.c")
	if err != nil || len(sources) != 4 {
		t.Fatalf("simulation: %q, %v", sources, err)
	}
	program := filepath.Join(t.TempDir(), "macsim")
	args := []string{
		"-x", "objective-c", "-fobjc-runtime=gnustep-1.9", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g",
		"-Wall", "-Wextra", "-Werror", "-Itestdata/macsim/include", "-Itestdata/macsim", "-I.", "-o", program,
		"ioreport_darwin.m", "ioregistry_darwin.m", "smc_darwin.m", "hid_darwin.m", "vm_darwin.c",
	}
	if out, err := exec.Command(clang, append(args, sources...)...).CombinedOutput(); err != nil {
		t.Fatalf("clang: %v\n%s", err, out)
	}
	return program
}

// What the parts print on a whole machine.
const (
	simChannels = `tick 125/3
channel Energy Model||CPU Energy|mJ   
channel Energy Model||ISP|mJ   
channel Energy Model||GPU Energy|nJ
channel GPU Stats|GPU Performance States|GPUPH|24Mticks
`
	simRows = `row Energy Model|CPU Energy=42 element 64:42 states 0:=0,,
row Energy Model|GPU Energy=42 element 0:0 states 0:=0,,
`
	simStates = "row GPU Stats|GPUPH=0 element 0:0 states 32:OFF=1000,P1,\n" // a name that is too long becomes empty
	simReport = simChannels + "sample 3 at 24000000\n" + simRows + simStates + "sample 3 at 24000000\n" + simRows + simStates +
		"sample 2 at 24000000\n" + simRows + "left 0\n"
	simRegistry = `statistics 2, 0
statistic 0 Device Utilization %=21
statistic 0 In use system memory=3.51142e+08
statistics of 1: 1
clients 3, 0
client 7 own 2.5e+08
client 8 pid 533, WindowServer 2e+08
client 9 pid 533, WindowServer 5e+07
clients of 1: 1
tables 1, 0
table voltage-states9 of 16, 144
left 0
`
	simMemory = `pages 0: 1 internal 400 purgeable 20 wired 150 compressor 90 swapped 42
memory 0: 17179869184, swap 0: 512 of 2048
task 0: 7000, 3000
left 0
`
	simSMC = "smc call 0: 10\nleft 0\n"
	simHID = `hid 2 of 3
hid GPU MTR Temp Sensor1=47
hid pACC MTR Temp Sensor0=40
hid 2 of 3
hid GPU MTR Temp Sensor1=47
hid pACC MTR Temp Sensor0=40
left 0
`
)

// Each scenario takes something away; the rest keeps working, and nothing is leaked: "left" counts the objects held.
func TestMacReadersOnASimulatedSystem(t *testing.T) {
	program := macsim(t)
	for scenario, want := range map[string]string{
		"":        simReport + simRegistry + simSMC + simHID + simMemory,
		"library": "tick 125/3\nno report: this macOS has no libIOReport\nleft 0\n" + simRegistry + simSMC + simHID + simMemory,
		"symbol": "tick 125/3\nno report: this macOS’s libIOReport has no IOReportStateGetResidency\nleft 0\n" + simRegistry + simSMC +
			"no hid: this macOS’s IOKit has no IOHIDEventGetFloatValue\nleft 0\n" + simMemory,
		"groups": "tick 125/3\nno report: this machine’s drivers publish neither energy nor GPU states\nleft 0\n" +
			simRegistry + simSMC + simHID + simMemory,
		"subscription": simChannels + "no subscription\nleft 0\n" + simRegistry + simSMC + simHID + simMemory,
		"sample":       simChannels + strings.Repeat("sample -1 at 24000000\n", 3) + "left 0\n" + simRegistry + simSMC + simHID + simMemory,
		"smc sensors": simReport + simRegistry + "no smc, 0\nleft 0\n" +
			"no hid: neither the SMC nor the HID system of this machine has a temperature sensor\nleft 0\n" + simMemory,
		"kernel": simReport + simRegistry + simSMC + simHID +
			"pages 5: 0 internal 0 purgeable 0 wired 0 compressor 0 swapped 0\nmemory 2: 0, swap 2: 0 of 0\ntask 46: 0, 0\nleft 0\n",
	} {
		play(t, program, scenario, want)
	}
}

// play runs a scenario and compares what it prints.
func play(t *testing.T, program, scenario, want string, env ...string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, scenario)
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), env...)
	got, err := cmd.Output()
	if err != nil {
		t.Errorf("%q: %v\n%s", scenario, err, stderr.Bytes())
	} else if string(got) != want {
		t.Errorf("%q gives\n%s\nwant\n%s", scenario, got, want)
	}
}

// linkHeaders fills the folder to with gcc's Objective-C headers, and only those. Without them, GNUstep or blocks, the test is
// skipped.
func linkHeaders(t *testing.T, to string) {
	t.Helper()
	out, err := exec.Command("gcc", "-print-file-name=include").Output()
	if err != nil {
		missing(t, "gcc")
	}
	headers := filepath.Join(strings.TrimSpace(string(out)), "objc")
	for _, needed := range []string{headers, gnustepHeaders, "/usr/include/Block.h"} {
		if _, err := os.Stat(needed); err != nil {
			missing(t, needed)
		}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(headers, filepath.Join(to, "objc")); err != nil {
		t.Fatal(err)
	}
}

const gnustepHeaders = "/usr/include/GNUstep"

// objcFlags make clang compile for GNUstep on gcc's runtime.
func objcFlags(gccHeaders string) []string {
	return []string{
		"-fobjc-runtime=gcc", "-fblocks", "-fexceptions", "-fobjc-exceptions", "-D_NATIVE_OBJC_EXCEPTIONS", "-DGNUSTEP",
		"-DGNUSTEP_BASE_LIBRARY=1", "-DGNU_RUNTIME=1", "-fconstant-string-class=NSConstantString", "-g", "-Wall",
		"-isystem", gnustepHeaders, "-isystem", gccHeaders,
	}
}

// foundationSim builds the readers that need Foundation on GNUstep's, with simulated heat, dispatch source, and sysctl.
func foundationSim(t *testing.T) string {
	t.Helper()
	clang, dir := findClang(t), t.TempDir()
	linkHeaders(t, filepath.Join(dir, "gcc"))
	program := filepath.Join(dir, "foundation")
	const sim = "testdata/macsim/foundation"
	out, err := exec.Command(clang, append(
		objcFlags(filepath.Join(dir, "gcc")), "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
		"-I"+sim, "-Itestdata/macsim/include", "-Itestdata/macsim", "-I.", "-o", program,
		sim+"/main.m", sim+"/foundation.m", "testdata/macsim/loader.c",
		"thermalstate_darwin.m", "vmpressure_darwin.m", "activity_darwin.m", "-lgnustep-base", "-lobjc", "-lBlocksRuntime", "-pthread",
	)...).CombinedOutput()
	if err != nil {
		t.Fatalf("clang: %v\n%s", err, out)
	}
	return program
}

// The state is read before the observer registers, no notification between two reads is lost, levels that arrive together stay
// distinct, and observers, tokens and activities are released.
func TestMacReadersOnASimulatedFoundation(t *testing.T) {
	const (
		registered = "registers after 1 reads: 1\n"
		heat       = "state 0, worst 0, pressure 0, error 0\nstate 1, worst 3, pressure 2, error 0\nstate 1, worst 0, pressure 2, error 0\n" +
			"left 0\n"
		noNotify = "state 0, worst 0, pressure 0, error 1000000\nstate 1, worst 3, pressure 0, error 1000000\n" +
			"state 1, worst 0, pressure 0, error 1000000\nleft 0\n"
		memory  = "level 1, error 0, told 7, free 63, error 0\nlevel 1, error 0, told 0, free 63, error 0\nleft 0\n"
		polled  = "level 1, error 0, told 0, free 63, error 0\nlevel 1, error 0, told 0, free 63, error 0\nleft 0\n"
		noLevel = "level 0, error 2, told 7, free 63, error 0\nlevel 0, error 2, told 0, free 63, error 0\nleft 0\n"
		// 0xffffff is NSActivityUserInitiated; an empty reason, which would raise an exception, is replaced
		active = "begins 0xffffff: measuring\nbegins 0xffffff: measuring\nheld 2\nends 1\nends 1\nleft 0\n"
		symbol = "listens to name of the symbol\n"
	)
	program := foundationSim(t)
	for scenario, want := range map[string]string{
		"":       symbol + registered + heat + memory + active,
		"symbol": "listens to com.apple.system.thermalpressurelevel\n" + registered + heat + memory + active,
		"notify": symbol + registered + noNotify + memory + active,
		"source": symbol + registered + heat + polled + active,
		"sysctl": symbol + registered + heat + noLevel + active,
	} {
		play(t, program, scenario, want, "ASAN_OPTIONS=detect_leaks=0") // GNUstep itself leaks
	}
}
