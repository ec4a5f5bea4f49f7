package metal

import (
	"errors"
	"strings"
	"testing"

	"assay/gpu"
)

// Devices as Macs list them: one on M-series Macs; an integrated and a discrete one, and possibly an eGPU, on Intel Macs.
func m3() facts {
	return facts{
		name: "Apple M3 Max", registryID: 0x100000300, unified: true, apple: 9, mac: 2, metal: 3, cores: 40,
		workingSet: 48 << 30, maxBuffer: 36 << 30, maxThreads: 1024, maxThreadgroupMemory: 32 << 10, stageCounters: true,
	}
}

func intelIntegrated() facts {
	return facts{
		name: "Intel(R) UHD Graphics 630", registryID: 0x100000200, unified: true, lowPower: true, mac: 2,
		workingSet: 1536 << 20,
	}
}

func intelDiscrete() facts {
	return facts{name: "AMD Radeon Pro 5500M", registryID: 0x100000100, mac: 2, workingSet: 8 << 30, location: 1}
}

func eGPU() facts {
	f := intelDiscrete()
	f.name, f.registryID, f.removable, f.location, f.workingSet = "AMD Radeon RX 6900 XT", 0x100000900, true, 2, 16<<30
	return f
}

func TestChoose(t *testing.T) {
	weaker := m3()
	weaker.apple, weaker.registryID = 8, 1
	twin := m3()
	twin.registryID++
	cases := []struct {
		name    string
		devices []facts
		want    string
		index   int
	}{
		{"the only one", []facts{m3()}, "", 0},
		{"unified memory first", []facts{intelDiscrete(), m3()}, "", 1},
		{"the higher family", []facts{weaker, m3()}, "", 1},
		{"built in before removable", []facts{eGPU(), intelDiscrete()}, "", 1},
		{"equal devices: the lower ID", []facts{twin, m3()}, "", 1},
		{"by name", []facts{m3(), eGPU()}, "amd radeon rx 6900 xt", 1},
		{"by ID", []facts{m3(), eGPU()}, "0x100000900", 1},
		{"by decimal ID", []facts{m3(), eGPU()}, "4294969600", 1},
	}
	for _, c := range cases {
		got, err := choose(c.devices, c.want)
		if err != nil || got != c.index {
			t.Errorf("%s: device %d, error %v; want %d", c.name, got, err, c.index)
		}
	}
}

// The choice must not depend on the order of the list.
func TestChooseOrder(t *testing.T) {
	devices := []facts{intelIntegrated(), intelDiscrete(), eGPU(), m3()}
	for i := range devices {
		rotated := append(append([]facts(nil), devices[i:]...), devices[:i]...)
		got, err := choose(rotated, "")
		if err != nil || rotated[got].name != "Apple M3 Max" {
			t.Errorf("list rotated by %d: chose %d of it, error %v", i, got, err)
		}
	}
}

func TestChooseFails(t *testing.T) {
	if _, err := choose(nil, ""); !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("no devices: error %v", err)
	}
	_, err := choose([]facts{m3(), eGPU()}, "Voodoo")
	if !errors.Is(err, gpu.ErrUnsupported) {
		t.Fatalf("a device that is not there: error %v", err)
	}
	for _, word := range []string{"Voodoo", "Apple M3 Max", "0x100000900"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not name %q", err, word)
		}
	}
}

func TestSimulatedDeviceSaysSo(t *testing.T) {
	f := m3()
	f.simulated = true
	if got := f.device(); !strings.Contains(got.name, "simulated") || !got.simulated {
		t.Errorf("a simulated device is called %q, Simulated %v", got.name, got.simulated)
	}
	f.name = "Simulated Apple GPU"
	if got := f.device().name; got != "Simulated Apple GPU" {
		t.Errorf("a name that says so became %q", got)
	}
	f.simulated = false
	f.name = "Apple M3"
	if got := f.device().name; got != "Apple M3" {
		t.Errorf("a true device became %q", got)
	}
}

func TestDeviceString(t *testing.T) {
	want := "AMD Radeon RX 6900 XT (0x100000900, external, removable)"
	if got := eGPU().device().String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
