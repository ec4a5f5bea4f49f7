package app

import (
	"errors"
	"fmt"
	"math"

	"assay/gpu"
	"assay/monitor/leak"
)

// Limits and defaults of the pool's settings.
const (
	PoolCapacityMin = 0 // buffers that a class caches; 0: the pool caches none
	PoolCapacityMax = 1000
	// PoolCapacityDefault is the default capacity.
	PoolCapacityDefault = 10

	PoolBudgetMin     = 1_000_000 // bytes, live and cached together; PoolBudgetMax is the maximum
	PoolBudgetNone    = 0         // no limit but the engine's
	PoolBudgetDefault = -1        // PoolBudgetShare of the engine's working set; no limit if unknown
	PoolBudgetShare   = memoryShare
)

// PoolSettings are the settings of all current and later pools of a session.
type PoolSettings struct {
	Capacity  int        // buffers that each size class caches, PoolCapacityMin to PoolCapacityMax
	Budget    int64      // bytes live and cached together: PoolBudgetMin to PoolBudgetMax, PoolBudgetNone or PoolBudgetDefault
	Mode      gpu.Mode   // initial contents of leased buffers
	Policy    gpu.Policy // how requests are rounded up to size classes
	LogLeases bool       // also log each acquire and release, not only buffers that are allocated and freed
	Off       bool       // every request allocates and every release frees, whatever the other settings say
}

// PoolStates are off and on, as choices for PoolSettings.Off.
func PoolStates() gpu.PoolChoices[bool] {
	return gpu.PoolChoices[bool]{
		{Value: false, Name: "on", Words: "buffers are reused", Title: "On", About: "Keeps released buffers for the next request of their size."},
		{
			Value: true, Name: "off", Words: "every request allocates a buffer, and every release frees one", Title: "Off",
			About: "Every request allocates a buffer, and every release frees one: for comparison.",
		},
	}
}

// PoolLogs are what a run logs about its pool, as choices for PoolSettings.LogLeases.
func PoolLogs() gpu.PoolChoices[bool] {
	return gpu.PoolChoices[bool]{
		{Value: false, Name: "buffers", Words: "each buffer allocated and freed", Title: "Buffers", About: "Logs each buffer that is allocated or freed."},
		{
			Value: true, Name: "leases", Words: "these, and each acquire and release", Title: "Leases",
			About: "Also logs each acquire and release, which takes a tenth of a microsecond more.",
		},
	}
}

// log returns what pools log.
func (s PoolSettings) log() gpu.PoolLog {
	if s.LogLeases {
		return gpu.LogLeases
	}
	return gpu.LogBuffers
}

// DefaultPoolSettings returns the defaults: inputs are written completely, and outputs are poisoned before verification, so
// buffers may be dirty.
func DefaultPoolSettings() PoolSettings {
	return PoolSettings{Capacity: PoolCapacityDefault, Budget: PoolBudgetDefault, Mode: gpu.ModeDirty}
}

// SettingError is the error of a setting out of range.
type SettingError struct {
	Setting        string // "capacity", "budget", "mode", "policy"
	Given, Allowed string
}

// Error says all three.
func (e *SettingError) Error() string {
	return fmt.Sprintf("%s of the pool: %s, want %s", e.Setting, e.Given, e.Allowed)
}

// PoolBudgetMax is the largest budget that can be set on an engine, in bytes.
func PoolBudgetMax(i gpu.Info) int64 {
	if i.WorkingSet > 0 {
		return i.WorkingSet
	}
	return max(i.MaxBuffer, PoolBudgetMin)
}

// Check returns a *SettingError for the first setting that is out of range. The largest budget is the engine's; without an
// engine, with a zero Info, it is unlimited.
func (s PoolSettings) Check(i gpu.Info) error {
	budgetMax := int64(math.MaxInt64)
	if i.WorkingSet > 0 || i.MaxBuffer > 0 {
		budgetMax = PoolBudgetMax(i)
	}
	limit := s.Budget != PoolBudgetDefault && s.Budget != PoolBudgetNone
	switch {
	case s.Capacity < PoolCapacityMin || s.Capacity > PoolCapacityMax:
		return &SettingError{"capacity", fmt.Sprint(s.Capacity), fmt.Sprintf("%d to %d buffers per size class", PoolCapacityMin, PoolCapacityMax)}
	case limit && s.Budget < PoolBudgetMin:
		return &SettingError{"budget", fmt.Sprintf("%d B", s.Budget), fmt.Sprintf("%d B or more, none, or default", PoolBudgetMin)}
	case limit && s.Budget > budgetMax:
		return &SettingError{"budget", leak.Bytes(float64(s.Budget)), "at most " + leak.Bytes(float64(budgetMax)) + ", the engine’s working set"}
	}
	if _, ok := gpu.Modes().Find(s.Mode); !ok {
		return &SettingError{"mode", fmt.Sprint(uint8(s.Mode)), gpu.Modes().Names()}
	}
	if _, ok := gpu.Policies().Find(s.Policy); !ok {
		return &SettingError{"policy", fmt.Sprint(uint8(s.Policy)), gpu.Policies().Names()}
	}
	return nil
}

// Usual returns the settings, with values that are out of range on an engine replaced by defaults.
func (s PoolSettings) Usual(i gpu.Info) PoolSettings {
	usual := DefaultPoolSettings()
	for s != usual {
		var e *SettingError
		if !errors.As(s.Check(i), &e) {
			return s
		}
		switch e.Setting {
		case "capacity":
			s.Capacity = usual.Capacity
		case "budget":
			s.Budget = usual.Budget
		case "mode":
			s.Mode = usual.Mode
		case "policy":
			s.Policy = usual.Policy
		}
	}
	return s
}

// BudgetOn returns the effective budget on an engine, in bytes; 0: none. It is capped at the engine's maximum.
func (s PoolSettings) BudgetOn(i gpu.Info) int64 {
	switch {
	case s.Budget == PoolBudgetDefault:
		return int64(PoolBudgetShare * float64(i.WorkingSet))
	case i.WorkingSet > 0:
		return min(s.Budget, i.WorkingSet)
	}
	return s.Budget
}

// Settings returns the settings of all pools.
func (p *Pool) Settings() PoolSettings {
	pools := p.session.engines.pools
	pools.mu.Lock()
	defer pools.mu.Unlock()
	return pools.settings
}

// Set changes the settings of all current and later pools of the session. A setting out of range is a *SettingError. Cached
// buffers above a new capacity or budget are freed, which may take a while; live leases stay. Changing the policy, or switching
// pooling on or off, recreates the pools, so it fails with ErrBusy during a run.
func (p *Pool) Set(to PoolSettings) error {
	s := p.session
	pools := s.engines.pools
	info := gpu.Info{}
	if own, _, _ := pools.current(); own != nil {
		info = own.info
	}
	before := p.Settings()
	check := to
	if to.Budget == before.Budget { // it may be from an engine with more memory
		check.Budget = PoolBudgetDefault
	}
	if err := check.Check(info); err != nil {
		return err
	}
	if to.differentPools(before) {
		lease, err := s.device.Acquire(s.ctx, UsePolicy)
		if err != nil {
			return fmt.Errorf("set up the pool again: %w", err)
		}
		defer lease.Release()
	}
	before = pools.set(to)
	s.notePoolSettings(before, to)
	return nil
}

// differentPools reports whether these settings need other pools than those: an existing pool cannot be converted.
func (s PoolSettings) differentPools(from PoolSettings) bool {
	return s.Policy != from.Policy || s.Off != from.Off
}

// notePoolSettings records in the run in progress, if any, which settings were changed.
func (s *Session) notePoolSettings(before, to PoolSettings) {
	if to.Capacity != before.Capacity {
		s.poolChanged("the capacity was set to %d buffers per size class", to.Capacity)
	}
	if to.Budget != before.Budget {
		s.poolChanged("the budget was set to %s", budgetWords(to.Budget))
	}
	if to.Mode != before.Mode {
		s.poolChanged("the mode was set to %v", to.Mode)
	}
	if to.LogLeases != before.LogLeases {
		choice, _ := PoolLogs().Find(to.LogLeases)
		s.poolChanged("the log was set to %s", choice.Words)
	}
}

// options returns the options of a new pool on an engine.
func (s PoolSettings) options(i gpu.Info) gpu.PoolOptions {
	o := gpu.PoolOptions{
		Policy: s.Policy, Storage: i.Storage(), Mode: s.Mode, Capacity: s.Capacity, Budget: s.BudgetOn(i),
		Disabled: s.Off, Log: s.log(),
	}
	if o.Capacity == 0 {
		o.Capacity = -1 // 0 would mean the pool's default
	}
	return o
}

func budgetWords(bytes int64) string {
	switch bytes {
	case PoolBudgetNone:
		return "none"
	case PoolBudgetDefault:
		return "its default"
	}
	return leak.Bytes(float64(bytes))
}
