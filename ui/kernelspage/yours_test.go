package kernelspage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/internal/stats"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// withYours opens the page at the user's kernel, after its first check.
func withYours(t testing.TB, look kit.Appearance, size fyne.Size, with func(*uitest.Playground)) *stand {
	t.Helper()
	s := openEarly(t, look, size)
	if with != nil {
		with(&s.Session.Own)
	}
	s.Desk.TakeEngines(s.Session.States)
	s.choosePart(partYours)
	s.settle()
	return s
}

// settle makes pending checks at once.
func (s *stand) settle() {
	s.yours.timer.Stop()
	s.yours.check()
	s.Desk.Settle()
}

// outcome is a report of a run that was correct, and timed at three sizes.
func outcome() *app.OwnReport {
	point := func(n, seconds float64) app.OwnPoint {
		return app.OwnPoint{Sizes: map[string]float64{"n": n}, Time: app.OwnSpan{Median: seconds, Lo: 0.99 * seconds, Hi: 1.02 * seconds, Bounded: true}, Samples: 30, Rate: n / seconds, Bytes: 8 * n / seconds, Verified: true}
	}
	return &app.OwnReport{
		Name: "scaled", Source: "scaled.metal", Entry: "scaled", Entries: []string{"scaled"}, Device: "Test CPU, 8 cores", OnCPU: true, Done: true,
		Arguments: []app.OwnBound{
			{Name: "x", Binding: "buffer 0", Holds: "random, 4096 float", Bytes: 16384},
			{Name: "y", Binding: "buffer 1", Holds: "output, 4096 float", Bytes: 16384},
		},
		Stages: []app.OwnStage{
			{Name: "description", State: "passed", Seconds: 0.0004},
			{Name: "compile", State: "passed", Seconds: 0.21},
			{Name: "checked mode", State: "passed", Seconds: 0.12},
			{Name: "race mode", State: "skipped", Why: "atomics add in any order"},
			{Name: "verify", State: "passed", Seconds: 0.002},
			{Name: "time", State: "passed", Seconds: 1.1},
		},
		Outputs: []app.OwnOutcome{{Name: "y", Elements: 4096, Compared: 4096, Largest: 1.19e-7}},
		Points:  []app.OwnPoint{point(256, 12e-6), point(4096, 31e-6), point(65536, 412e-6)},
	}
}

// broken is a report of a source that does not compile, with one problem in the description.
func broken(app.OwnKernel) *app.OwnReport {
	return &app.OwnReport{Path: "scaled.kernel.toml", Source: "scaled.metal", Done: true, Problems: []app.OwnProblem{
		{Kind: "compile", File: "scaled.metal", Line: 11, Column: 18, Message: "use of undeclared identifier 'x'"},
		{Kind: "arguments", File: "scaled.kernel.toml", Line: 7, Key: "args.x", Message: "scaled has no argument \"x\"; it has y, a, n"},
	}}
}

// A kernel is checked when it is shown and after edits; its problems are marked and listed, and the user can go to them.
func TestYoursIsChecked(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) { p.Checked = broken })
	y := s.yours
	if y.problems.Rows() != 2 || !y.listed.Visible() || !strings.Contains(y.state.Content, "2 problems") {
		t.Fatalf("%d problems are listed, and %q is told", y.problems.Rows(), y.state.Content)
	}
	y.problems.Choose(1)
	if !y.describe.Object.Visible() || y.describe.Doc.Cursor().Line != 6 {
		t.Errorf("the cursor is at %v", y.describe.Doc.Cursor())
	}
	y.problems.Choose(0)
	if c := y.source.Doc.Cursor(); !y.source.Object.Visible() || c.Line != 10 || c.Letter != 17 {
		t.Errorf("the cursor is at %v", c)
	}
	s.Session.Own.Checked = nil
	y.source.TypedRune(' ')
	s.settle()
	if y.problems.Rows() != 0 || y.listed.Visible() || !strings.Contains(y.state.Content, "compile without problems") {
		t.Errorf("after the edit %d problems are listed, and %q is told", y.problems.Rows(), y.state.Content)
	}
	y.describe.Doc.SelectAll()
	y.describe.TypedRune('[')
	if y.problems.Rows() == 0 {
		t.Error("a broken description has no problem at once")
	}
}

// Editing triggers a check, a while after the last key.
func TestYoursIsCheckedByItself(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, nil)
	before := len(s.Session.Own.Asked())
	s.yours.source.TypedRune(' ')
	s.yours.source.TypedRune(' ')
	for end := time.Now().Add(10 * time.Second); len(s.Session.Own.Asked()) == before && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		s.Desk.Settle()
	}
	if got := s.Session.Own.Asked()[before:]; !slices.Equal(got, []string{"check"}) {
		t.Errorf("asked for %q", got)
	}
}

// field returns the form's field for a key.
func (s *stand) field(t *testing.T, name string) *kit.Input {
	t.Helper()
	for _, in := range s.yours.form.fields.Inputs {
		if in.Name == name {
			return in
		}
	}
	t.Fatalf("no field for %s", name)
	return nil
}

// The form edits the description’s text, can be undone there, and follows what is typed.
func TestYoursForm(t *testing.T) {
	s := withYours(t, kit.AlwaysLight, uitest.Usual, nil)
	y := s.yours
	expect := func(what string) {
		t.Helper()
		if !strings.Contains(y.describe.Text(), what) {
			t.Errorf("the description lacks %q:\n%s", what, y.describe.Text())
		}
	}
	s.field(t, "sizes.n.value").Entry.SetText("1024")
	expect("n = { value = 1024, sweep")
	s.field(t, "args.x.length").Entry.SetText("2 * n")
	expect(`x = { fill = "random", length = "2 * n" }`)
	s.field(t, "args.x.fill").Select.SetSelected("A ramp")
	expect(`fill = "ramp"`)
	s.field(t, "launch.grid").Entry.SetText("n, 2")
	expect(`grid = ["n", 2]`)
	if got := s.field(t, "entry").Select.Options; !slices.Equal(got, []string{"The only one", "scaled", "scaled_slow"}) {
		t.Errorf("entry points: %q", got)
	}
	s.field(t, "reference").Select.SetSelected("None")
	if strings.Contains(y.describe.Text(), "reference") {
		t.Errorf("the reference is still there:\n%s", y.describe.Text())
	}
	s.field(t, "reference").Select.SetSelected("Starlark")
	expect("def y(i):\n    return 0.0\n")
	for range 20 {
		y.describe.TypedShortcut(&fyne.ShortcutUndo{})
	}
	if y.describe.Text() != uitest.ScaledDescription || s.field(t, "sizes.n.value").Entry.Text != "4096" {
		t.Errorf("undone to %q:\n%s", s.field(t, "sizes.n.value").Entry.Text, y.describe.Text())
	}
}

// Running shows the verdict with what must accompany figures; a sweep goes through the sizes.
func TestYoursIsTimed(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) { p.Outcome = outcome() })
	y := s.yours
	y.sweep.SetSelected("Sweep n")
	test.Tap(y.act[doTime])
	s.Desk.Settle()
	if !slices.Contains(s.Session.Own.Asked(), "time auto n") || !y.results.object.Visible() {
		t.Errorf("asked for %q", s.Session.Own.Asked())
	}
	for _, want := range []string{"Correct: its results", "on a CPU, not a GPU’s", "12.0 µs ± 2 %", "4,096 of 4,096 compared", "skipped: atomics add"} {
		if !uitest.Says(y.results.object, want) {
			t.Errorf("%q is not told among %q", want, uitest.Texts(y.results.object))
		}
	}
	r := outcome()
	r.Outputs[0] = app.OwnOutcome{Name: "y", Elements: 4096, Why: "no reference"}
	s.Session.Own.Outcome = r
	test.Tap(y.act[doRun])
	s.Desk.Settle()
	if !uitest.Says(y.results.object, "It ran: not verified") {
		t.Errorf("without a reference %q is told", uitest.Texts(y.results.object))
	}
}

// A job can be stopped, a failure is reported, and problems are marked.
func TestYoursFails(t *testing.T) {
	s := withYours(t, kit.AlwaysLight, uitest.Usual, func(p *uitest.Playground) { p.Hang = true })
	y := s.yours
	test.Tap(y.act[doRun])
	if !y.halt.Visible() || !y.act[doTime].Disabled() {
		t.Error("a job in progress cannot be stopped, or another one can be started")
	}
	test.Tap(y.halt)
	s.Desk.Settle()
	if y.doing != "" || y.halt.Visible() || y.results.verdict.Content != "Stopped" {
		t.Errorf("after Stop: %q, %q", y.doing, y.results.verdict.Content)
	}
	s.Session.Own.Hang, s.Session.Own.Err = false, errors.New("clang was not found")
	test.Tap(y.act[doRun])
	s.Desk.Settle()
	if y.results.about.Content != "Clang was not found." {
		t.Errorf("a failure is told as %q", y.results.about.Content)
	}
	s.Session.Own.Err, s.Session.Own.Outcome = nil, &app.OwnReport{Source: "scaled.metal", Done: true, Problems: []app.OwnProblem{
		{Kind: "race", File: "scaled.metal", Line: 11, Message: "data race on y[1]"},
	}}
	test.Tap(y.act[doRun])
	s.Desk.Settle()
	if y.results.verdict.Content != "Race" || y.problems.Rows() != 1 || !strings.Contains(y.results.about.Content, "Line 11: data race") {
		t.Errorf("a race is told as %q, %q", y.results.verdict.Content, y.results.about.Content)
	}
}

// A kernel is saved, opened, and compared with its saved version; an edit is not discarded without asking.
func TestYoursIsSavedAndCompared(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) {
		p.Stored = map[string]app.OwnKernel{"/k/other.kernel.toml": {Path: "/k/other.kernel.toml", Description: "[launch]\n", Source: "kernel void other() {}\n"}}
		p.Outcome = &app.OwnReport{Done: true, Compared: &app.OwnComparison{
			Base: "scaled", Variant: "scaled", Ratio: app.OwnSpan{Median: 1.25, Lo: 1.2, Hi: 1.3, Bounded: true}, Verdict: stats.Faster,
		}}
	})
	y, chooser := s.yours, &uitest.Chooser{Path: "/k/mine"}
	s.Desk.AskBy(chooser)
	test.Tap(y.save)
	s.Desk.Settle()
	if !slices.Contains(s.Session.Own.Asked(), "save /k/mine.kernel.toml") || y.name.Content != "mine" || !y.save.Disabled() {
		t.Errorf("asked for %q; it is called %q", s.Session.Own.Asked(), y.name.Content)
	}
	y.source.TypedRune(' ')
	if y.name.Content != "mine (edited)" || y.save.Disabled() {
		t.Errorf("edited, it is called %q", y.name.Content)
	}
	test.Tap(y.act[doCompare])
	s.Desk.Settle()
	if !slices.Contains(s.Session.Own.Asked(), "compare auto with /k/mine.kernel.toml") || !uitest.Says(y.results.object, "Faster: 1.25 times as fast as scaled") ||
		!uitest.Says(y.results.object, "Not verified") || !uitest.Says(y.results.object, "B, in the editor") {
		t.Errorf("compared as %q: %q", s.Session.Own.Asked(), uitest.Texts(y.results.object))
	}
	chooser.Path = "/k/other.metal"
	y.open()
	if !s.Desk.Modal() || y.path != "/k/mine.kernel.toml" {
		t.Fatal("an edit would be lost unasked")
	}
	test.Tap(uitest.Button(t, s.Desk.Window.Canvas().Overlays().Top(), "Open"))
	s.Desk.Settle()
	if y.path != "/k/other.kernel.toml" || !strings.Contains(y.source.Text(), "other") {
		t.Errorf("opened is %s", y.path)
	}
	y.broken.SetSelectedIndex(0)
	s.Desk.Settle()
	if y.path != "race.kernel.toml" || y.broken.Selected != "" {
		t.Errorf("opened is %s", y.path)
	}
}

// Saving over other files asks first, and names them.
func TestYoursAsksBeforeItOverwrites(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) { p.Taken = &app.OwnExists{Files: []string{"/k/mine.metal"}} })
	s.Desk.AskBy(&uitest.Chooser{Path: "/k/mine"})
	test.Tap(s.yours.save)
	s.Desk.Settle()
	const saved = "save /k/mine.kernel.toml"
	if !s.Desk.Modal() || slices.Contains(s.Session.Own.Asked(), saved) {
		t.Fatal("files are overwritten unasked")
	}
	question := s.Desk.Window.Canvas().Overlays().Top()
	if !uitest.Says(question, "/k/mine.metal") {
		t.Errorf("asked: %q", uitest.Texts(question))
	}
	test.Tap(uitest.Button(t, question, "Replace"))
	s.Desk.Settle()
	if !slices.Contains(s.Session.Own.Asked(), saved) || s.yours.name.Content != "mine" {
		t.Errorf("asked for %q", s.Session.Own.Asked())
	}
}

// While a run is measured, nothing is compiled; afterward it is.
func TestYoursWaitsForARun(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) { p.Hang = true })
	y := s.yours
	test.Tap(y.act[doTime])
	s.yours.source.TypedRune(' ')
	before := len(s.Session.Own.Asked())
	y.timer.Stop()
	if y.check(); !y.recheck {
		t.Error("a check does not wait for the timing")
	}
	y.cancel()
	s.Desk.Settle() // it ended
	s.Desk.Settle() // the check
	if got := s.Session.Own.Asked(); !slices.Contains(got[before:], "check") {
		t.Errorf("asked for %q", got)
	}
}

// While a run is in progress nothing is compiled, neither for a check nor for a description, but edits are kept; afterward it is
// done.
func TestYoursWaitsForAnyRun(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, nil)
	y, m := s.yours, s.Desk.Model
	m.Current = "copy"
	m.Outcomes["copy"] = &desk.Outcome{Phase: desk.Starting}
	y.update(desk.ChangedRun)
	if !y.suit.Disabled() {
		t.Error("Fit to Source can be asked for")
	}
	before := s.Session.Own.Asked()
	y.source.TypedRune('!')
	s.settle()
	y.fit()
	s.Desk.Settle()
	if got := s.Session.Own.Asked(); len(got) > len(before) {
		t.Errorf("during a run: %q", got[len(before):])
	}
	if draft, _ := y.service.Draft(); !strings.HasPrefix(draft.Source, "!") {
		t.Errorf("kept is %.20q", draft.Source)
	}
	delete(m.Outcomes, "copy")
	y.update(desk.ChangedRun)
	s.Desk.Settle()
	s.settle()
	if got := s.Session.Own.Asked()[len(before):]; !slices.Contains(got, "suggest") || !slices.Contains(got, "check") || y.suit.Disabled() {
		t.Errorf("after the run: %q", got)
	}
}

// The whole part can be used with the keyboard alone.
func TestYoursKeyboard(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) { p.Checked = broken })
	y := s.yours
	reached, pointerOnly := uitest.Controls(s.View.Object)
	for _, want := range []fyne.Focusable{y.example, y.broken, y.save, y.act[doCheck], y.act[doRun], y.act[doTime], y.act[doCompare], y.engine, y.sweep, y.source.Editor, y.problems.TableView} {
		if !slices.Contains(reached, want) {
			t.Errorf("%T is not reached by Tab", want)
		}
	}
	for _, o := range pointerOnly {
		if !strings.HasSuffix(fmt.Sprintf("%T", o), "scrollBarArea") {
			t.Errorf("only the pointer reaches %T", o)
		}
	}
	s.Desk.Window.Canvas().Focus(y.source.Editor)
	if !s.find() || !uitest.Says(s.View.Object, "Source") {
		t.Error("nothing to find in")
	}
	if _, ok := s.Desk.Window.Canvas().Focused().(*kit.Entry); !ok {
		t.Errorf("find focuses %T", s.Desk.Window.Canvas().Focused())
	}
}

// A .metal file without a description is opened with a new one based on its arguments; existing files stay.
func TestYoursIsFittedToItsSource(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, func(p *uitest.Playground) {
		p.Stored = map[string]app.OwnKernel{"/k/new.metal": {Path: "/k/new.kernel.toml", Source: uitest.ScaledSource}}
	})
	y := s.yours
	y.openPath("/k/new.metal")
	s.Desk.Settle() // opened
	s.Desk.Settle() // fitted
	const want = `[sizes]
n = 4096

[args]
x = { fill = "random", length = "n" }
y = { fill = "output", length = "n" }
a = { value = 1 }

[constants]
mode = 1

[launch]
grid = "n"
threadgroup = 64
`
	if got := y.describe.Text(); got != want || y.path != "/k/new.kernel.toml" {
		t.Errorf("%s is described as\n%s", y.path, got)
	}
	if _, problems := y.service.Describe(y.kernel()); len(problems) > 0 {
		t.Errorf("which is wrong: %v", problems)
	}
	y.describe.Change("[sizes]\nm = 8\n[args.old]\nlength = 1\nfill = \"ones\"\n[args]\nx = { fill = \"ramp\", length = \"m\" }\n" + "[launch]\ngroups = 2\nthreadgroup = 32\n")
	y.fit()
	s.Desk.Settle()
	got := y.describe.Text()
	if strings.Contains(got, "old") || !strings.Contains(got, `x = { fill = "ramp", length = "m" }`) || !strings.Contains(got, "groups = 2") || !strings.Contains(got, "a = { value = 1 }") || strings.Contains(got, "n = 4096") {
		t.Errorf("fitted to\n%s", got)
	}
}

// Unsaved edits come back with the next window.
func TestYoursComesBack(t *testing.T) {
	s := withYours(t, kit.AlwaysDark, uitest.Usual, nil)
	s.yours.source.TypedRune('!')
	s.settle()
	s.Desk.Settle() // it was kept
	again := newYours(s.Desk)
	s.Desk.Settle()
	if !strings.HasPrefix(again.source.Text(), "!") || again.isUnchanged() || again.path != "scaled.kernel.toml" {
		t.Errorf("%s comes back as %.40q", again.path, again.source.Text())
	}
	s.yours.source.TypedShortcut(&fyne.ShortcutUndo{})
	s.settle()
	s.Desk.Settle()
	if draft, err := s.yours.service.Draft(); err != nil || draft != (app.OwnKernel{}) {
		t.Errorf("kept is %.60q, %v", draft.Source, err)
	}
}

// Wide intervals are shown without an exponent.
func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{2: "2 %", 0.456: "0.46 %", 12.34: "12 %", 99.4: "99 %", 99.6: "100 %", 123.4: "123 %"} {
		if got := percent(v); got != want {
			t.Errorf("%g: %q, want %q", v, got, want)
		}
	}
}
