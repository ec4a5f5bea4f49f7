package memorypage

import (
	"fmt"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"assay/app"
	"assay/gpu"
	"assay/internal/si"
	"assay/ui/kit"
)

// The budget's controls: its default, none, or a custom limit.

// budgetStep is the step of the slider, which goes from 0 to 1.
const budgetStep = 0.005

func (p *poolSettings) budgetRow() fyne.CanvasObject {
	p.choice = kit.NewSegments(p.chooseBudget, "Default", "None", "Limit")
	p.budget = newEntry("", p.enterBudget)
	p.budgetBar = kit.NewSlider(0, 1)
	p.budgetBar.Step = budgetStep
	p.budgetBar.OnChanged = func(at float64) {
		if !p.quiet {
			p.budget.write(sizeText(budgetOfPlace(at, app.PoolBudgetMin, p.maxBudget)))
		}
	}
	p.budgetBar.OnChangeEnded = func(at float64) {
		if !p.quiet {
			p.setBudget(budgetOfPlace(at, app.PoolBudgetMin, p.maxBudget))
		}
	}
	p.budgetNote = newNote("", p.refit)
	line := kit.Edged(kit.Accented(p.budgetBar), kit.AtRight, container.New(layout.NewCustomPaddedLayout(0, 0, 10, 0), p.budget.wide(92)))
	p.ableBudget()
	return kit.NewFlow(5, titled("Budget", p.choice.Object), line, p.budgetNote.Text)
}

// budgetAbout says what the choice means.
func (p *poolSettings) budgetAbout() string {
	switch p.chosen {
	case budgetNone:
		return "Limited only by the engine. Cached buffers are still freed when it runs out."
	case budgetLimit:
		return fmt.Sprintf("Limit for live and cached buffers together, %s to %s.",
			bytesText(app.PoolBudgetMin), bytesText(p.maxBudget))
	}
	if p.workingSet > 0 {
		return fmt.Sprintf("%s of the engine’s %s working set, for live and cached buffers together.",
			percent(app.PoolBudgetShare), bytesText(p.workingSet))
	}
	if p.lacking {
		return fmt.Sprintf("%s of the engine’s working set, known once an engine is open.", percent(app.PoolBudgetShare))
	}
	return "None: this engine does not report its working set."
}

func (p *poolSettings) chooseBudget(i int) {
	switch i {
	case budgetDefault:
		p.setBudget(app.PoolBudgetDefault)
	case budgetNone:
		p.setBudget(app.PoolBudgetNone)
	default:
		p.setBudget(p.limitAtFirst())
	}
}

// limitAtFirst is the initial limit, with three digits: the current one, or the default's share of the maximum; if that is
// unknown, what every machine has.
func (p *poolSettings) limitAtFirst() int64 {
	switch {
	case p.shownLimit > 0:
		return threeDigits(min(p.shownLimit, p.maxBudget))
	case p.lacking:
		return limitUnknown
	}
	return max(app.PoolBudgetMin, threeDigits(app.DefaultPoolSettings().BudgetOn(gpu.Info{WorkingSet: p.maxBudget})))
}

// limitUnknown is the initial limit if no engine's memory is known.
const limitUnknown = 1_000_000_000

// enterBudget takes the typed text.
func (p *poolSettings) enterBudget(s string) {
	bytes, err := si.ParseBytes(s)
	if err == nil && (bytes < app.PoolBudgetMin || bytes > p.maxBudget) {
		err = fmt.Errorf("%s is out of range. Enter a size from %s to %s", sizeText(bytes), bytesText(app.PoolBudgetMin), bytesText(p.maxBudget))
	}
	if err != nil {
		p.budgetNote.complain(err, p.budget)
		return
	}
	p.setBudget(bytes)
}

func (p *poolSettings) setBudget(bytes int64) {
	choice, limit := budgetLimit, bytes
	switch bytes {
	case app.PoolBudgetDefault:
		choice, limit = budgetDefault, app.DefaultPoolSettings().BudgetOn(gpu.Info{WorkingSet: p.workingSet})
	case app.PoolBudgetNone:
		choice = budgetNone
	}
	if choice == p.chosen && limit == p.shownLimit && !p.budgetNote.wrong() {
		return
	}
	p.apply(budgetDone(choice, limit), func(s *app.PoolSettings) { s.Budget = bytes }, func() {
		p.chosen, p.shownLimit = choice, limit
		p.writeBudget()
	}, func(err error) {
		if p.chosen != budgetLimit {
			p.writeBudget() // the value in force, not the one that was refused
			p.budgetNote.complain(err)
			return
		}
		p.choice.Show(p.chosen)
		p.budgetNote.complain(err, p.budget)
	})
}

func budgetDone(choice int, limit int64) string {
	switch choice {
	case budgetDefault:
		return "The pool has its default budget"
	case budgetNone:
		return "The pool has no budget"
	}
	return "The pool’s budget is " + shortSize(limit)
}

// writeBudget writes the budget into its controls.
func (p *poolSettings) writeBudget() {
	p.quiet = true
	shown := p.limitAtFirst()
	text := sizeText(shown)
	if p.shownLimit > 0 {
		text = shortSize(min(p.shownLimit, p.maxBudget))
	}
	switch {
	case p.chosen == budgetNone || p.chosen == budgetDefault && p.workingSet > 0 && p.shownLimit == 0:
		text = "none"
	case p.chosen == budgetDefault && p.workingSet == 0:
		text = "none"
		if p.lacking {
			text = "not known"
		}
	case p.chosen == budgetDefault:
		text = bytesText(shown)
	}
	p.budget.write(text)
	p.budgetBar.SetValue(math.Round(budgetAt(shown, app.PoolBudgetMin, p.maxBudget)/budgetStep) * budgetStep)
	p.choice.Show(p.chosen)
	p.quiet = false
	p.ableBudget()
	p.budgetNote.say(p.budgetAbout())
}

// ableBudget enables slider and field for a limit only.
func (p *poolSettings) ableBudget() {
	kit.Able(p.budgetBar, p.chosen == budgetLimit)
	kit.Able(p.budget, p.chosen == budgetLimit)
}
