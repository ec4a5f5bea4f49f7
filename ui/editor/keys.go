package editor

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// AcceptsTab is part of fyne.Tabbable: Tab indents; after Escape it moves the focus.
func (e *Editor) AcceptsTab() bool { return !e.ReadOnly && !e.leaving }

// KeyDown is part of desktop.Keyable.
func (e *Editor) KeyDown(k *fyne.KeyEvent) {
	if k.Name == desktop.KeyShiftLeft || k.Name == desktop.KeyShiftRight {
		e.shift[k.Name] = true
	}
}

// KeyUp is part of desktop.Keyable.
func (e *Editor) KeyUp(k *fyne.KeyEvent) { delete(e.shift, k.Name) }

func (e *Editor) shifted() bool { return len(e.shift) > 0 }

// TypedRune is part of fyne.Focusable.
func (e *Editor) TypedRune(r rune) {
	if e.ReadOnly {
		return
	}
	e.leaving = false
	e.Doc.Type(r)
	e.edited()
}

// TypedKey is part of fyne.Focusable.
func (e *Editor) TypedKey(k *fyne.KeyEvent) {
	e.leaving = k.Name == fyne.KeyEscape
	switch {
	case k.Name == fyne.KeyEscape:
		e.ask(CloseRequest)
	case k.Name == fyne.KeyF3 && e.shifted():
		e.ask(PreviousRequest)
	case k.Name == fyne.KeyF3:
		e.ask(NextRequest)
	case e.ReadOnly && !e.shifted():
		e.scrollBy(k.Name)
	case e.move(k.Name):
		e.moved()
	case !e.ReadOnly && e.edit(k.Name):
		e.edited()
	}
}

func (e *Editor) ask(r Request) {
	if e.OnKey != nil {
		e.OnKey(r)
	}
}

// move moves the cursor by a key, and reports whether the key does that.
func (e *Editor) move(k fyne.KeyName) bool {
	d, extend := e.Doc, e.shifted()
	page := max(1, int(e.scroll.Size().Height/e.body.measured().Height)-2)
	switch k {
	case fyne.KeyLeft, fyne.KeyRight:
		d.Move(Letter, k == fyne.KeyRight, extend)
	case fyne.KeyHome, fyne.KeyEnd:
		d.Move(LineEnd, k == fyne.KeyEnd, extend)
	case fyne.KeyUp:
		d.MoveLines(-1, extend)
	case fyne.KeyDown:
		d.MoveLines(1, extend)
	case fyne.KeyPageUp:
		d.MoveLines(-page, extend)
	case fyne.KeyPageDown:
		d.MoveLines(page, extend)
	default:
		return false
	}
	return true
}

// edit changes the text by a key, and reports whether the key does that.
func (e *Editor) edit(k fyne.KeyName) bool {
	d := e.Doc
	switch k {
	case fyne.KeyBackspace, fyne.KeyDelete:
		d.Delete(Letter, k == fyne.KeyDelete)
	case fyne.KeyReturn, fyne.KeyEnter:
		d.NewLine()
	case fyne.KeyTab:
		if e.shifted() {
			d.Unindent()
		} else {
			d.Tab()
		}
	default:
		return false
	}
	return true
}

// scrollBy scrolls a read-only text by a key.
func (e *Editor) scrollBy(k fyne.KeyName) {
	letter, page := e.body.measured(), e.scroll.Size().Height*0.9
	by := map[fyne.KeyName]fyne.Delta{
		fyne.KeyUp: {DY: letter.Height}, fyne.KeyDown: {DY: -letter.Height}, fyne.KeyPageUp: {DY: page}, fyne.KeyPageDown: {DY: -page},
		fyne.KeySpace: {DY: -page}, fyne.KeyLeft: {DX: tabWidth * letter.Width}, fyne.KeyRight: {DX: -tabWidth * letter.Width},
	}[k]
	switch {
	case k == fyne.KeyHome:
		e.scroll.ScrollToTop()
	case k == fyne.KeyEnd:
		e.scroll.ScrollToBottom()
	case by != fyne.Delta{}:
		e.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: by})
	}
	e.body.place()
}

// TypedShortcut is part of fyne.Shortcutable.
func (e *Editor) TypedShortcut(s fyne.Shortcut) {
	d := e.Doc
	switch s := s.(type) {
	case *fyne.ShortcutCopy:
		e.Copy()
	case *fyne.ShortcutSelectAll:
		d.SelectAll()
		e.body.place()
	case *desktop.CustomShortcut:
		e.custom(s)
	case *fyne.ShortcutCut:
		e.change(func() {
			if text := d.Selected(); text != "" {
				s.Clipboard.SetContent(text)
				d.Insert("")
			}
		})
	case *fyne.ShortcutPaste:
		e.change(func() { d.Insert(s.Clipboard.Content()) })
	case *fyne.ShortcutUndo:
		e.change(func() { d.Undo() })
	case *fyne.ShortcutRedo:
		e.change(func() { d.Redo() })
	}
}

// change edits the text unless it is read-only.
func (e *Editor) change(edit func()) {
	if e.ReadOnly {
		return
	}
	was := e.Doc.Version()
	if edit(); e.Doc.Version() != was {
		e.edited()
	}
}

// A stroke is a key with modifiers, without Shift.
type stroke struct {
	key fyne.KeyName
	mod fyne.KeyModifier
}

// steps are the moves with modifiers, on every system; with Shift they select.
func steps() map[stroke]Step {
	const word, alt, cmd = fyne.KeyModifierControl, fyne.KeyModifierAlt, fyne.KeyModifierSuper
	return map[stroke]Step{
		{fyne.KeyLeft, word}: Word, {fyne.KeyRight, word}: Word, {fyne.KeyLeft, alt}: Word, {fyne.KeyRight, alt}: Word,
		{fyne.KeyLeft, cmd}: LineEnd, {fyne.KeyRight, cmd}: LineEnd, {fyne.KeyUp, cmd}: Whole, {fyne.KeyDown, cmd}: Whole,
		{fyne.KeyHome, word}: Whole, {fyne.KeyEnd, word}: Whole,
		{fyne.KeyBackspace, word}: Word, {fyne.KeyDelete, word}: Word, {fyne.KeyBackspace, alt}: Word, {fyne.KeyDelete, alt}: Word,
		{fyne.KeyBackspace, cmd}: LineEnd,
	}
}

// custom handles a shortcut that Fyne has no name for.
func (e *Editor) custom(s *desktop.CustomShortcut) {
	e.leaving = false
	shift := s.Modifier&fyne.KeyModifierShift != 0
	k := stroke{s.KeyName, s.Modifier &^ fyne.KeyModifierShift}
	if step, ok := steps()[k]; ok {
		e.step(k.key, step, shift)
		return
	}
	if k.mod != fyne.KeyModifierShortcutDefault {
		return
	}
	switch {
	case k.key == fyne.KeyF:
		e.ask(FindRequest)
	case k.key == fyne.KeyG && shift:
		e.ask(PreviousRequest)
	case k.key == fyne.KeyG:
		e.ask(NextRequest)
	case k.key == fyne.KeyZ && shift:
		e.change(func() { e.Doc.Redo() })
	case k.key == fyne.KeySlash && e.colors.language != nil:
		e.change(func() { e.Doc.ToggleComment(e.colors.language.Line) })
	}
}

// step moves or deletes by a step.
func (e *Editor) step(k fyne.KeyName, s Step, extend bool) {
	switch k {
	case fyne.KeyBackspace, fyne.KeyDelete:
		e.change(func() { e.Doc.Delete(s, k == fyne.KeyDelete) })
	default:
		e.Doc.Move(s, k == fyne.KeyRight || k == fyne.KeyDown || k == fyne.KeyEnd, extend)
		e.moved()
	}
}
