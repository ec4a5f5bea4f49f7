package workloads

import (
	"math"
	"slices"
	"time"

	"assay/internal/alike"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads/measure"
)

// Packed stores results in a fraction of the memory: each shares its content with earlier ones, except for figures that differ. A run of
// hours keeps hundreds of nearly identical results. The numbers and texts of many lie together, because what stays for hours must not be scattered in small blocks
// among garbage.
type Packed struct {
	list  []packed
	row   alike.Row // packed last
	texts alike.Texts
}

// packed is a result. Float settings, figures and samples are stored as numbers, in order.
type packed struct {
	like    *Result
	started time.Time
	texts   alike.Texts // the ID, the case's name, and the kinds and texts of warnings
	warned  bool        // it has these warnings instead of like's
	numbers alike.Row   // stored against like's
	samples alike.Row
	more    *more // nil: nothing
}

// more holds what few results have; what is nil is as in like.
type more struct {
	texts []string // of the values, in order
	aside []measure.SetAside
	marks []Mark
}

// lookBack is how many results are searched for one with the same content: a case has several variants.
const lookBack = 16

// keep packs numbers after the previous ones.
func (p *Packed) keep(numbers, like []float64) alike.Row {
	row := alike.Pack(numbers, like, p.row)
	if row != nil {
		p.row = row
	}
	return row
}

// Add packs a result after the others.
func (p *Packed) Add(r *Result) {
	like := p.likeOf(r)
	one := packed{like: like, started: r.Started, numbers: p.keep(numbersOf(r), numbersOf(like)), samples: p.keep(r.Samples, nil)}
	texts := []string{r.ID, r.Case}
	if one.warned = !slices.Equal(r.Warnings, like.Warnings); one.warned {
		for _, w := range r.Warnings {
			texts = append(texts, string(w.Kind), w.Text)
		}
	}
	p.texts = alike.PackTexts(texts, p.texts)
	one.texts = p.texts
	rest := more{texts: textsOf(r, like), aside: r.SetAside, marks: r.Marks}
	if rest.texts != nil || rest.aside != nil || rest.marks != nil {
		one.more = &rest
	}
	p.list = append(p.list, one)
}

// textsOf returns the texts of a result's values; nil: they equal like's.
func textsOf(r, like *Result) []string {
	if slices.EqualFunc(r.Values, like.Values, func(a, b metric.Value) bool { return a.Text == b.Text }) {
		return nil
	}
	texts := make([]string, len(r.Values))
	for i := range r.Values {
		if texts[i] = r.Values[i].Text; texts[i] == like.Values[i].Text {
			texts[i] = like.Values[i].Text // one copy in memory
		}
	}
	return texts
}

// likeOf returns a result with the same content as r, apart from what packed stores.
func (p *Packed) likeOf(r *Result) *Result {
	var last *Result // of the ones compared
	for i := len(p.list) - 1; i >= max(0, len(p.list)-lookBack); i-- {
		if like := p.list[i].like; like != last {
			if last = like; sameButNumbers(like, r) {
				return like
			}
		}
	}
	like := *r
	like.Samples, like.SetAside, like.Marks = nil, nil, nil
	like.Values, like.Settings = slices.Clone(r.Values), slices.Clone(r.Settings)
	return &like
}

// sameButNumbers reports whether two results differ at most in what packed stores.
func sameButNumbers(a, b *Result) bool {
	return a.Job == b.Job && a.Workload == b.Workload && a.Variant == b.Variant && a.Status == b.Status && a.Failure == b.Failure &&
		a.Stop == b.Stop && a.Baseline == b.Baseline && slices.EqualFunc(a.Settings, b.Settings, sameSetting) &&
		slices.EqualFunc(a.Values, b.Values, func(a, b metric.Value) bool { return a.Name == b.Name && shapeOf(&a) == shapeOf(&b) })
}

func sameSetting(a, b Setting) bool {
	if _, is := a.Value.(float64); is {
		_, is = b.Value.(float64)
		return is && a.Name == b.Name
	}
	return a == b
}

// shape returns how many numbers a value consists of.
type shape int

const (
	textOnly shape = 0
	oneValue shape = 1
	bounded  shape = 3
)

func shapeOf(v *metric.Value) shape {
	switch {
	case math.IsNaN(v.Median) && math.IsNaN(v.Lo) && math.IsNaN(v.Hi):
		return textOnly
	case v.Lo == v.Median && v.Hi == v.Median:
		return oneValue
	}
	return bounded
}

// numbersOf returns the numbers of a result, without spare capacity.
func numbersOf(r *Result) []float64 {
	n := 0
	for _, s := range r.Settings {
		if _, is := s.Value.(float64); is {
			n++
		}
	}
	for i := range r.Values {
		n += int(shapeOf(&r.Values[i]))
	}
	numbers := make([]float64, 0, n)
	for _, s := range r.Settings {
		if v, is := s.Value.(float64); is {
			numbers = append(numbers, v)
		}
	}
	for _, v := range r.Values {
		numbers = append(numbers, []float64{v.Median, v.Lo, v.Hi}[:shapeOf(&v)]...)
	}
	return numbers
}

// Len returns the number of results.
func (p *Packed) Len() int { return len(p.list) }

// All unpacks all results, in order.
func (p *Packed) All() []Result {
	var out []Result
	for i := range p.list {
		out = append(out, p.list[i].unpack())
	}
	return out
}

func (p *packed) unpack() Result {
	r := *p.like
	texts := p.texts.Unpack()
	r.ID, r.Case, r.Started = texts[0], texts[1], p.started
	if p.warned {
		r.Warnings = nil
		for w := range slices.Chunk(texts[2:], 2) {
			r.Warnings = append(r.Warnings, Warning{WarningKind(w[0]), w[1]})
		}
	}
	r.Samples = p.samples.Unpack(nil)
	r.Settings, r.Values = slices.Clone(r.Settings), slices.Clone(r.Values)
	p.unpackNumbers(&r)
	if p.more == nil {
		return r
	}
	r.SetAside, r.Marks = p.more.aside, p.more.marks
	for i, text := range p.more.texts {
		r.Values[i].Text = text
	}
	return r
}

// unpackNumbers replaces the numbers in settings and values, which are like's, by their own.
func (p *packed) unpackNumbers(r *Result) {
	numbers := p.numbers.Unpack(numbersOf(p.like))
	for i := range r.Settings {
		if _, is := r.Settings[i].Value.(float64); is {
			r.Settings[i].Value, numbers = numbers[0], numbers[1:]
		}
	}
	for i := range r.Values {
		v := &r.Values[i]
		n := shapeOf(v)
		switch n {
		case oneValue:
			v.Interval = stats.Exact(numbers[0])
		case bounded:
			v.Interval = stats.Interval{Median: numbers[0], Lo: numbers[1], Hi: numbers[2]}
		}
		numbers = numbers[n:]
	}
}

// Mark is Finding.Mark on these results.
func (p *Packed) Mark(f Finding) bool {
	i := slices.IndexFunc(p.list, func(one packed) bool { return f.Result != "" && one.texts.Unpack()[0] == f.Result })
	if i < 0 {
		return false
	}
	if p.list[i].more == nil {
		p.list[i].more = &more{}
	}
	one := []Result{{ID: f.Result, Marks: p.list[i].more.marks}}
	f.Mark(one)
	p.list[i].more.marks = one[0].Marks
	return true
}
