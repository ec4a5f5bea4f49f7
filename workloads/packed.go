package workloads

import (
	"math"
	"slices"
	"time"

	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads/measure"
)

// Packed are results in a fraction of the memory: what one says besides its figures is shared with those before it. A run of hours
// keeps hundreds of nearly the same.
type Packed struct {
	list []packed
	room []float64 // for numbers and samples
}

// packed is a result. Settings that are floats and the figures of values are numbers, in their order; what is nil is as in like.
type packed struct {
	like     *Result
	id, name string // name is the case's
	started  time.Time
	numbers  []float64
	texts    []string // of the values, in their order
	warnings []Warning
	samples  []float64
	aside    []measure.SetAside
	marks    []Mark
}

// lookBack is how many results are searched for one that says the same: a case has several variants.
const lookBack = 16

// piece is how many numbers are kept in one piece of memory, unless a result has more. What stays for hours must not lie among
// what is soon garbage: memory is given back to the system by whole pages.
const piece = 4096

// keep copies numbers to where those before them are.
func (p *Packed) keep(numbers []float64) []float64 {
	if len(numbers) == 0 {
		return numbers
	}
	if len(numbers) > piece {
		return slices.Clone(numbers)
	}
	if cap(p.room)-len(p.room) < len(numbers) {
		p.room = make([]float64, 0, piece)
	}
	from := len(p.room)
	p.room = append(p.room, numbers...)
	return p.room[from:len(p.room):len(p.room)]
}

// Add packs a result after the others.
func (p *Packed) Add(r *Result) {
	one := packed{
		like: p.likeOf(r), id: r.ID, name: r.Case, started: r.Started, numbers: p.keep(numbersOf(r)),
		samples: p.keep(r.Samples), aside: r.SetAside, marks: r.Marks,
	}
	if !slices.Equal(r.Warnings, one.like.Warnings) {
		one.warnings = append([]Warning{}, r.Warnings...)
	}
	if !slices.EqualFunc(r.Values, one.like.Values, func(a, b metric.Value) bool { return a.Text == b.Text }) {
		one.texts = make([]string, len(r.Values))
		for i := range r.Values {
			if one.texts[i] = r.Values[i].Text; one.texts[i] == one.like.Values[i].Text {
				one.texts[i] = one.like.Values[i].Text // one copy in memory
			}
		}
	}
	p.list = append(p.list, one)
}

// likeOf is a result that says the same as r but for what packed has.
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

// sameButNumbers reports whether two results differ at most in what packed has.
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

// shape is how many numbers a value is.
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

// numbersOf are the numbers of a result, without room for more.
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

// Len is how many results there are.
func (p *Packed) Len() int { return len(p.list) }

// All unpacks all, in their order.
func (p *Packed) All() []Result {
	var out []Result
	for i := range p.list {
		out = append(out, p.list[i].unpack())
	}
	return out
}

func (p *packed) unpack() Result {
	r := *p.like
	r.ID, r.Case, r.Started = p.id, p.name, p.started
	r.Samples, r.SetAside, r.Marks = p.samples, p.aside, p.marks
	if p.warnings != nil {
		r.Warnings = append([]Warning(nil), p.warnings...)
	}
	r.Settings, r.Values = slices.Clone(r.Settings), slices.Clone(r.Values)
	numbers := p.numbers
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
		if p.texts != nil {
			v.Text = p.texts[i]
		}
	}
	return r
}

// Mark is Finding.Mark on these results.
func (p *Packed) Mark(f Finding) bool {
	i := slices.IndexFunc(p.list, func(one packed) bool { return f.Result != "" && one.id == f.Result })
	if i < 0 {
		return false
	}
	one := []Result{{ID: f.Result, Marks: p.list[i].marks}}
	f.Mark(one)
	p.list[i].marks = one[0].Marks
	return true
}
