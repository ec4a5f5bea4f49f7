package app

import (
	"encoding/json"
	"errors"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/workloads"
)

func TestPoolSettingsCheck(t *testing.T) {
	mac := gpu.Info{WorkingSet: 8_000_000_000}
	for name, c := range map[string]struct {
		change func(*PoolSettings)
		want   SettingError
	}{
		"capacity": {func(p *PoolSettings) { p.Capacity = 1001 }, SettingError{"capacity", "1001", "0 to 1000 buffers per size class"}},
		"small":    {func(p *PoolSettings) { p.Budget = 5 }, SettingError{"budget", "5 B", "1000000 B or more, none, or default"}},
		"large": {
			func(p *PoolSettings) { p.Budget = 9_000_000_000 },
			SettingError{"budget", "9 GB", "at most 8 GB, the engine’s working set"},
		},
		"mode":   {func(p *PoolSettings) { p.Mode = 9 }, SettingError{"mode", "9", "dirty, zero or poison"}},
		"policy": {func(p *PoolSettings) { p.Policy = 3 }, SettingError{"policy", "3", "fine, pow2 or exact"}},
	} {
		settings := DefaultPoolSettings()
		if err := settings.Check(mac); err != nil {
			t.Fatal(err)
		}
		c.change(&settings)
		var got *SettingError
		if !errors.As(settings.Check(mac), &got) || *got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	unknown := DefaultPoolSettings()
	unknown.Budget = 9_000_000_000
	if err := unknown.Check(gpu.Info{}); err != nil {
		t.Errorf("a large budget on no engine: %v", err)
	}
}

func TestBudgetOn(t *testing.T) {
	mac := gpu.Info{WorkingSet: 10_000}
	for _, c := range []struct{ budget, on, none int64 }{
		{PoolBudgetDefault, 8000, 0}, {PoolBudgetNone, 0, 0}, {5000, 5000, 5000}, {20_000, 10_000, 20_000},
	} {
		s := PoolSettings{Budget: c.budget}
		if got, none := s.BudgetOn(mac), s.BudgetOn(gpu.Info{}); got != c.on || none != c.none {
			t.Errorf("budget %d is %d, and %d where the working set is not known; want %d, %d", c.budget, got, none, c.on, c.none)
		}
	}
}

// A new policy recreates the pools, but not during a run.
func TestPolicyMakesPoolsAgain(t *testing.T) {
	var during error
	var s *Session
	s = pooled(t, gputest.Script{}, func(*workloads.Env) error {
		during = set(s, func(p *PoolSettings) { p.Policy = gpu.PolicyExact })
		return nil
	})
	runWork(t, s)
	if !errors.Is(during, ErrBusy) {
		t.Errorf("another policy during a run: %v, want ErrBusy", during)
	}
	prewarm(t, s, 100, 1)
	if err := set(s, func(p *PoolSettings) { p.Policy = gpu.PolicyPow2 }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pool().State(LiveOrder{}); !errors.Is(err, ErrNoPool) {
		t.Errorf("the pool of another policy: %v, want that there is none", err)
	}
	prewarm(t, s, 100, 1)
	if state := poolState(t, s); len(state.Classes) != 1 || state.Classes[0].Size != 128 {
		t.Errorf("classes %+v, want one of 128 B", state.Classes)
	}
}

// Settings stored by earlier versions still read correctly.
func TestPoolSettingsOfEarlierVersions(t *testing.T) {
	s := DefaultPoolSettings()
	if err := json.Unmarshal([]byte(`{"Capacity":50,"Budget":2000000000,"Mode":1,"Tolerance":5}`), &s); err != nil {
		t.Fatal(err)
	}
	if want := (PoolSettings{Capacity: 50, Budget: 2_000_000_000, Mode: gpu.ModePoison}); s != want {
		t.Errorf("read %+v, want %+v", s, want)
	}
}

// A device with its own memory keeps there what kernels work on.
func TestPoolStorage(t *testing.T) {
	for unified, want := range map[bool]gpu.Storage{true: gpu.Shared, false: gpu.Private} {
		if got := (PoolSettings{}).options(gpu.Info{Unified: unified}).Storage; got != want {
			t.Errorf("unified memory %v: a pool of %v buffers, want %v", unified, got, want)
		}
	}
}
