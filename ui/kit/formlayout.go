package kit

import "fyne.io/fyne/v2"

// formLayout lays out the rows of a form.
type formLayout struct {
	form  *Form
	lines []*Fill
	width float32
	least float32 // width, at 100 %
	tall  float32 // as last laid out
}

const (
	fieldPadV = 8
	fieldPadH = 12
	fieldGap  = 10
)

// headHeight returns the height of the title and the objects beside it.
func (r *FormRow) headHeight() float32 {
	height := r.Title.MinSize().Height
	if r.tail != nil {
		height = max(height, r.tail.MinSize().Height)
	}
	return height
}

func (r *FormRow) belowHeight() float32 {
	if r.below == nil {
		return 0
	}
	return r.below.MinSize().Height + 1
}

func (r *FormRow) height(inner float32) float32 {
	return r.headHeight() + r.belowHeight() + 2 + r.Note.HeightFor(inner) + 2*fieldPadV
}

func (l *formLayout) heightFor(width float32) float32 {
	height := float32(0)
	for _, r := range l.form.Rows {
		height += r.height(width - 2*fieldPadH)
	}
	return height
}

// SetWidth tells the layout how wide it will be, so that its minimum height is right before it is laid out.
func (l *formLayout) SetWidth(width float32) { l.width = width }

func (l *formLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(Scaled(l.least)-2, l.heightFor(l.width))
}

func (l *formLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	inner := size.Width - 2*fieldPadH
	y := float32(0)
	for i, r := range l.form.Rows {
		if i > 0 {
			put(l.lines[i-1], fieldPadH, y, inner, 1)
		}
		r.layout(y+fieldPadV, inner)
		y += r.height(inner)
	}
	l.tall = y
}

// layout places a row's objects from y on.
func (r *FormRow) layout(y, inner float32) {
	head, words := r.headHeight(), inner
	if r.tail != nil {
		r.makeRoom(inner)
		tail := r.tail.MinSize()
		words -= tail.Width + fieldGap
		put(r.tail, fieldPadH+inner-tail.Width, y+(head-tail.Height)/2, tail.Width, tail.Height)
	}
	title := r.Title.MinSize().Height
	put(r.Title, fieldPadH, y+(head-title)/2, words, title)
	y += head
	if r.below != nil {
		height := r.below.MinSize().Height
		put(r.below, fieldPadH, y+1, inner, height)
		y += height + 1
	}
	put(r.Note, fieldPadH, y+2, inner, r.Note.HeightFor(inner))
}

// makeRoom hides the unit if that keeps the title from being cut off: the sentence below also names what is counted.
func (r *FormRow) makeRoom(inner float32) {
	if r.unit == nil {
		return
	}
	room := inner - fieldGap - r.Title.whole()
	r.unit.Hidden = false
	if r.tail.MinSize().Width <= room {
		return
	}
	r.unit.Hidden = true
	r.unit.Hidden = r.tail.MinSize().Width <= room
}
