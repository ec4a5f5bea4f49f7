package monitor

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantJoules reads a counter and compares what it has counted since base.
func wantJoules(t *testing.T, c *EnergyCounter, base, want float64) {
	t.Helper()
	if got, err := c.Joules(); err != nil || math.Abs(got-base-want) > 1e-6 {
		t.Errorf("%v J since the first reading, %v; want %v", got-base, err, want)
	}
}

func TestCPUEnergy(t *testing.T) {
	r, dir := machine.write(t)
	c, err := raplEnergy(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := "package-0, dram, RAPL in /sys/class/powercap; all programs count"; c.About != want {
		t.Errorf("about %q, want %q: cores are part of the package", c.About, want)
	}
	base, err := c.Joules()
	if err != nil {
		t.Fatal(err)
	}
	set := func(domain, text string) {
		put(t, filepath.Join(dir, "sys/class/powercap", domain, "energy_uj"), text)
	}
	wantJoules(t, c, base, 0)
	set("intel-rapl:0", "262143200000\n")
	wantJoules(t, c, base, 0.2)
	set("intel-rapl:0", "29671150\n") // 29.8 J later: it restarted after 262143.328850 J
	wantJoules(t, c, base, 30)
	set("intel-rapl:0:1", "2000000\n")
	wantJoules(t, c, base, 31)
	set("intel-rapl:0:1", "1500000\n") // far from its maximum
	if _, err := c.Joules(); err == nil || !strings.Contains(err.Error(), energyWentBack) {
		t.Errorf("a counter that was reset: %v", err)
	}
}

func TestCPUEnergyThatCannotBeRead(t *testing.T) {
	r, _ := tree{}.write(t)
	if _, err := raplEnergy(r); err == nil || !strings.Contains(err.Error(), "no energy counter (RAPL)") {
		t.Errorf("without RAPL: %v", err)
	}
	r, dir := machine.write(t)
	path := filepath.Join(dir, "sys/class/powercap/intel-rapl:0/energy_uj")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := raplEnergy(r); err == nil || !strings.Contains(err.Error(), "/sys/class/powercap/intel-rapl:0/energy_uj does not exist") {
		t.Errorf("a file that is missing: %v", err)
	}
	if err := worded("/sys/x", &os.PathError{Op: "read", Path: "/sys/x", Err: os.ErrPermission}); err.Error() != "readable only by root: /sys/x" {
		t.Errorf("%v", err)
	}
}

func TestGPUEnergy(t *testing.T) {
	library := fakeNVML(t)
	scriptNVML(t, answering(map[nvmlItem]uint64{nvmlEnergy: 5_000_250}))
	reader, err := openNVML(library)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newNVMLEnergy(reader, "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(c.About, "GPU board, nvmlDeviceGetTotalEnergyConsumption, driver ") {
		t.Errorf("about %q", c.About)
	}
	base, _ := c.Joules()
	scriptNVML(t, answering(map[nvmlItem]uint64{nvmlEnergy: 5_600_750}))
	wantJoules(t, c, base, 600.5)
	scriptNVML(t, answering(map[nvmlItem]uint64{nvmlEnergy: 100}))
	if _, err := c.Joules(); err == nil || !strings.Contains(err.Error(), energyWentBack) {
		t.Errorf("a driver that was loaded again: %v", err)
	}
	scriptNVML(t, "nvmlDeviceGetTotalEnergyConsumption 0 3 0\n")
	var why absent
	if _, err := newNVMLEnergy(reader, ""); !errors.As(err, &why) || !strings.Contains(err.Error(), "does not report it") {
		t.Errorf("a card without a counter: %v", err)
	}
}
