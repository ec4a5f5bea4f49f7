// Package uitest is shared by the tests of the window's pages: a session without an engine, scripted runs, a window
// with one page, and checks of its content.
package uitest

import (
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
)

// Size of a page in windows of the default and the minimum size.
var (
	Usual    = fyne.NewSize(1204, 750)
	Smallest = fyne.NewSize(1024, 650)
)

// Stand is one page in a window of the software driver. The test sends the session's updates with Desk.Take.
type Stand struct {
	Desk    *desk.Desk
	Session *Session
	View    desk.View
	Shown   []string // pages requested to come to the front
}

// Never drops the function: the software driver would run it on the calling goroutine. Desk.Settle applies pending updates.
func Never(func()) {}

// Open builds a page in a window.
func Open(t testing.TB, p desk.Page, look kit.Appearance, size fyne.Size) *Stand {
	t.Helper()
	return OpenOn(t, NewSession(), p, look, size)
}

// OpenOn builds a page in a window on a session.
func OpenOn(t testing.TB, session *Session, p desk.Page, look kit.Appearance, size fyne.Size) *Stand {
	t.Helper()
	a := NewApp(t)
	a.Settings().SetTheme(kit.NewLook(look))
	w := a.NewWindow("test")
	s := &Stand{Session: session}
	s.Desk = desk.New(a, w, s.Session.Services(), desk.Settings{Store: a.Preferences()}, Never)
	s.Desk.Redraw = func(c desk.Change) {
		if s.View.Update != nil {
			s.View.Update(c)
		}
	}
	s.Desk.Show = func(name string) { s.Shown = append(s.Shown, name) }
	s.View = p.Build(s.Desk)
	w.SetPadded(false)
	w.SetContent(s.View.Object)
	w.Resize(size)
	s.View.Update(desk.ChangedAll)
	t.Cleanup(func() {
		s.Desk.Shut()
		s.Desk.Wait()
		w.Close()
	})
	return s
}
