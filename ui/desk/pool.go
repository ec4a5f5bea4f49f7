package desk

import (
	"context"

	"assay/app"
	"assay/gpu"
)

// PoolSession is what the window needs of app.Session to show the pool of buffers, and to change it. What frees or makes
// buffers may take a while: it is called through Background.
type PoolSession interface {
	PoolState(app.LiveOrder) (app.PoolState, error)
	PoolSetCapacity(buffers int) error
	PoolSetBudget(bytes int64) error
	PoolSetMode(gpu.Mode) error
	PoolClear() (gpu.Freed, error)
	PoolClearSize(bytes int) (gpu.Freed, error)
	PoolShrink(maxCached int64) (gpu.Freed, error)
	PoolPrewarm(ctx context.Context, engine string, bytes, n int) (made int, err error)
}

// LeakSession is what the window needs of app.Session to look for leaks. Baseline and check take tenths of a second: they
// are called through Background.
type LeakSession interface {
	SetLeakBaseline() (app.LeakBaseline, error)
	LeakBaseline() (app.LeakBaseline, bool)
	LeakCheck(tolerance int64) (app.LeakCheck, error)
	LeakCurve() (app.LeakCurve, bool)
}

// LeakWorkload is the workload that leaks on purpose.
const LeakWorkload = "leak"
