package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads/suite"
)

// carded is a fake engine on one of two devices.
type carded struct {
	*gputest.Fake
	device string
}

func (c carded) Unwrap() gpu.Engine { return c.Fake }

func (c carded) Info() gpu.Info {
	i := c.Fake.Info()
	i.Device, i.Simulated = c.device, false
	return i
}

func (c carded) Devices() ([]gpu.Device, string) {
	all := []gpu.Device{{ID: "first", Name: "first card"}, {ID: "second", Name: "second card"}}
	if c.device == "second" {
		slices.Reverse(all)
	}
	return all, "CARDS"
}

func cardedSession(t *testing.T, device string) *Session {
	t.Helper()
	open := func(device string) (gpu.Engine, error) {
		if device != "first" && device != "second" {
			return nil, gpu.Errorf(gpu.ErrUnsupported, "open", "", "no card %q", device)
		}
		return carded{gputest.NewFake(gputest.Script{}), device}, nil
	}
	s, err := New(Config{Workloads: suite.All(), RunsDir: t.TempDir(), Device: device, Engines: []Engine{
		{Name: "plain", Title: "Plain", Open: func() (gpu.Engine, error) {
			return nil, gpu.Errorf(gpu.ErrUnsupported, "open", "", "not here")
		}},
		{Name: "cards", Title: "Cards", Open: func() (gpu.Engine, error) { return open("first") }, OpenOn: open},
		{Name: "cpu", Title: "CPU", Open: func() (gpu.Engine, error) { return gputest.NewFake(gputest.Script{}), nil }},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestUseDevice(t *testing.T) {
	s := cardedSession(t, "")
	device := func() string {
		engine, _, err := s.engines.get("cards")
		if err != nil {
			t.Fatal(err)
		}
		return engine.Info().Device
	}
	if got := device(); got != "first" {
		t.Errorf("without a choice: %s", got)
	}
	if err := s.Engines().UseDevice(t.Context(), "cards", "second"); err != nil || device() != "second" {
		t.Errorf("%s is open: %v", device(), err)
	}
	state := s.Engines().List()[1]
	if state.Info.Device != "second" || len(state.Devices) != 2 || state.Devices[0].ID != "second" {
		t.Errorf("%+v", state)
	}
	if err := s.Engines().UseDevice(t.Context(), "cpu", "second"); err == nil || !strings.Contains(err.Error(), "cpu has no device to choose") {
		t.Errorf("of the CPU engine: %v", err)
	}
	if err := s.Engines().UseDevice(t.Context(), "cards", "third"); err != nil {
		t.Error(err)
	}
	if _, _, err := s.engines.get("cards"); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), `no card "third"`) {
		t.Errorf("a device that is not there: %v", err)
	}
	if err := s.Engines().UseDevice(t.Context(), "cards", ""); err != nil || device() != "first" {
		t.Errorf("%s is open: %v", device(), err)
	}
}

// A device requested on the command line belongs to an engine that has it: no other takes its place.
func TestConfiguredDevice(t *testing.T) {
	engine, _, err := cardedSession(t, "second").engines.get("auto")
	if err != nil || engine.Info().Device != "second" {
		t.Errorf("%v, %v", engine, err)
	}
	_, _, err = cardedSession(t, "third").engines.get("auto")
	if err == nil || !strings.Contains(err.Error(), `no engine opens device "third": `) || !strings.Contains(err.Error(), `no Cards: no card "third"`) ||
		!strings.Contains(err.Error(), "no CPU: it has no device to choose") {
		t.Errorf("a device that is not there: %v", err)
	}
}

func TestUseDeviceDuringARun(t *testing.T) {
	s := cardedSession(t, "")
	lease, err := s.device.Acquire(t.Context(), UseRun)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	if err := s.Engines().UseDevice(t.Context(), "cards", "second"); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, want %v", err, ErrBusy)
	}
}

// lostForGood is an engine whose device only another process can use again.
type lostForGood struct{ gpu.Engine }

func (lostForGood) Lost() error {
	return gpu.Errorf(gpu.ErrDeviceLost, "use", "", "a fault; %w", gpu.ErrRestart)
}

func TestDropSaysWhatToDo(t *testing.T) {
	s := cardedSession(t, "")
	for engine, restart := range map[gpu.Engine]bool{
		lostForGood{gputest.NewFake(gputest.Script{})}: true, gputest.NewFake(gputest.Script{}): false,
	} {
		s.engines.open["x"] = engine
		s.engines.pools.of(engine)
		s.engines.drop(engine)
		_, _, err := s.engines.pools.current()
		if !errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrRestart) != restart {
			t.Errorf("a restart is needed: %v; the pool says %v", restart, err)
		}
	}
}
