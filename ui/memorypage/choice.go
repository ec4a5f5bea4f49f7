package memorypage

import (
	"fyne.io/fyne/v2"

	"assay/app"
	"assay/gpu"
	"assay/ui/kit"
)

// choiceRow is a setting of the pool with a few values: their titles side by side, and a sentence about the chosen one.
type choiceRow[T comparable] struct {
	pool     *poolSettings
	title    string
	choices  gpu.PoolChoices[T]
	at       func(*app.PoolSettings) *T
	done     func(gpu.PoolChoice[T]) string // says that it was set
	segments *kit.Segments
	note     *note
	holds    T // as last shown
}

func newChoice[T comparable](
	p *poolSettings, title string, choices gpu.PoolChoices[T], at func(*app.PoolSettings) *T, done func(gpu.PoolChoice[T]) string,
) *choiceRow[T] {
	return &choiceRow[T]{pool: p, title: title, choices: choices, at: at, done: done}
}

func stateDone(c gpu.PoolChoice[bool]) string {
	if c.Value {
		return "The pool is off: every request allocates"
	}
	return "The pool is on"
}

func policyDone(c gpu.PoolChoice[gpu.Policy]) string {
	return "Size classes of the pool: " + c.Words
}

func logDone(c gpu.PoolChoice[bool]) string { return "Runs log " + c.Words }

func modeDone(c gpu.PoolChoice[gpu.Mode]) string { return "New buffers are " + c.Words }

func (r *choiceRow[T]) row() fyne.CanvasObject {
	titles := make([]string, len(r.choices))
	for i, c := range r.choices {
		titles[i] = c.Title
	}
	r.segments = kit.NewSegments(r.set, titles...)
	r.holds = r.choices[0].Value
	r.note = newNote(r.choices[0].About, r.pool.refit)
	if len(r.choices) == 2 { // there is room beside the title
		return kit.NewFlow(5, titled(r.title, r.segments.Object), r.note.Text)
	}
	return kit.NewFlow(5, titled(r.title), kit.Row(0, r.segments.Object), r.note.Text)
}

func (r *choiceRow[T]) set(i int) {
	c := r.choices[i]
	r.pool.apply(r.done(c), func(s *app.PoolSettings) { *r.at(s) = c.Value }, func() { r.write(c.Value) }, func(err error) {
		r.write(r.holds)
		r.note.complain(err)
	})
}

// show shows the value in force, if it is new: a refusal stays visible.
func (r *choiceRow[T]) show(v T) {
	if v != r.holds {
		r.write(v)
	}
}

func (r *choiceRow[T]) write(v T) {
	r.holds = v
	for i, c := range r.choices {
		if c.Value != v {
			continue
		}
		if r.segments.At != i {
			r.segments.Show(i)
		}
		r.note.say(c.About)
	}
}
