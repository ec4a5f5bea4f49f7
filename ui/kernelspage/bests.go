package kernelspage

import (
	"assay/app"
	"assay/ui/kit"
	"assay/ui/view"
	"assay/workloads"
)

// bests are the best figures of kernels in the runs of the history.
type bests struct {
	byID    map[string]app.KernelBest
	known   bool
	reading bool
	failed  error
}

// lines are the best figures of a kernel's types.
func (b *bests) lines(k *app.KernelInfo) [][]*kit.Text {
	switch {
	case b.failed != nil:
		return [][]*kit.Text{line("Not known", b.failed.Error()+".")}
	case !b.known:
		return [][]*kit.Text{line("Not known", "The runs are still being read.")}
	}
	var all [][]*kit.Text
	for _, t := range k.Kernels {
		if best, ok := b.byID[t.ID]; ok {
			all = append(all, line(t.Type, rate(best), origin(&best)))
		}
	}
	if len(all) == 0 {
		return [][]*kit.Text{line("None", "No recent run measured this kernel on its own.")}
	}
	return all
}

// origin says where a best figure comes from.
func origin(b *app.KernelBest) string {
	words := b.Case + ", on " + b.Device + ", run " + b.Run
	if b.Disturbed {
		words += ", disturbed by other work"
	}
	return words + "."
}

// rate is a best figure with its unit.
func rate(b app.KernelBest) string {
	if b.Metric == workloads.Bandwidth {
		return view.Quantity(b.Value, "B/s")
	}
	return view.Quantity(b.Value, "FLOP/s")
}

// readBests reads the best figures again, unless something is being measured.
func (p *kernelsPage) readBests() {
	if p.bests.reading || p.desk.Model.Busy() != nil {
		return
	}
	p.bests.reading = true
	library, life := p.desk.Library, p.desk.Life()
	p.desk.Background(func() func() {
		found, err := library.KernelBests(life)
		return func() {
			p.bests = bests{byID: found, failed: err, known: err == nil}
			p.take(p.list.Chosen())
		}
	})
}
