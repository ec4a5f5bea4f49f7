package resultspage

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// budget has a slider for each parameter that affects only the conclusions, and shows the conclusions at its position. If there are
// several, a menu chooses the one to move. Until one is moved, the run's own conclusions stand.
type budget struct {
	workload *workloads.Workload
	was, now workloads.Values           // of the run's first job, and at the sliders' positions
	rows     *fyne.Container            // one above the other, only one of them visible
	menu     *kit.Select                // of them
	sliders  map[string]*kit.StopSlider // by parameter
	words    *kit.Text
	object   *fyne.Container
	changed  func()
}

// newBudget makes the sliders for a workload that ran with these values; nil if nothing can be concluded again.
func newBudget(w *workloads.Workload, ran workloads.Values, changed func()) *budget {
	was := w.Defaults(false).With(ran) // a run of an older version lacks some
	if w.Decisive() == nil || w.Check(was) != nil {
		return nil
	}
	b := &budget{workload: w, was: was, now: was.With(nil), rows: container.NewStack(), sliders: map[string]*kit.StopSlider{}, words: kit.NewCaption("", 9), changed: changed}
	for _, p := range w.Decisive() {
		b.rows.Objects = append(b.rows.Objects, b.row(p))
	}
	b.menu = kit.NewSelect(titles(w.Decisive()), func(string) { b.choose(b.menu.SelectedIndex()) })
	b.menu.SetSelectedIndex(0)
	line := fyne.CanvasObject(b.rows)
	if len(b.rows.Objects) > 1 {
		line = container.NewBorder(nil, nil, b.menu, nil, b.rows)
	}
	b.object = kit.NewFlow(4, line, b.words)
	return b
}

func titles(params []*workloads.Param) []string {
	var out []string
	for _, p := range params {
		out = append(out, p.Title)
	}
	return out
}

// choose shows the slider of one parameter.
func (b *budget) choose(at int) {
	for i, row := range b.rows.Objects {
		kit.Show(row, i == at)
	}
}

// row is the slider of one parameter, with its value, and its title unless a menu shows it.
func (b *budget) row(p *workloads.Param) fyne.CanvasObject {
	value := kit.NewBody("", 1)
	scale := view.ScaleOf(p)
	tell := func() { value.Set(b.text(p)) }
	slider := kit.NewStopSlider(scale, nil)
	slider.SetValue(scale.Position(b.now[p.Name]))
	slider.OnChanged = func(at float64) {
		if v := scale.Value(at); v != b.now[p.Name] {
			b.now[p.Name] = v
			tell()
			b.changed()
		}
	}
	b.sliders[p.Name] = slider
	tell()
	if len(b.workload.Decisive()) > 1 {
		return container.NewBorder(nil, nil, nil, container.New(kit.FixedSize{Width: kit.Scaled(112)}, value), slider)
	}
	width := container.New(kit.FixedSize{Width: kit.Scaled(valueWidth(p))}, value)
	title := kit.NewBody(p.Title, 1)
	title.Whole()
	return container.NewBorder(nil, nil, title, width, slider)
}

// valueWidth is the room for a value beside its slider, less for one with a symbol as its unit.
func valueWidth(p *workloads.Param) float32 {
	if len(p.Unit) > 2 {
		return 92
	}
	return 56
}

// text states a parameter at its slider's position.
func (b *budget) text(p *workloads.Param) string {
	if n := b.number(p); n != 0 || p.Zero == "" {
		return workloads.WithUnit(si.Digits(n), p.Unit)
	}
	return p.Zero
}

// number returns a parameter at its slider's position.
func (b *budget) number(p *workloads.Param) float64 {
	n, _ := workloads.Number(b.now[p.Name])
	return n
}

// changes returns the values of the sliders that were moved.
func (b *budget) changes() workloads.Values {
	changed := workloads.Values{}
	for _, p := range b.workload.Decisive() {
		if v := b.now[p.Name]; v != b.was[p.Name] {
			changed[p.Name] = v
		}
	}
	return changed
}

// judged returns all results of a run, those of the workload with the marks that follow from the sliders' positions.
func (b *budget) judged(run *bundle.Run, results []workloads.Result) []workloads.Result {
	var lines []string
	changes := b.changes()
	for job := range run.Meta.Jobs {
		if len(changes) == 0 || run.Meta.Jobs[job].Workload != b.workload.Name {
			continue
		}
		was := b.workload.Defaults(false).With(run.Meta.Jobs[job].Params)
		if b.workload.Check(was) != nil {
			continue // from another version
		}
		var found []workloads.Finding
		if results, found = b.rejudged(results, job, was, was.With(changes)); found != nil {
			lines = append(lines, chosen(found)...)
		}
	}
	b.words.Set(strings.Join(lines, "\n"))
	kit.Show(b.words, len(lines) > 0)
	return results
}

// rejudged returns results with those of a job judged again, and the findings about them.
func (b *budget) rejudged(results []workloads.Result, job int, was, now workloads.Values) ([]workloads.Result, []workloads.Finding) {
	var own []workloads.Result
	var at []int
	for i := range results {
		if r := &results[i]; r.Job == job && r.Workload == b.workload.Name {
			own, at = append(own, *r), append(at, i)
		}
	}
	marked, found := b.workload.Judged(own, was, now)
	all := slices.Clone(results)
	for i := range marked {
		all[at[i]] = marked[i]
	}
	return all, found
}

// chosen returns the sentences about what was chosen.
func chosen(found []workloads.Finding) []string {
	var lines []string
	for i := range found {
		if kinds := []string{workloads.KindSmallest, workloads.KindFastest, workloads.KindThrifty, workloads.KindExact, workloads.KindKept}; slices.Contains(kinds, found[i].Kind) {
			lines = append(lines, view.FindingText(&found[i]))
		}
	}
	return lines
}
