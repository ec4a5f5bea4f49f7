package probe

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
)

// plain only offers what every engine must.
type plain struct{ gpu.Engine }

// full offers everything that is queried; what is tried is the fake's.
type full struct {
	*gputest.Fake
	lost    error
	devices []string
}

func (full) Compiles() []gpu.Compile {
	return []gpu.Compile{{Kernel: "add_f32", Seconds: 0.003, Cache: "stored"}}
}

func (full) DeviceMemory() (gpu.DeviceMemory, error) {
	return gpu.DeviceMemory{Allocated: 2e6, ResourceLimit: 500}, nil
}
func (f full) Lost() error     { return f.lost }
func (full) Capturable() error { return nil }

func (full) Capture(string) (func() error, error) {
	return nil, errors.New("a capture was tried")
}
func (full) TraceCommand() string { return "trace 123" }
func (f full) Devices() ([]gpu.Device, string) {
	var all []gpu.Device
	for _, name := range f.devices {
		all = append(all, gpu.Device{ID: name, Name: name})
	}
	return all, "SOME_VARIABLE"
}

// copying claims to wrap memory, but copies it.
type copying struct{ *gputest.Fake }

func (c copying) Wrap(mem []byte, label string, done func()) (gpu.Buffer, error) {
	defer done()
	return c.NewBuffer(len(mem), gpu.Shared, label)
}

func fake(t *testing.T, s gputest.Script) *gputest.Fake {
	t.Helper()
	f := gputest.NewFake(s)
	t.Cleanup(func() {
		if m := f.Memory(); m != (gpu.Memory{}) {
			t.Errorf("%+v is left", m)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// expect runs all checks and compares each ability: "+" and words of what was observed, or words of why it is not available.
func expect(t *testing.T, e gpu.Engine, want map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	all := Abilities(ctx, e)
	if len(all) != len(checks()) {
		t.Errorf("%d abilities, want %d", len(all), len(checks()))
	}
	for _, a := range all {
		words, available := strings.CutPrefix(want[a.Name], "+")
		told := a.Reason
		if a.Available {
			told = a.Detail
		}
		if a.Available != available || told == "" || !strings.Contains(told, words) || a.Available == (a.Reason != "") {
			t.Errorf("%+v, want %q", a, want[a.Name])
		}
	}
}

func TestOfferedByEveryKind(t *testing.T) {
	expect(t, full{fake(t, gputest.Script{}), nil, []string{"one", "two", "three"}}, map[string]string{
		"no_copy": "+of the process's memory", "stage_times": "+3 dispatches took", "concurrent": "+a third in order",
		"compile_log": "+add_f32 in 3.00 ms, pipeline cache: stored", "recompile": "+add_f32, cold, in",
		"device_memory": "+2.00 MB, at most 500 buffers", "device_loss": "+the device is there",
		"capture": "+not tried", "trace": "+not tried; trace 123",
		"devices": "+one in use; --device or SOME_VARIABLE takes another: two, three",
	})
	lost := gpu.Errorf(gpu.ErrDeviceLost, "use", "device", "it was removed")
	one := full{fake(t, gputest.Script{}), lost, []string{"one"}}
	for _, a := range Abilities(t.Context(), gpu.NewMeter().Wrap(one)) { // wrappers hide nothing
		switch {
		case a.Name == "device_loss" && (a.Available || !strings.Contains(a.Reason, "it was removed")):
			t.Errorf("%+v", a)
		case a.Name == "devices" && a.Detail != "one, the only one":
			t.Errorf("%+v", a)
		case a.Name == "stage_times" && !a.Available:
			t.Errorf("%+v", a)
		}
	}
}

func TestNothingOffered(t *testing.T) {
	for _, a := range Abilities(t.Context(), plain{fake(t, gputest.Script{})}) {
		if a.Available || a.Reason == "" || strings.Contains(a.Reason, "failed") {
			t.Errorf("%+v", a)
		}
	}
}

// An ability that computes something else, or nothing, does not count.
func TestOfferedAndBroken(t *testing.T) {
	kernelless := gputest.Script{Unsupported: map[string]string{kernel: "no adding here"}}
	for _, c := range []struct {
		name   string
		engine gpu.Engine
		want   map[string]string
	}{
		{"wrong sums", fake(t, gputest.Script{Steps: []gputest.Step{{Wrong: true}}, Repeat: true}), map[string]string{
			"stage_times": "it failed: element 2048 of the sums is", "concurrent": "it failed: element 2048 of the sums is",
		}},
		{"a copy", copying{fake(t, gputest.Script{})}, map[string]string{"no_copy": "it failed: the process's memory lacks what the device wrote"}},
		{"no kernel", fake(t, kernelless), map[string]string{"stage_times": "no adding here", "concurrent": "no adding here"}},
		{
			"a failure",
			fake(t, gputest.Script{Steps: []gputest.Step{{Err: gpu.ErrExecution}}, Repeat: true}),
			map[string]string{"no_copy": "it failed", "stage_times": "it failed", "concurrent": "it failed"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, a := range Abilities(t.Context(), c.engine) {
				if want := c.want[a.Name]; want != "" && (a.Available || !strings.Contains(a.Reason, want)) {
					t.Errorf("%+v, want %q", a, want)
				}
			}
		})
	}
}

func TestHungDeviceEndsWithTheContext(t *testing.T) {
	e := fake(t, gputest.Script{Steps: []gputest.Step{{Hang: true}}, Repeat: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, a := range Abilities(ctx, e) {
		if a.Name == "stage_times" && (a.Available || !strings.Contains(a.Reason, context.DeadlineExceeded.Error())) {
			t.Errorf("%+v", a)
		}
	}
}

func TestReasonOfWhatIsUnsupported(t *testing.T) {
	err := gpu.Errorf(gpu.ErrUnsupported, "prepare", "", "%s has no clock", shaders.MPS)
	if got := reason(err); got != "mps has no clock" {
		t.Errorf("%q", got)
	}
}
