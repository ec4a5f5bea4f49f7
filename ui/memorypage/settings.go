package memorypage

import (
	"fmt"
	"strconv"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/gpu"
	"assay/ui/desk"
	"assay/ui/kit"
)

// poolSettings are the controls of the pool's settings: capacity, budget, and the contents of later leases.
type poolSettings struct {
	desk    *desk.Desk
	changed func() // after a setting was changed
	refit   func()

	capacity     *entry
	capacityBar  *kit.Slider
	capacityNote *note
	budget       *entry
	budgetBar    *kit.Slider
	budgetNote   *note
	choice       *kit.Segments // of the budget
	state        *choiceRow[bool]
	policy       *choiceRow[gpu.Policy]
	mode         *choiceRow[gpu.Mode]
	log          *choiceRow[bool]

	chosen     int   // of the choices
	shownCap   int   // as last written into the controls
	shownLimit int64 // bytes
	maxBudget  int64 // bytes, of the budget's slider
	workingSet int64
	running    bool
	lacking    bool // no pool is there, and nothing is known of the engine
	written    bool // the budget was written
	quiet      bool // while the controls are written
}

// Choices of the budget.
const (
	budgetDefault = iota
	budgetNone
	budgetLimit
)

// maxUnknown ends the budget's slider while no engine is open.
const maxUnknown = 64_000_000_000

func newPoolSettings(d *desk.Desk, changed, refit func()) *poolSettings {
	p := &poolSettings{desk: d, changed: changed, refit: refit, shownCap: -1, maxBudget: maxUnknown}
	p.state = newChoice(p, "Pool", app.PoolStates(), func(s *app.PoolSettings) *bool { return &s.Off }, stateDone)
	p.policy = newChoice(p, "Size classes", gpu.Policies(), func(s *app.PoolSettings) *gpu.Policy { return &s.Policy }, policyDone)
	p.mode = newChoice(p, "Contents on reuse", gpu.Modes(), func(s *app.PoolSettings) *gpu.Mode { return &s.Mode }, modeDone)
	p.log = newChoice(p, "Log of the pool", app.PoolLogs(), func(s *app.PoolSettings) *bool { return &s.LogLeases }, logDone)
	return p
}

// rows builds the controls.
func (p *poolSettings) rows() []fyne.CanvasObject {
	return []fyne.CanvasObject{p.state.row(), p.capacityRow(), p.budgetRow(), p.policy.row(), p.mode.row()}
}

func (p *poolSettings) capacityRow() fyne.CanvasObject {
	p.capacity = newEntry("", p.enterCapacity)
	p.capacityBar = kit.NewSlider(0, float64(len(capacityStops())-1))
	p.capacityBar.Step = 1
	p.capacityBar.OnChanged = func(at float64) {
		if !p.quiet {
			p.capacity.write(strconv.Itoa(capacityOf(at)))
		}
	}
	p.capacityBar.OnChangeEnded = func(at float64) {
		if !p.quiet {
			p.setCapacity(capacityOf(at))
		}
	}
	p.capacityNote = newNote(capacityAbout(), p.refit)
	head := titled("Capacity", p.capacity.wide(74), caption("buffers per size"))
	return kit.NewFlow(3, head, kit.Accented(p.capacityBar), p.capacityNote.Text)
}

func capacityAbout() string {
	return fmt.Sprintf("Keeps %s to %s for reuse. Default: %d.", grouped(app.PoolCapacityMin), grouped(app.PoolCapacityMax),
		app.PoolCapacityDefault)
}

// enterCapacity takes the typed text.
func (p *poolSettings) enterCapacity(s string) {
	n, err := parseCount(s, app.PoolCapacityMin, app.PoolCapacityMax)
	if err != nil {
		p.capacityNote.complain(err, p.capacity)
		return
	}
	p.setCapacity(n)
}

func (p *poolSettings) setCapacity(n int) {
	if n == p.shownCap && !p.capacityNote.wrong() {
		return
	}
	p.apply(capacityDone(n), func(s *app.PoolSettings) { s.Capacity = n }, func() {
		p.shownCap = n
		p.capacityNote.say(capacityAbout())
		p.writeCapacity()
	}, func(err error) { p.capacityNote.complain(err, p.capacity) })
}

func capacityDone(n int) string {
	if n == 0 {
		return "The pool caches no buffers"
	}
	return "The pool caches up to " + counted(n, "buffer") + " of each size"
}

// writeCapacity writes the capacity into its controls.
func (p *poolSettings) writeCapacity() {
	p.quiet = true
	p.capacity.write(strconv.Itoa(p.shownCap))
	p.capacityBar.SetValue(capacityAt(p.shownCap))
	p.quiet = false
}

// apply changes a setting, remembers it for the next start and says so, or calls refused with what is wrong with it.
func (p *poolSettings) apply(done string, change func(*app.PoolSettings), then func(), refused func(error)) {
	pool := p.desk.Session.Pool
	p.desk.Background(func() func() {
		settings := pool.Settings()
		change(&settings)
		err := pool.Set(settings)
		return func() {
			if err != nil {
				refused(err)
				return
			}
			c := p.desk.Settings.Pool()
			change(&c.PoolSettings)
			p.desk.Settings.SetPool(c)
			then()
			p.desk.Say(done + noted(p.running) + ".")
			p.changed()
		}
	})
}

// noted says that a change during a run is recorded in the run.
func noted(running bool) string {
	if running {
		return ", noted in the current run"
	}
	return ""
}

// show shows the settings in the controls, where they are new: a field that is being edited stays.
func (p *poolSettings) show(s *app.PoolState) {
	p.running = s.Running
	capacity, policy := s.Stats.Capacity, s.Stats.Policy
	if s.Stats.Disabled { // then the pool has none
		c := p.desk.Settings.Pool()
		capacity, policy = c.Capacity, c.Policy
	}
	p.showChoices(s.Stats.Disabled, capacity, policy, s.Stats.Mode)
	p.showBudget(s.WorkingSet, s.BudgetMax, s.Stats.Budget, false)
}

// showChoices shows the values in force in the controls, where they are new.
func (p *poolSettings) showChoices(off bool, capacity int, policy gpu.Policy, mode gpu.Mode) {
	if capacity != p.shownCap {
		p.shownCap = capacity
		p.writeCapacity()
	}
	p.log.show(p.desk.Settings.Pool().LogLeases)
	p.state.show(off)
	p.policy.show(policy)
	p.mode.show(mode)
}

// showNone shows the settings that a pool will have while there is none: on the engine of the next run, if that is known.
func (p *poolSettings) showNone() {
	p.running = false
	c := p.desk.Settings.Pool()
	p.showChoices(c.Off, c.Capacity, c.Policy, c.Mode)
	engine := p.desk.NextEngine()
	largest := app.PoolBudgetMax(engine)
	if engine.WorkingSet == 0 && engine.MaxBuffer == 0 {
		largest = maxUnknown
	}
	p.showBudget(engine.WorkingSet, largest, min(c.BudgetOn(engine), largest), engine.WorkingSet == 0)
}

// showBudget shows the limit in force in the controls, if it is new; lacking: no engine reports its working set yet.
func (p *poolSettings) showBudget(workingSet, maxBudget, limit int64, lacking bool) {
	chosen := budgetLimit
	switch p.desk.Settings.Pool().Budget {
	case app.PoolBudgetDefault:
		chosen = budgetDefault
	case app.PoolBudgetNone:
		chosen = budgetNone
	}
	maxBudget = threeDigits(maxBudget)
	if p.written && chosen == p.chosen && lacking == p.lacking && maxBudget == p.maxBudget && workingSet == p.workingSet && limit == p.shownLimit {
		return
	}
	p.written, p.chosen, p.lacking, p.maxBudget, p.workingSet, p.shownLimit = true, chosen, lacking, maxBudget, workingSet, limit
	p.writeBudget()
}
