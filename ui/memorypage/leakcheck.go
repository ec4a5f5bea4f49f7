package memorypage

import (
	"errors"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/severity"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// leakCheck compares what is in use with a baseline.
type leakCheck struct {
	desk  *desk.Desk
	refit func()

	set       *kit.Button
	baseline  *note
	tolerance *entry
	check     *kit.Button
	tolerated *note
	after     *kit.Switch
	verdict   *verdict
	kept      int64    // the stored tolerance, as last shown
	checked   *checked // what the verdict is about; nil: there was no check
	working   bool     // a baseline or a check is being taken
}

// checked is a check with its inputs: once those change, its verdict is out of date.
type checked struct {
	app.LeakCheck
	tolerance int64
	runID     string // of the last run before it
}

func newLeakCheck(d *desk.Desk, refit func()) *leakCheck { return &leakCheck{desk: d, refit: refit} }

// toleranceAtFirst is the default tolerance: drivers and the Go runtime may keep that much.
const toleranceAtFirst = "50 MB"

const toleranceAbout = "Growth beyond this is a leak; drivers and caches retain some. Default:\u00a0" + toleranceAtFirst + "."

func (l *leakCheck) rows() []fyne.CanvasObject {
	l.set = kit.NewButton("Set Baseline", l.takeBaseline)
	l.baseline = newNote("", l.refit)
	l.kept = l.desk.Settings.Pool().Tolerance
	l.tolerance = newEntry(sizeText(l.kept), func(string) { l.readTolerance(); l.tell() })
	l.check = kit.NewButton("Check Now", l.doCheck)
	l.tolerated = newNote(toleranceAbout, l.refit)
	l.after = kit.NewSwitch(func(on bool) { l.checkAfterRuns(on) })
	afterNote := newNote("Checks at the end of each run, and empties the pool for it. Needs a baseline; a leak is an alert.", l.refit)
	l.verdict = newVerdict()
	first := kit.NewFlow(5, titled("Baseline", wide(l.set, 110)), l.baseline.Text)
	second := kit.NewFlow(5, titled("Tolerance", l.tolerance.wide(76), wide(l.check, 92)), l.tolerated.Text)
	third := kit.NewFlow(5, titled("Check after each run", l.after), afterNote.Text)
	l.recallAfterRuns()
	return []fyne.CanvasObject{first, second, third, l.verdict.object}
}

// checkAfterRuns turns checks after each run on or off, and remembers it.
func (l *leakCheck) checkAfterRuns(on bool) {
	c := l.desk.Settings.Pool()
	c.AutoCheck = on
	l.desk.Settings.SetPool(c)
	l.recallAfterRuns()
}

// recallAfterRuns restores the stored setting of checks after runs.
func (l *leakCheck) recallAfterRuns() {
	c := l.desk.Settings.Pool()
	l.after.Set(c.AutoCheck)
	_ = l.desk.Session.Leaks.CheckAfterRuns(c.AutoCheck, c.Tolerance) // the settings keep it within its limits
}

// takeLast shows the verdict of a check after a run.
func (l *leakCheck) takeLast() {
	c, ok := l.desk.Session.Leaks.Last()
	if !ok || l.working || l.checked != nil && !c.Taken.After(l.checked.Taken) {
		return
	}
	l.checked = &checked{c, c.Tolerance, l.lastRun()}
	l.refit()
}

// readTolerance reads the field, and says what is wrong with it.
func (l *leakCheck) readTolerance() (bytes int64, ok bool) {
	bytes, err := l.tolerance.readSize()
	if err == nil && bytes > app.LeakToleranceMax {
		err = fmt.Errorf("%s is too big. Enter a size up to %s", sizeText(bytes), bytesText(app.LeakToleranceMax))
	}
	if err != nil {
		l.tolerated.complain(err, l.tolerance)
		return 0, false
	}
	l.tolerated.say(toleranceAbout)
	l.keep(bytes)
	return bytes, true
}

// keep remembers the tolerance for the next start.
func (l *leakCheck) keep(bytes int64) {
	l.kept = bytes
	if c := l.desk.Settings.Pool(); c.Tolerance != bytes {
		c.Tolerance = bytes
		l.desk.Settings.SetPool(c)
		l.recallAfterRuns()
	}
}

// recall shows the stored tolerance, which may have been cleared.
func (l *leakCheck) recall() {
	c := l.desk.Settings.Pool()
	if c.Tolerance != l.kept {
		l.kept = c.Tolerance
		l.tolerance.write(sizeText(c.Tolerance))
		l.tolerated.say(toleranceAbout)
	}
	if c.AutoCheck != l.after.On {
		l.recallAfterRuns()
	}
}

func (l *leakCheck) takeBaseline() {
	l.work(true)
	leaks := l.desk.Session.Leaks
	l.desk.Background(func() func() {
		_, err := leaks.SetBaseline()
		return func() {
			l.work(false)
			if err != nil {
				l.baseline.complain(plainBusy(err))
				return
			}
			l.forget()
			l.update()
			l.refit()
		}
	})
}

func (l *leakCheck) doCheck() {
	tolerance, ok := l.readTolerance()
	if !ok {
		return
	}
	l.work(true)
	leaks := l.desk.Session.Leaks
	l.desk.Background(func() func() {
		c, err := leaks.Check(tolerance)
		return func() {
			l.work(false)
			if err != nil {
				l.forget()
				l.tolerated.complain(plainBusy(err))
				return
			}
			l.checked = &checked{c, tolerance, l.lastRun()}
			l.tell()
			l.refit()
		}
	})
}

// forget removes the verdict.
func (l *leakCheck) forget() {
	l.checked = nil
	l.verdict.hide()
}

// lastRun returns the run in progress, or the last one; empty before the first.
func (l *leakCheck) lastRun() string {
	curve, _ := l.desk.Session.Leaks.Curve()
	return curve.RunID
}

// tell shows the verdict, in gray once it is out of date.
func (l *leakCheck) tell() {
	if l.checked == nil {
		return
	}
	h, words := checkHeadline(&l.checked.LeakCheck), checkWords(&l.checked.LeakCheck)
	if since := l.outOfDate(); since != "" {
		h = headline{h.words + " (out of date)", severity.Info}
		words += " " + since + " since."
	}
	if l.verdict.show(h, words) {
		l.refit()
	}
}

// outOfDate says what has happened since the check; empty: it is still valid.
func (l *leakCheck) outOfDate() string {
	tolerance, err := si.ParseBytes(l.tolerance.Text)
	switch {
	case l.desk.Model.Busy() != nil || l.lastRun() != l.checked.runID:
		return "A run started"
	case err != nil || tolerance != l.checked.tolerance:
		return "The tolerance changed"
	}
	return ""
}

// plainBusy says why neither a baseline nor a check can be taken during a run.
func plainBusy(err error) error {
	if errors.Is(err, app.ErrBusy) {
		return errors.New("a run is in progress: emptying the pool would disturb it, and it has its own leak check")
	}
	return err
}

// work disables the buttons while a baseline or a check is being taken.
func (l *leakCheck) work(on bool) {
	l.working = on
	l.able()
}

func (l *leakCheck) able() {
	_, has := l.desk.Session.Leaks.Baseline()
	free := !l.working && l.desk.Model.Busy() == nil
	kit.Able(l.set, free)
	kit.Able(l.check, free && has)
}

// update shows the baseline.
func (l *leakCheck) update() {
	l.able()
	l.recall()
	l.takeLast()
	l.tell()
	switch b, has := l.desk.Session.Leaks.Baseline(); {
	case l.desk.Model.Busy() != nil:
		l.baseline.say("Not available during a run, which has its own leak check.")
	case has:
		l.baseline.say(l.baselineText(&b))
	case !l.baseline.wrong():
		l.baseline.say("Not set. Empties the pool and records memory use of process, engine and device. Then do what may " +
			"leak, and check.")
	}
}

func (l *leakCheck) baselineText(b *app.LeakBaseline) string {
	engine := "engine"
	if b.Engine != "" {
		engine = "engine " + engineTitle(l.desk, b.Engine)
	}
	return fmt.Sprintf("Set at %s. Process %s; %s %s; device %s.", view.Clock(b.Taken), b.Levels.Process, engine, b.Levels.Engine,
		b.Levels.Device)
}

// headline is a verdict in a few words.
type headline struct {
	words    string
	severity severity.Level // empty: nothing is wrong
}

func checkHeadline(c *app.LeakCheck) headline {
	tolerance := bytesText(c.Tolerance)
	switch {
	case c.Leaking:
		return headline{"Leak: grown by more than " + tolerance, severity.Critical}
	case !c.Known:
		return headline{"Unknown: nothing could be compared", severity.Warning}
	}
	return headline{"No leak: no growth beyond " + tolerance, ""}
}

// checkWords says how each amount changed, one per line.
func checkWords(c *app.LeakCheck) string {
	var lines []string
	for _, g := range c.Growths {
		line := plain.Capitalized(g.String())
		if g.Over {
			line += ": beyond the tolerance"
		}
		lines = append(lines, line+".")
	}
	return strings.Join(append(lines, "Checked at "+view.Clock(c.Taken)+" with a tolerance of "+bytesText(c.Tolerance)+"."), "\n")
}

// verdict is a headline with a sign, and words below it.
type verdict struct {
	icon   *widget.Icon
	head   *kit.Text
	words  *kit.Text
	object *fyne.Container
}

func newVerdict() *verdict {
	v := &verdict{icon: widget.NewIcon(nil), head: kit.NewBody("", 2), words: kit.NewCaption("", 16)}
	v.head.Style.Bold = true
	sign := container.NewCenter(container.NewGridWrap(fyne.NewSize(16, 16), v.icon))
	line := container.NewBorder(nil, nil, kit.Row(6, sign, container.NewGridWrap(fyne.NewSize(1, 1))), nil, v.head)
	v.object = kit.NewFlow(4, line, v.words)
	v.object.Hide()
	return v
}

func (v *verdict) hide() { v.object.Hide() }

// show shows a verdict, and reports whether its words are new.
func (v *verdict) show(h headline, words string) (moved bool) {
	color, icon := theme.ColorNameSuccess, fyne.Resource(theme.NewSuccessThemedResource(theme.ConfirmIcon()))
	switch h.severity {
	case severity.Critical:
		color, icon = theme.ColorNameError, theme.NewErrorThemedResource(theme.ErrorIcon())
	case severity.Warning:
		color, icon = theme.ColorNameWarning, theme.NewWarningThemedResource(theme.WarningIcon())
	case severity.Info:
		color, icon = kit.ColorSecondary, gray(theme.InfoIcon())
	}
	moved = v.words.Content != words || !v.object.Visible()
	if v.head.Content != h.words || v.head.Color != color {
		v.icon.SetResource(icon)
	}
	v.head.SetColored(h.words, color)
	v.words.Set(words)
	v.object.Show()
	return moved
}
