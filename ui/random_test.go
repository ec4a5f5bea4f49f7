package ui

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/test"
	"go.uber.org/goleak"

	"assay/app"
	"assay/internal/severity"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// How long TestRandomUse uses the window, and its seed for reproducing a failure.
const (
	randomTimeVariable = "ASSAY_RANDOM_TIME"
	randomSeedVariable = "ASSAY_RANDOM_SEED"
)

// TestRandomUse clicks, types, scrolls, drags, drops and resizes at random on all pages while runs come and go, without a
// panic, and leaves no goroutine behind.
func TestRandomUse(t *testing.T) {
	limit, err := time.ParseDuration(cmp.Or(os.Getenv(randomTimeVariable), "2s"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv(randomSeedVariable), fmt.Sprint(time.Now().UnixNano())), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s=%d does the same again", randomSeedVariable, seed)
	home := t.TempDir()
	t.Setenv("HOME", home)
	a := uitest.NewApp(t)
	before := goleak.IgnoreCurrent()
	m := newMonkey(t, a, home, seed)
	for end := time.Now().Add(limit); time.Now().Before(end); {
		m.step()
	}
	t.Logf("%d steps", m.steps)
	if m.steps < 10 {
		t.Errorf("only %d steps were done", m.steps)
	}
	m.end()
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
}

// monkey uses a window at random.
type monkey struct {
	*window
	t       *testing.T
	session *uitest.Session
	chooser *uitest.Chooser
	random  *rand.Rand
	files   []string // to open, good and bad
	steps   int
	last    []string // what it did, for a report
	tick    int
}

func newMonkey(t *testing.T, a fyne.App, home string, seed uint64) *monkey {
	t.Helper()
	m := &monkey{t: t, session: uitest.NewSession(), chooser: &uitest.Chooser{}, random: rand.New(rand.NewPCG(seed, 1))}
	m.session.Runs = filepath.Join(home, "runs")
	run := uitest.KeptRun(t)
	weights := filepath.Join(home, "w.safetensors")
	if err := os.WriteFile(weights, []byte("no weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.files = []string{run.Dir, filepath.Join(run.Dir, "run.json"), weights, home, filepath.Join(home, "gone.assayrun")}
	m.window = open(a, m.session.Services(), desk.Settings{Store: a.Preferences()}, uitest.Never,
		func(fyne.Window) fyne.Size { return fyne.NewSize(1100, 700) })
	m.AskBy(m.chooser)
	m.listen()
	m.Settle()
	return m
}

// end closes the window as the user does.
func (m *monkey) end() {
	m.quit()
	<-m.closed
	m.Window.Close()
}

// step does one action, and reports the earlier ones if it panics.
func (m *monkey) step() {
	defer func() {
		if p := recover(); p != nil {
			m.t.Fatalf("%v\nafter %q\n%s", p, m.last, debug.Stack())
		}
	}()
	actions := []func() string{
		m.click, m.click, m.click, m.click, m.typing, m.key, m.key, m.tab, m.scroll, m.point, m.drag, m.resize, m.command,
		m.update, m.update, m.update, m.drop, m.answer, m.draw,
	}
	did := actions[m.random.IntN(len(actions))]()
	m.last = append(m.last, did)
	m.last = m.last[max(0, len(m.last)-12):]
	m.steps++
	m.Settle()
}

// shown returns what receives input: a dialog, or the window.
func (m *monkey) shown() fyne.CanvasObject {
	if top := m.Window.Canvas().Overlays().Top(); top != nil {
		return top
	}
	return m.content()
}

func (m *monkey) place() fyne.Position {
	size := m.Window.Canvas().Size()
	return fyne.NewPos(m.random.Float32()*size.Width, m.random.Float32()*size.Height)
}

// click taps a control.
func (m *monkey) click() string {
	controls, _ := uitest.Controls(m.shown())
	if len(controls) == 0 {
		return "found nothing to click"
	}
	o := controls[m.random.IntN(len(controls))]
	m.Window.Canvas().Focus(o)
	if tapped, ok := o.(fyne.Tappable); ok {
		size := o.(fyne.CanvasObject).Size()
		at := fyne.NewPos(m.random.Float32()*size.Width, m.random.Float32()*size.Height)
		tapped.Tapped(&fyne.PointEvent{Position: at, AbsolutePosition: at})
	}
	return fmt.Sprintf("clicked %T %q", o, uitest.Texts(o.(fyne.CanvasObject)))
}

func (m *monkey) typing() string {
	texts := []string{"1", "64", "-5", "1e99", "x", "ü — 漢", "", " ", "0.5", "NaN", "\n", "/no/such/file"}
	s := texts[m.random.IntN(len(texts))]
	if f := m.Window.Canvas().Focused(); f != nil {
		test.Type(f, s)
	}
	return fmt.Sprintf("typed %q", s)
}

func (m *monkey) key() string {
	keys := []fyne.KeyName{
		fyne.KeySpace, fyne.KeyReturn, fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight, fyne.KeyHome, fyne.KeyEnd,
		fyne.KeyPageUp, fyne.KeyPageDown, fyne.KeyBackspace, fyne.KeyDelete, fyne.KeyEscape,
	}
	e := &fyne.KeyEvent{Name: keys[m.random.IntN(len(keys))]}
	if f := m.Window.Canvas().Focused(); f != nil {
		f.TypedKey(e)
	} else {
		m.Window.Canvas().OnTypedKey()(e)
	}
	return "pressed " + string(e.Name)
}

func (m *monkey) tab() string {
	if m.random.IntN(2) == 0 {
		test.FocusNext(m.Window.Canvas())
	} else {
		test.FocusPrevious(m.Window.Canvas())
	}
	return "pressed Tab"
}

func (m *monkey) scroll() string {
	test.Scroll(m.Window.Canvas(), m.place(), m.random.Float32()*400-200, m.random.Float32()*400-200)
	return "scrolled"
}

func (m *monkey) point() string {
	test.MoveMouse(m.Window.Canvas(), m.place())
	return "pointed"
}

func (m *monkey) drag() string {
	test.Drag(m.Window.Canvas(), m.place(), m.random.Float32()*300-150, m.random.Float32()*300-150)
	return "dragged"
}

func (m *monkey) resize() string {
	size := fyne.NewSize(1100+m.random.Float32()*1460, 700+m.random.Float32()*740)
	m.Window.Resize(size)
	return fmt.Sprintf("resized to %v", size)
}

// command runs a menu item, except those that close the window.
func (m *monkey) command() string {
	menu := m.menu.main.Items[m.random.IntN(len(m.menu.main.Items))]
	item := menu.Items[m.random.IntN(len(menu.Items))]
	if item.Action == nil || item.Disabled || slices.Contains([]string{"Quit", "Close"}, item.Label) {
		return "opened the menu " + menu.Label
	}
	item.Action()
	return "took " + menu.Label + " > " + item.Label
}

// update sends an update from the session.
func (m *monkey) update() string {
	results := uitest.Sweep()
	alert := monitor.Alert{ID: fmt.Sprint(m.random.IntN(3)), Severity: severity.Critical, Title: "Hot", Cause: "Why", Raised: uitest.Epoch}
	if m.random.IntN(2) == 0 {
		alert.Cleared = uitest.Epoch.Add(time.Minute)
	}
	m.tick++
	updates := []app.Update{
		app.TickUpdate{Snapshot: uitest.Snapshot(m.tick)},
		app.StartUpdate{Meta: uitest.SweepMeta()},
		app.ResultUpdate{Result: results[m.random.IntN(len(results))]},
		app.AlertUpdate{Alert: alert},
		app.ProgressUpdate{Fraction: m.random.Float64(), Progress: workloads.Progress{Case: "c", Done: m.random.IntN(9), Total: 9}},
		app.EndUpdate{Run: uitest.FinishedRun(results)},
		app.EndUpdate{Err: os.ErrDeadlineExceeded},
		app.EndUpdate{},
	}
	u := updates[m.random.IntN(len(updates))]
	if m.random.IntN(2) == 0 {
		m.Take(u)
	} else {
		m.session.Send(u)
	}
	return fmt.Sprintf("sent %T", u)
}

func (m *monkey) drop() string {
	path := m.files[m.random.IntN(len(m.files))]
	m.dropped([]fyne.URI{storage.NewFileURI(path)})
	return "dropped " + path
}

// answer changes what the next file panel answers, and what the session does.
func (m *monkey) answer() string {
	m.chooser.Path, m.chooser.Err, m.session.Refuse = "", nil, nil
	switch m.random.IntN(4) {
	case 0:
		m.chooser.Path = m.files[m.random.IntN(len(m.files))]
	case 1:
		m.chooser.Err = os.ErrPermission
	case 2:
		m.session.Refuse = os.ErrPermission
	}
	return "had the system answer otherwise"
}

// draw paints the window, in one look or the other.
func (m *monkey) draw() string {
	looks := []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight, kit.FollowSystem}
	m.SetAppearance(looks[m.random.IntN(len(looks))])
	m.Window.Canvas().Capture()
	return "drew"
}
