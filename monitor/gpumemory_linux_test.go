package monitor

import (
	"errors"
	"strings"
	"testing"
)

// programGPUs is a reader of the fake library, in a container or not.
func programGPUs(t *testing.T, library string, hidden error) *ProgramGPUs {
	t.Helper()
	g := &ProgramGPUs{library: library}
	if err := g.open(); err != nil {
		t.Fatal(err)
	}
	g.driver.hidden = hidden
	return g
}

// Processes that compute and that draw count once on each GPU.
func TestMemoryOfProcesses(t *testing.T) {
	library := fakeNVML(t)
	const compute, graphics = "nvmlDeviceGetComputeRunningProcesses_v3 ", "nvmlDeviceGetGraphicsRunningProcesses_v3 "
	scriptNVML(t, compute+"2 0 1000\n"+compute+"3 0 500\n"+graphics+"3 0 500\n"+graphics+"4 0 70\nnvmlDeviceGetCount_v2 0 0 2\n")
	g := programGPUs(t, library, nil)
	if m := g.Of([]int{2, 3, 4, 99}); m.Err != nil || m.Bytes != 2*1570 || m.Estimated {
		t.Errorf("%+v, want 1570 B on each of two GPUs", m)
	}
	if m := g.Of([]int{99}); m.Err != nil || m.Bytes != 0 {
		t.Errorf("a process without GPU memory has %+v", m)
	}
	scriptNVML(t, compute+"2 0 18446744073709551615\n"+graphics+"4 0 70\n")
	if m := g.Of([]int{2}); m.Err == nil || !strings.Contains(m.Err.Error(), "does not report") {
		t.Errorf("unknown memory is %+v", m)
	}
	scriptNVML(t, compute+"0 4 0\n")
	if m := g.Of([]int{2}); m.Err == nil || !strings.Contains(m.Err.Error(), "only by root") {
		t.Errorf("without permission: %+v", m)
	}
}

// In a container the IDs differ: all memory in use is an estimate, and marked as one.
func TestMemoryInAContainer(t *testing.T) {
	library := fakeNVML(t)
	scriptNVML(t, "nvmlDeviceGetMemoryInfo_v2 0 0 7000\nnvmlDeviceGetMemoryInfo_v2 1 0 9000\n")
	m := programGPUs(t, library, errors.New("hidden")).Of([]int{2})
	if m.Err != nil || m.Bytes != 7000 || !m.Estimated || !strings.Contains(m.Source, "in a container") {
		t.Errorf("%+v", m)
	}
}

func TestNoNVIDIADriver(t *testing.T) {
	g := &ProgramGPUs{library: "libnone.so"}
	if m := g.Of([]int{1}); m.Err == nil || !strings.Contains(m.Err.Error(), "no NVIDIA driver") {
		t.Errorf("%+v", m)
	}
}
