package monitor

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// macsim builds the readers of macOS, unchanged, against a simulated CoreFoundation, IOKit and IOReport, with the address
// sanitizer. The simulation counts references and stops at misuse; that the real libraries behave like it is not shown.
func macsim(t *testing.T) string {
	t.Helper()
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skip("clang is not installed: the macOS readers are not run")
	}
	sources, err := filepath.Glob("testdata/macsim/*.c")
	if err != nil || len(sources) != 3 {
		t.Fatalf("simulation: %q, %v", sources, err)
	}
	program := filepath.Join(t.TempDir(), "macsim")
	args := []string{
		"-x", "objective-c", "-fobjc-runtime=gnustep-1.9", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g",
		"-Wall", "-Wextra", "-Werror", "-Itestdata/macsim/include", "-Itestdata/macsim", "-I.", "-o", program,
		"ioreport_darwin.m", "ioregistry_darwin.m", "smc_darwin.m", "hid_darwin.m",
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
	simStates = "row GPU Stats|GPUPH=0 element 0:0 states 32:OFF=1000,P1,\n" // the name that is too long is empty
	simReport = simChannels + "sample 3 at 24000000\n" + simRows + simStates + "sample 3 at 24000000\n" + simRows + simStates +
		"sample 2 at 24000000\n" + simRows + "left 0\n"
	simRegistry = `statistics 2, 0
statistic 0 Device Utilization %=21
statistic 0 In use system memory=3.51142e+08
statistics of 1: 1
tables 1, 0
table voltage-states9 of 16, 144
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

// Each scenario takes something away; the rest goes on, and nothing is left behind: "left" counts the objects held.
func TestMacReadersOnASimulatedSystem(t *testing.T) {
	program := macsim(t)
	for scenario, want := range map[string]string{
		"":        simReport + simRegistry + simSMC + simHID,
		"library": "tick 125/3\nno report: this macOS has no libIOReport\nleft 0\n" + simRegistry + simSMC + simHID,
		"symbol": "tick 125/3\nno report: this macOS's libIOReport has no IOReportStateGetResidency\nleft 0\n" + simRegistry + simSMC +
			"no hid: this macOS's IOKit has no IOHIDEventGetFloatValue\nleft 0\n",
		"groups": "tick 125/3\nno report: this machine's drivers publish neither energy nor GPU states\nleft 0\n" +
			simRegistry + simSMC + simHID,
		"subscription": simChannels + "no subscription\nleft 0\n" + simRegistry + simSMC + simHID,
		"sample":       simChannels + strings.Repeat("sample -1 at 24000000\n", 3) + "left 0\n" + simRegistry + simSMC + simHID,
		"smc sensors": simReport + simRegistry + "no smc, 0\nleft 0\n" +
			"no hid: neither the SMC nor the HID system of this machine has a temperature sensor\nleft 0\n",
	} {
		var stderr bytes.Buffer
		cmd := exec.Command(program, scenario)
		cmd.Stderr = &stderr
		got, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v\n%s", scenario, err, stderr.Bytes())
		} else if string(got) != want {
			t.Errorf("%q gives\n%s\nwant\n%s", scenario, got, want)
		}
	}
}
