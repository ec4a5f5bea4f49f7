//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu"
)

func TestOpenWithoutDriver(t *testing.T) {
	_, err := OpenWith(Options{Library: "libcuda-that-is-not-there.so.1"})
	says(t, err, gpu.ErrUnsupported, "driver is not installed", "libcuda-that-is-not-there.so.1", "cannot open shared object file")
	_, err = OpenWith(Options{Library: "libm.so.6"})
	says(t, err, gpu.ErrUnsupported, "libm.so.6 has no cuInit", "too old")
}

func TestOpenRefused(t *testing.T) {
	for _, c := range []struct{ script, says string }{
		{"cuInit=100", "no NVIDIA GPU is visible"},
		{"cuInit=803", "a reboot loads the new one"},
		{"cuInit=999", "unknown error"},
		{"devices=0", "no NVIDIA GPU is visible"},
		{"major=7", "compute capability 7.0, the kernels need 8.0"},
		{"compute_mode=2", "prohibits all use"},
		{"warp=64", "warps of 64 threads"},
		{"cuDevicePrimaryCtxRetain=46", "in use by another process"},
		{"cuStreamCreate=999", "unknown error"},
		{"cuEventCreate=999", "unknown error"},
		{"cuDeviceGetAttribute=999", "unknown error"},
	} {
		_, err := OpenWith(fakeOptions(t, c.script))
		says(t, err, gpu.ErrUnsupported, c.says)
	}
}

// An engine that could not be opened leaves nothing behind.
func TestOpenRefusedFreesAll(t *testing.T) {
	ledger(t)
	_, err := OpenWith(fakeOptions(t, "cuEventCreate@3=2"))
	says(t, err, gpu.ErrOutOfMemory, "device has no memory")
}

func TestDevices(t *testing.T) {
	for _, c := range []struct{ want, script, name string }{
		{"", "devices=3", "Fake GPU 0"},
		{"1", "devices=3", "Fake GPU 1"},
		{"fake gpu 2", "devices=3", "Fake GPU 2"},
		{"gpu-20212223-2425-2627-2829-2a2b2c2d2e2f", "devices=3", "Fake GPU 2"},
		{"", "devices=2 major=7 second_major=8", "Fake GPU 1"},
	} {
		o := fakeOptions(t, c.script)
		t.Setenv(deviceVariable, c.want)
		e := open(t, o)
		all, how := e.Devices()
		if e.Info().Device != c.name || !strings.HasPrefix(all[0].Name, c.name) || !e.facts.is(all[0].ID) || how != deviceVariable {
			t.Errorf("%q took %s of %+v, picked by %s; want %s", c.want, e.Info().Device, all, how, c.name)
		}
		closed(t, e)
	}
	o := fakeOptions(t, "devices=2")
	o.Device = "H100"
	_, err := OpenWith(o)
	says(t, err, gpu.ErrUnsupported, `no CUDA device "H100"`, "Fake GPU 0 (0, GPU-00010203-0405", "Fake GPU 1 (1")
	o = fakeOptions(t, "devices=2 second_major=7")
	o.Device = "1"
	_, err = OpenWith(o)
	says(t, err, gpu.ErrUnsupported, "Fake GPU 1", "compute capability 7.0")
}

func TestInfo(t *testing.T) {
	e := openFake(t, "")
	defer closed(t, e)
	i := e.Info()
	if i.Engine != "cuda" || !i.GPU || i.Unified || i.Simulated || i.Cores != 4 || i.LastLevelCache != 1<<20 || i.Bandwidth != 128e9 || i.MaxBuffer != 1<<30 ||
		i.WorkingSet != 1<<30 || i.SampleTime != gpuSample || i.Family != 0 {
		t.Errorf("%+v", i)
	}
	if id := e.DeviceID(); id != "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f" {
		t.Errorf("the device is %q", id)
	}
	for _, want := range []string{"compute capability 9.0", "driver for CUDA 13.0", "bfloat", "ECC"} {
		if !slices.Contains(i.Features, want) {
			t.Errorf("features %q lack %q", i.Features, want)
		}
	}
}

// An integrated device uses the host's memory, so shared buffers are as fast as any.
func TestIntegrated(t *testing.T) {
	e := openFake(t, "integrated=1")
	defer closed(t, e)
	if i := e.Info(); !i.Unified || i.Storage() != gpu.Shared {
		t.Errorf("%+v", i)
	}
}
