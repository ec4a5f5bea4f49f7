package view

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/monitor"
	"assay/ui/kit"
)

// LivePanel is the column of live charts beside a run: the first cards of the table, in brief.
type LivePanel struct {
	views  []*liveView
	layout *kit.WeightedLayout
	list   *fyne.Container
	Object fyne.CanvasObject
}

// NewLivePanel shows a record that grows. Update takes in what is new.
func NewLivePanel(r *Record) *LivePanel {
	p := &LivePanel{layout: &kit.WeightedLayout{Gap: 8}}
	p.list = container.New(p.layout)
	for _, c := range liveCards() {
		if c.column {
			v := newLiveView(c, r, true)
			p.views = append(p.views, v)
			p.layout.Weights = append(p.layout.Weights, 0)
			p.list.Add(v.object)
		}
	}
	p.Object = kit.Edged(kit.Inset(p.list, 10, 10), kit.AtLeft, kit.NewLine())
	p.Update()
	return p
}

// Update takes in what is new in the record, and redraws it.
func (p *LivePanel) Update() {
	anew := false
	for i, v := range p.views {
		v.update(true)
		if weight := v.weight(); weight != p.layout.Weights[i] {
			p.layout.Weights[i], anew = weight, true
		}
		if words := v.below(); words != v.words.Content {
			v.words.Set(words)
			anew = true
		}
	}
	if anew {
		p.list.Refresh()
		for _, v := range p.views {
			v.body.Refresh()
		}
	}
}

// weight is the card's part of the height: hardly any while all it can say is why there is nothing.
func (v *liveView) weight() float32 {
	if v.plot == nil {
		return 0.05
	}
	return 1
}

// below is the text under a brief card: why metrics have no value, or else where the values are read.
func (v *liveView) below() string {
	if v.plot == nil {
		return "Not available: " + v.card.briefly(v.record)
	}
	var sources []string
	for _, m := range v.card.metrics {
		if r, ok := v.record.Latest().Find(m.metric); ok && r.Status == monitor.OK {
			sources = append(sources, r.Source)
		}
	}
	return strings.Join(abbreviate(sources), "; ")
}

// briefly is lacks without what this system's sources do not speak of, where they speak of something.
func (c *liveCard) briefly(r *Record) string {
	all := c.missing(r)
	spoken := slices.DeleteFunc(slices.Clone(all), func(g gap) bool { return g.why == notRead })
	if len(spoken) == 0 {
		spoken = all
	}
	return c.sentence(spoken)
}

// abbreviate leaves out of each text what it begins with as the one before it, in whole words.
func abbreviate(list []string) []string {
	var out []string
	before := ""
	for _, s := range list {
		if s == before {
			continue
		}
		out = append(out, s[sharedWords(before, s):])
		before = s
	}
	return out
}

// sharedWords is the length of the words that a and b both begin with.
func sharedWords(a, b string) int {
	shared := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == ' ' {
			shared = i + 1
		}
	}
	return shared
}
