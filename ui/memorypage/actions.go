package memorypage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/gpu"
	"assay/ui/desk"
	"assay/ui/kit"
)

// poolActions is what can be done with the pool's cache: shrink and prewarm it.
type poolActions struct {
	desk    *desk.Desk
	changed func()
	refit   func()

	shrinkTo   *entry
	shrink     *kit.Button
	shrinkNote *note
	count      *entry
	size       *entry
	warm       *kit.Button
	warmNote   *note
	bar        *kit.Bar
	cancel     context.CancelFunc // of the prewarming in progress; nil: none
	wanted     int                // how many buffers that makes
	before     int64              // buffers made before it
	engine     string             // of the run in progress; empty: none
	stats      gpu.Stats          // of the pool
	known      bool               // there is a pool
}

func newPoolActions(d *desk.Desk, changed, refit func()) *poolActions {
	return &poolActions{desk: d, changed: changed, refit: refit}
}

func (a *poolActions) rows() []fyne.CanvasObject {
	return []fyne.CanvasObject{a.shrinkRow(), a.warmRow()}
}

const shrinkAbout = "Frees the least recently used buffers down to this size."

func (a *poolActions) shrinkRow() fyne.CanvasObject {
	a.shrinkTo = newEntry("64 MB", func(string) { a.checkShrink() })
	a.shrink = kit.NewButton("Shrink", a.doShrink)
	a.shrinkNote = newNote(shrinkAbout, a.refit)
	return kit.NewFlow(5, titled("Shrink to", a.shrinkTo.wide(84), wide(a.shrink, 78)), a.shrinkNote.Text)
}

// checkShrink reads the field, and says what is wrong with it.
func (a *poolActions) checkShrink() (bytes int64, ok bool) {
	bytes, err := a.shrinkTo.readSize()
	if err != nil {
		a.shrinkNote.complain(err, a.shrinkTo)
		return 0, false
	}
	a.shrinkNote.say(shrinkAbout)
	return bytes, true
}

func (a *poolActions) doShrink() {
	bytes, ok := a.checkShrink()
	if !ok {
		return
	}
	pool := a.desk.Session.Pool
	a.desk.Background(func() func() {
		freed, err := pool.Shrink(bytes)
		return func() {
			if err != nil {
				a.shrinkNote.complain(err)
			} else {
				a.desk.Say(shrunkText(bytes, freed, noted(a.engine != "")))
			}
			a.changed()
		}
	})
}

func shrunkText(to int64, f gpu.Freed, noted string) string {
	if f.Buffers == 0 {
		return "Nothing to free: at most " + sizeText(to) + " is cached."
	}
	return fmt.Sprintf("Shrunk the pool to %s: %s%s.", sizeText(to), freedText(f), noted)
}

const warmAbout = "Allocates buffers in advance, up to the capacity."

func (a *poolActions) warmRow() fyne.CanvasObject {
	a.count = newEntry(strconv.Itoa(app.PoolCapacityDefault), func(string) { a.checkWarm() })
	a.size = newEntry("1 MB", func(string) { a.checkWarm() })
	a.warm = kit.NewButton("Prewarm", a.doWarm)
	a.bar = kit.NewBar()
	a.bar.Hide()
	a.warmNote = newNote(warmAbout, a.refit)
	head := titled("Prewarm", a.count.wide(42), caption("×"), a.size.wide(66), wide(a.warm, 78))
	return kit.NewFlow(5, head, a.bar, a.warmNote.Text)
}

// checkWarm reads the fields, and says what is wrong with them.
func (a *poolActions) checkWarm() (n, bytes int, ok bool) {
	n, err := parseCount(a.count.Text, 1, app.PoolCapacityMax)
	if err != nil {
		a.warmNote.complain(err, a.count)
		return 0, 0, false
	}
	size, err := a.size.readSize()
	if err == nil && size < 1 {
		err = errors.New("the minimum is 1 B. Enter a size such as 64 MB or 1.5 GiB")
	}
	if err != nil {
		a.warmNote.complain(err, a.size)
		return 0, 0, false
	}
	if a.cancel == nil {
		a.warmNote.say(warmAbout)
	}
	return n, int(size), true
}

// doWarm starts a prewarming, or ends the one in progress.
func (a *poolActions) doWarm() {
	if a.cancel != nil {
		a.cancel()
		return
	}
	n, bytes, ok := a.checkWarm()
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel, a.wanted, a.before = cancel, n, a.stats.Creates
	a.follow()
	engine := a.desk.Model.Engine
	if a.engine != "" {
		engine = a.engine
	}
	pool := a.desk.Session.Pool
	a.desk.Background(func() func() {
		tick := time.AfterFunc(warmTick, func() { a.watch(ctx) })
		defer tick.Stop()
		began := time.Now()
		made, err := pool.Prewarm(ctx, engine, bytes, n)
		took := time.Since(began)
		stopped := ctx.Err() != nil
		cancel()
		return func() { a.warmed(n, bytes, made, took, stopped, err) }
	})
}

// warmTick is the time between checks of a prewarming in progress.
const warmTick = 500 * time.Millisecond

// watch makes the page check the pool until the prewarming ends.
func (a *poolActions) watch(ctx context.Context) {
	tick := time.NewTicker(warmTick)
	defer tick.Stop()
	for ctx.Err() == nil {
		a.desk.Post(a.changed)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// warmed reports what a prewarming allocated.
func (a *poolActions) warmed(n, bytes, made int, took time.Duration, stopped bool, err error) {
	a.cancel = nil
	a.changed()
	what := fmt.Sprintf("%s for requests of %s", counted(made, "buffer"), sizeText(int64(bytes)))
	switch {
	case stopped:
		a.warmNote.say(warmAbout)
		a.desk.Say("Prewarming canceled: " + what + " allocated.")
	case errors.Is(err, context.Canceled): // cut short by emptying the pool, or by the end of a run
		a.warmNote.say(warmAbout)
		a.desk.Say("Prewarming stopped because the pool was emptied: " + what + " allocated.")
	case err != nil:
		err = a.plainWarm(n, bytes, err)
		if made > 0 {
			err = fmt.Errorf("%w; %s made", err, what)
		}
		a.warmNote.complain(err)
	case made == 0:
		a.warmNote.say(warmAbout)
		a.desk.Say(fmt.Sprintf("Nothing to prewarm: %s for requests of %s are cached already.", counted(n, "buffer"), sizeText(int64(bytes))))
	default:
		a.warmNote.say(warmAbout)
		a.desk.Say(fmt.Sprintf("Prewarmed %s in %.2f s.", what, took.Seconds()))
	}
	a.follow()
}

// plainWarm says in human units what there is no room for, and what to do.
func (a *poolActions) plainWarm(n, bytes int, err error) error {
	wanted := fmt.Sprintf("%s of %s", counted(n, "buffer"), sizeText(int64(bytes)))
	held := a.stats.LiveBytes + a.stats.CachedBytes
	switch {
	case errors.Is(err, gpu.ErrOutOfMemory) && a.stats.Budget > 0 && held+int64(n)*int64(bytes) > a.stats.Budget:
		return fmt.Errorf("cannot allocate %s: the pool holds %s of its %s budget. Shrink the pool or raise its budget", wanted,
			bytesText(held), bytesText(a.stats.Budget))
	case errors.Is(err, gpu.ErrInvalid) && a.known && n > a.stats.Capacity:
		return fmt.Errorf("cannot allocate %s: the capacity is %s per size. Raise it first", wanted, grouped(a.stats.Capacity))
	}
	return err
}

// follow shows how far a prewarming is.
func (a *poolActions) follow() {
	on := a.cancel != nil
	moved := a.bar.Visible() != on
	kit.Show(a.bar, on)
	name := "Prewarm"
	if on {
		name = "Cancel"
		made := min(int64(a.wanted), max(0, a.stats.Creates-a.before))
		a.bar.Set(float64(made)/float64(max(1, a.wanted)), theme.ColorNamePrimary)
		a.warmNote.say(fmt.Sprintf("Allocated %s of %s.", grouped(made), counted(a.wanted, "buffer")))
	}
	if a.warm.Text != name {
		a.warm.SetText(name)
	}
	if moved {
		a.refit()
	}
}

// show takes the state of the pool; nil: there is none.
func (a *poolActions) show(s *app.PoolState) {
	a.engine, a.stats, a.known = "", gpu.Stats{}, s != nil
	if s != nil {
		a.stats = s.Stats
		if s.Running {
			a.engine = s.Engine
		}
	}
	kit.Able(a.shrink, a.stats.Cached > 0)
	if a.cancel != nil {
		a.follow()
	}
}
