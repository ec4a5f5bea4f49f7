package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"assay/app"
	"assay/gpu"
	"assay/internal/si"
)

// poolFlags are the flags of `run` that set the buffer pool and the leak check.
type poolFlags struct {
	capacity     int
	budget       string
	mode, policy string
	prewarm      []string
	state        string // on or off
	log          string // buffers or leases
	clear        bool
	clearSize    []string
	shrink       string
	eachCase     bool
	tolerance    string
	pause        time.Duration
}

func (f *poolFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.capacity, "pool-capacity", app.PoolCapacityDefault,
		fmt.Sprintf("buffers that the pool caches per size class, %d to %d", app.PoolCapacityMin, app.PoolCapacityMax))
	flags.StringVar(&f.budget, "pool-budget", "default",
		fmt.Sprintf("limit on the pool's bytes: SIZE, none, or default (%.0f %% of the engine's working set)",
			100*app.PoolBudgetShare))
	flags.StringVar(&f.mode, "pool-mode", gpu.ModeDirty.String(),
		"initial contents of pool buffers: "+gpu.Modes().Described())
	flags.StringVar(&f.policy, "pool-policy", gpu.PolicyFine.String(),
		"size classes of the pool: "+gpu.Policies().Described())
	flags.StringArrayVar(&f.prewarm, "pool-prewarm", nil, "cache buffers before the run: SIZE:COUNT, such as 16MiB:4 (repeatable)")
	flags.StringVar(&f.state, "pool", "on", app.PoolStates().Described())
	flags.StringVar(&f.log, "pool-log", "buffers", "what the run logs in pool.csv: "+app.PoolLogs().Described())
	flags.BoolVar(&f.clear, "pool-clear", false, "free all that the pool caches between workloads")
	flags.StringArrayVar(&f.clearSize, "pool-clear-size", nil,
		"between workloads, free cached buffers that serve requests of this SIZE (repeatable)")
	flags.StringVar(&f.shrink, "pool-shrink", "",
		"between workloads, free the least recently used buffers until at most SIZE is cached")
	flags.BoolVar(&f.eachCase, "pool-each-case", false,
		"apply --pool-clear, --pool-clear-size and --pool-shrink between all cases: each starts as cold as they leave it")
	flags.DurationVar(&f.pause, "pressure-pause", app.PressurePause,
		"wait at most this long before a case while memory pressure is critical; 0: not at all")
	flags.StringVar(&f.tolerance, "leak-tolerance", "100MB",
		"maximum growth of the process over the run: SIZE, at least 1B")
}

// warm is buffers to prewarm.
type warm struct{ bytes, count int }

// poolPlan is the pool setup requested by the flags.
type poolPlan struct {
	settings  app.PoolSettings
	upkeep    app.PoolUpkeep
	warm      []warm
	tolerance int64
	pause     time.Duration
}

// plan reads the flags.
func (f *poolFlags) plan() (p poolPlan, err error) {
	p.settings.Capacity = f.capacity
	if p.settings.Budget, err = budgetOf(f.budget); err != nil {
		return p, err
	}
	if p.settings.Mode, err = named("--pool-mode", f.mode, gpu.Modes()); err != nil {
		return p, err
	}
	if p.settings.Policy, err = named("--pool-policy", f.policy, gpu.Policies()); err != nil {
		return p, err
	}
	if err := p.settings.Check(gpu.Info{}); err != nil { // the engine's limit is checked when it is open
		return p, settingUsage(err)
	}
	if p.settings.Off, err = named("--pool", f.state, app.PoolStates()); err != nil {
		return p, err
	}
	if p.settings.LogLeases, err = named("--pool-log", f.log, app.PoolLogs()); err != nil {
		return p, err
	}
	if p.settings.Off && len(f.prewarm) > 0 {
		return p, usagef("--pool-prewarm fills the pool, and --pool is off: leave out one")
	}
	for _, s := range f.prewarm {
		w, err := warmOf(s, p.settings.Capacity)
		if err != nil {
			return p, err
		}
		p.warm = append(p.warm, w)
	}
	switch {
	case f.pause < 0 || f.pause > 24*time.Hour:
		return p, usagef("--pressure-pause is %v, want 0s to 24h", f.pause)
	case f.pause == 0:
		f.pause = -1
	}
	p.pause = f.pause
	if p.upkeep, err = f.upkeep(); err != nil {
		return p, err
	}
	p.tolerance, err = si.ParseBytes(f.tolerance)
	if err != nil || p.tolerance < 1 || p.tolerance > app.LeakToleranceMax {
		return p, usagef("--leak-tolerance is %q, want a size from 1B to %s", f.tolerance, si.Bytes(app.LeakToleranceMax))
	}
	return p, nil
}

// upkeep reads the flags about what is freed between workloads or cases.
func (f *poolFlags) upkeep() (u app.PoolUpkeep, err error) {
	u.Clear, u.EachCase = f.clear, f.eachCase
	for _, s := range f.clearSize {
		n, err := si.ParseBytes(s)
		if err != nil || n < 1 {
			return u, usagef("--pool-clear-size is %q, want a size from 1B", s)
		}
		u.Sizes = append(u.Sizes, int(n))
	}
	if f.shrink != "" {
		u.Shrink = true
		if u.ShrinkTo, err = si.ParseBytes(f.shrink); err != nil || u.ShrinkTo < 0 {
			return u, usagef("--pool-shrink is %q, want a size from 0B", f.shrink)
		}
	}
	if f.eachCase && !f.clear && !u.Shrink && len(u.Sizes) == 0 {
		return u, usagef("--pool-each-case says when to do what --pool-clear, --pool-clear-size or --pool-shrink say: add one")
	}
	return u, nil
}

// settingUsage names the flag of a setting that is out of its range.
func settingUsage(err error) error {
	var e *app.SettingError
	if errors.As(err, &e) {
		return usagef("--pool-%s is %s, want %s", e.Setting, e.Given, e.Allowed)
	}
	return usageError{err}
}

func budgetOf(s string) (int64, error) {
	switch s {
	case "default":
		return app.PoolBudgetDefault, nil
	case "none":
		return app.PoolBudgetNone, nil
	}
	b, err := si.ParseBytes(s)
	if err != nil || b < app.PoolBudgetMin {
		return 0, usagef("--pool-budget is %q, want none, default, or a size from %s", s, si.Bytes(app.PoolBudgetMin))
	}
	return b, nil
}

// named returns the value of that name.
func named[T comparable](flag, name string, all gpu.PoolChoices[T]) (T, error) {
	v, ok := all.Named(name)
	if !ok {
		return v, usagef("%s is %q, want %s", flag, name, all.Names())
	}
	return v, nil
}

func warmOf(s string, capacity int) (warm, error) {
	size, count, _ := strings.Cut(s, ":")
	bytes, err := si.ParseBytes(size)
	n, nerr := strconv.Atoi(count)
	if err != nil || nerr != nil || bytes < 1 || n < 1 {
		return warm{}, usagef("--pool-prewarm is %q, want SIZE:COUNT, such as 16MiB:4", s)
	}
	if n > capacity {
		return warm{}, usagef("--pool-prewarm is %q: the pool caches %d buffers per size class, see --pool-capacity",
			s, capacity)
	}
	return warm{int(bytes), n}, nil
}

// apply sets the session's pool and prewarms it.
func (p *poolPlan) apply(ctx context.Context, s *app.Session, engine string) error {
	if err := s.Pool().Set(p.settings); err != nil {
		return err
	}
	for _, w := range p.warm {
		if _, err := s.Pool().Prewarm(ctx, engine, w.bytes, w.count); err != nil {
			return err
		}
	}
	return nil
}
