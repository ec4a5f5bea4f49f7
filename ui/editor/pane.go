package editor

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/internal/si"
	"assay/ui/kit"
)

// Pane is an editor with a find bar above it, hidden until it is requested.
type Pane struct {
	*Editor
	Object *fyne.Container
	bar    *fyne.Container
	query  *kit.Entry
	count  *kit.Text
}

// NewPane puts an editor below a bar.
func NewPane(e *Editor) *Pane {
	p := &Pane{Editor: e, query: kit.NewEntry(), count: kit.NewBody("", 1).Steady()}
	p.query.SetPlaceHolder("Find")
	p.query.OnChanged = func(string) { p.search() }
	p.query.OnKey = p.key
	button := func(name string, icon fyne.Resource, do func()) *kit.Button {
		b := kit.NewButtonWithIcon(name, icon, do)
		b.Importance, b.OnEscape = widget.LowImportance, p.Hide
		return b
	}
	tools := kit.Row(4, container.NewCenter(p.count), button("Previous", theme.MoveUpIcon(), func() { p.step(false) }),
		button("Next", theme.MoveDownIcon(), func() { p.step(true) }), button("Close", theme.CancelIcon(), p.Hide))
	p.bar = container.NewBorder(nil, nil, nil, tools, p.query)
	p.bar.Hide()
	e.OnKey = p.answer
	p.Object = kit.Edged(e, kit.AtTop, p.bar)
	return p
}

// answer does what a key in the editor requests.
func (p *Pane) answer(r Request) {
	switch r {
	case FindRequest:
		p.Find()
	case NextRequest, PreviousRequest:
		if p.query.Text == "" {
			p.Find()
			return
		}
		p.step(r == NextRequest)
	case CloseRequest:
		p.Hide()
	}
}

// Find shows the bar with the selected text, and gives it the keyboard focus.
func (p *Pane) Find() {
	p.bar.Show()
	p.Object.Refresh()
	if s := p.Doc.Selection(); !s.Empty() && s.From.Line == s.To.Line {
		p.query.SetText(p.Doc.Selected())
	}
	p.search()
	p.focus(p.query)
	p.query.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// Has reports whether a focused object is the editor or its bar.
func (p *Pane) Has(o fyne.Focusable) bool { return o == p.Editor || o == p.query }

// Hide hides the bar and returns to the text.
func (p *Pane) Hide() {
	if !p.bar.Visible() {
		return
	}
	p.bar.Hide()
	p.Doc.Find("")
	p.Object.Refresh()
	p.Editor.Refresh()
	p.Focus()
}

// key handles keys of the field.
func (p *Pane) key(k fyne.KeyName) bool {
	switch k {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeyF3, fyne.KeyDown:
		p.step(true)
	case fyne.KeyUp:
		p.step(false)
	case fyne.KeyEscape:
		p.Hide()
	default:
		return false
	}
	return true
}

// search goes to the first place at or after the selection's start.
func (p *Pane) search() {
	p.Doc.Find(p.query.Text)
	p.tell(p.Doc.First(p.Doc.Selection().From))
	p.moved()
}

func (p *Pane) step(forward bool) {
	p.Doc.Find(p.query.Text)
	p.tell(p.Doc.Next(forward))
	p.moved()
}

// tell says which match is selected; -1: none.
func (p *Pane) tell(at int) {
	n := len(p.Doc.Matches())
	switch {
	case p.query.Text == "":
		p.count.Set("")
	case n == 0:
		p.count.SetColored("Not found", theme.ColorNameError)
	default:
		p.count.SetColored(si.Count(at+1)+" of "+si.Count(n), kit.ColorSecondary)
	}
}
