package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"assay/app"
	"assay/gpu"
	"assay/internal/si"
)

// poolFlags are the flags of `run` that set the buffer pool and the leak check.
type poolFlags struct {
	capacity     int
	budget, mode string
	prewarm      []string
	tolerance    string
}

func (f *poolFlags) add(flags *pflag.FlagSet) {
	flags.IntVar(&f.capacity, "pool-capacity", app.PoolCapacityDefault,
		fmt.Sprintf("buffers that the pool caches per size class, %d to %d", app.PoolCapacityMin, app.PoolCapacityMax))
	flags.StringVar(&f.budget, "pool-budget", "default",
		fmt.Sprintf("limit on the pool's bytes: SIZE, none, or default (%.0f %% of the engine's working set)",
			100*app.PoolBudgetShare))
	flags.StringVar(&f.mode, "pool-mode", gpu.ModeDirty.String(),
		"what the pool's buffers hold when handed out: zero, poison or dirty")
	flags.StringArrayVar(&f.prewarm, "pool-prewarm", nil, "cache buffers before the run: SIZE:COUNT, as 16MiB:4 (repeatable)")
	flags.StringVar(&f.tolerance, "leak-tolerance", "100MB",
		"by how much the process may grow over the run: SIZE, at least 1B")
}

// warm is buffers to prewarm.
type warm struct{ bytes, count int }

// poolPlan is what the flags ask for.
type poolPlan struct {
	capacity  int
	budget    int64
	mode      gpu.Mode
	warm      []warm
	tolerance int64
}

// plan reads the flags.
func (f *poolFlags) plan() (p poolPlan, err error) {
	p.capacity = f.capacity
	if p.capacity < app.PoolCapacityMin || p.capacity > app.PoolCapacityMax {
		return p, usagef("--pool-capacity is %d, want %d to %d", p.capacity, app.PoolCapacityMin, app.PoolCapacityMax)
	}
	if p.budget, err = budgetOf(f.budget); err != nil {
		return p, err
	}
	if p.mode, err = modeOf(f.mode); err != nil {
		return p, err
	}
	for _, s := range f.prewarm {
		w, err := warmOf(s, p.capacity)
		if err != nil {
			return p, err
		}
		p.warm = append(p.warm, w)
	}
	p.tolerance, err = parseSize(f.tolerance)
	if err != nil || p.tolerance < 1 || p.tolerance > app.LeakToleranceMax {
		return p, usagef("--leak-tolerance is %q, want a size from 1B to %s", f.tolerance, si.Bytes(app.LeakToleranceMax))
	}
	return p, nil
}

func budgetOf(s string) (int64, error) {
	switch s {
	case "default":
		return app.PoolBudgetDefault, nil
	case "none":
		return app.PoolBudgetNone, nil
	}
	b, err := parseSize(s)
	if err != nil || b < app.PoolBudgetMin {
		return 0, usagef("--pool-budget is %q, want none, default, or a size from %s", s, si.Bytes(app.PoolBudgetMin))
	}
	return b, nil
}

func modeOf(s string) (gpu.Mode, error) {
	for m := gpu.ModeZero; m <= gpu.ModeDirty; m++ {
		if m.String() == s {
			return m, nil
		}
	}
	return 0, usagef("--pool-mode is %q, want zero, poison or dirty", s)
}

func warmOf(s string, capacity int) (warm, error) {
	size, count, _ := strings.Cut(s, ":")
	bytes, err := parseSize(size)
	n, nerr := strconv.Atoi(count)
	if err != nil || nerr != nil || bytes < 1 || n < 1 {
		return warm{}, usagef("--pool-prewarm is %q, want SIZE:COUNT, as 16MiB:4", s)
	}
	if n > capacity {
		return warm{}, usagef("--pool-prewarm is %q: the pool caches %d buffers per size class, see --pool-capacity",
			s, capacity)
	}
	return warm{int(bytes), n}, nil
}

// apply sets the session's pool and prewarms it.
func (p *poolPlan) apply(ctx context.Context, s *app.Session, engine string) error {
	if err := s.PoolSetCapacity(p.capacity); err != nil {
		return err
	}
	if err := s.PoolSetMode(p.mode); err != nil {
		return err
	}
	if err := s.PoolSetBudget(p.budget); err != nil {
		return err
	}
	for _, w := range p.warm {
		if _, err := s.PoolPrewarm(ctx, engine, w.bytes, w.count); err != nil {
			return err
		}
	}
	return nil
}

// parseSize reads a number of bytes: "4096", "1.5GB" (10⁹ B) or "16MiB" (2²⁰ B).
func parseSize(s string) (int64, error) {
	number := strings.TrimRight(s, "kKMGTiB ")
	unit := strings.TrimSuffix(strings.TrimLeft(s[len(number):], " "), "B")
	factor, ok := map[string]float64{
		"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40,
	}[unit]
	n, err := strconv.ParseFloat(number, 64)
	bytes := n * factor
	if err != nil || !ok || !(bytes >= 0 && bytes < math.MaxInt64) {
		return 0, fmt.Errorf("%q is no size: want a number of bytes, with a unit such as MB or MiB", s)
	}
	return int64(bytes), nil
}
