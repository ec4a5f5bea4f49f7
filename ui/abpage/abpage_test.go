package abpage

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/internal/stats"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// stand is the page in a window.
type stand struct {
	*uitest.Stand
	*abPage
}

func open(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := &stand{}
	session := uitest.NewSession()
	session.A, session.B, session.Runs = 2.4e-3, 1.3e-3, t.TempDir()
	s.Stand = uitest.OpenOn(t, session, desk.Page{Build: func(d *desk.Desk) desk.View {
		s.abPage = newPage(d)
		return desk.View{Object: s.object, Update: s.update}
	}}, look, size)
	s.outcome.kept.now = func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local) }
	s.Desk.TakeEngines(session.States)
	s.Desk.Settle()
	return s
}

// set sets a field of a side, or of how to measure.
func set(f *kit.Form, name string, value any) {
	f.Set(map[string]any{name: value})
}

// play runs the measurement to its end.
func (s *stand) play() {
	s.start.OnTapped()
	s.Desk.Settle()
}

// cross asks for a crossover.
func (s *stand) cross() {
	s.ask(whereIsCrossing)
	set(s.hows[whereIsCrossing].form, fieldAlong, "rows")
}

var states = []string{"empty", "how", "running", "faster", "disturbed", "failed", "crossing", "crossed"}

func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := open(t, l.Appearance, l.Size)
	set(s.sides[1].form, fieldVariant, "blocked")
	s.tell()
	switch l.State {
	case "how":
		s.showPart(partHow)
	case "wrong":
		s.showPart(partHow)
		s.hows[0].form.Inputs[0].Entry.SetText("2")
	case "running":
		s.showSoFar(t)
	case "faster":
		s.play()
	case "slower":
		s.Session.B = 3e-3
		s.play()
	case "same":
		s.Session.B = s.Session.A
		s.play()
		s.outcome.which.Choices.Options[1].Tapped(nil)
	case "disturbed":
		s.Session.Disturbs = 3
		s.play()
	case "failed":
		s.Session.AfterRounds, s.Session.RefuseAB = 4, errors.New("metal: the device was lost: a command buffer hung for 10 s")
		s.play()
	case "stopped":
		s.Session.AfterRounds = 4
		s.start.OnTapped()
		s.stop.OnTapped()
		s.Desk.Settle()
	case "crossing":
		s.cross()
		s.showCrossSoFar(t)
	case "crossed":
		s.Session.CrossAt = 190
		s.cross()
		s.play()
	case "nocrossing":
		s.cross()
		s.play()
	case "busy":
		uitest.Play(s.Desk, "running")
	}
	return s.Stand
}

// showSoFar shows a comparison after five rounds.
func (s *stand) showSoFar(t testing.TB) {
	t.Helper()
	plan := s.plan()
	plan.Rounds = 6
	s.cancel = func() {}
	s.outcome.begin(s.of, [2]string{})
	at := 0
	_, err := s.Desk.Session.Tuner.AB(context.Background(), plan, func(r *app.ABResult) {
		if at++; at == 5 {
			r.Plan.Rounds, r.Wanted = 16, 16
			s.outcome.showAB(r, true)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s.tell()
}

// showCrossSoFar shows a bisection after five places.
func (s *stand) showCrossSoFar(t testing.TB) {
	t.Helper()
	s.Session.CrossAt = 190
	s.cancel = func() {}
	s.outcome.begin(s.of, [2]string{})
	at := 0
	_, err := s.Desk.Session.Tuner.Crossover(context.Background(), s.hows[whereIsCrossing].cross(s.plan()), func(r *app.CrossResult) {
		if at++; at == 5 {
			s.outcome.showCross(r, true)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s.tell()
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "faster", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}

// The energy of both sides is shown next to what was compared.
func TestEnergyIsTold(t *testing.T) {
	r := &app.ABResult{Energy: &app.ABEnergy{Why: "B: no counter is known for this device"}}
	if text := evidence(r); !strings.Contains(text, "Energy: not available: B: no counter is known for this device.") {
		t.Errorf("says %q", text)
	}
}

// The request matches the forms: settings, variants, engines, and how to measure. A sweep stands for one place.
func TestAsksForWhatTheFormsSay(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	a, b := s.sides[0].form, s.sides[1].form
	set(a, fieldEngine, "cpu")
	set(b, fieldVariant, "blocked")
	set(b, "dtype", "f16")
	set(b, "max_size", 512)
	set(s.hows[whichIsFaster].form, fieldRounds, "12")
	set(s.hows[whichIsFaster].form, fieldMatters, "2")
	set(s.hows[whichIsFaster].form, fieldTime, "0.5")
	set(s.hows[whichIsFaster].form, fieldEnergy, true)
	s.play()
	asked := s.Session.ABPlans()
	if len(asked) != 1 {
		t.Fatalf("%d comparisons: %s", len(asked), s.about.Content)
	}
	p := asked[0]
	if p.Workload != "batching" || p.A.Engine != "cpu" || p.B.Engine != "auto" || p.B.Variant != "blocked" || p.Rounds != 12 || p.Matters != 0.02 || p.Take.Seconds() != 0.5 || !p.Energy {
		t.Errorf("plan %+v", p)
	}
	if p.A.Params.String("dtype") != "f32" || p.B.Params.String("dtype") != "f16" || p.B.Params.Int("min_size") != 512 || p.B.Params.Int("max_size") != 512 {
		t.Errorf("A %v, B %v", p.A.Params, p.B.Params)
	}
	if v := s.outcome.verdict.Content; v != "B is FASTER than A" {
		t.Errorf("the verdict is %q", v)
	}
	for _, words := range []string{"Number format f16", "variant blocked", "the main one", "engine cpu"} {
		if !strings.Contains(s.about.Content, words) {
			t.Errorf("%q does not say %q", s.about.Content, words)
		}
	}
}

// The place of a sweep follows the search, and the crossing is found and drawn with its interval.
func TestCrossover(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Session.CrossAt = 190
	s.cross()
	s.play()
	asked := s.Session.CrossPlans()
	if len(asked) != 1 || asked[0].Along != "rows" || asked[0].From != 16 || asked[0].To != 1024 || asked[0].Width != 0.05 || asked[0].Rounds != 12 {
		t.Fatalf("asked %+v: %s", asked, s.about.Content)
	}
	m := s.outcome.plot.Model()
	if len(m.Marks) != 1 || m.Marks[0].Lo > 190 || m.Marks[0].Hi < 190 || m.Marks[0].Hi > 1.2*m.Marks[0].Lo {
		t.Errorf("marks %+v, want 190 in a narrow interval", m.Marks)
	}
}

// If an end is uncertain, nothing is concluded, in the headline and in the list of earlier comparisons; a true “no crossing”
// stays one.
func TestCrossoverIsUnsure(t *testing.T) {
	for at, want := range map[int][2]string{
		16: {"UNSURE", "UNSURE"}, 1: {"No crossing between rows 16 and 1,024", "no crossover"}, // 16: A and B are equal at the first end
	} {
		s := open(t, kit.AlwaysDark, uitest.Usual)
		s.Session.CrossAt = at
		s.cross()
		s.play()
		if v := s.outcome.verdict.Content; v != want[0] {
			t.Errorf("%d: %q, %q", at, v, s.outcome.sentence.Content)
		}
		if said := strings.Contains(s.outcome.sentence.Content, "Nothing is concluded"); said != (at == 16) {
			t.Errorf("%d: %q", at, s.outcome.sentence.Content)
		}
		if list := s.outcome.kept.list; len(list) != 1 || brief(list[0]) != want[1] {
			t.Errorf("%d: listed as %q", at, brief(list[0]))
		}
	}
}

// A stopped comparison has no verdict, keeps showing what was measured, and another one can start.
func TestStop(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Session.AfterRounds = 3
	s.start.OnTapped()
	if s.start.Visible() || !s.stop.Visible() || !s.workload.Disabled() {
		t.Error("what is measured can be started, and not stopped")
	}
	s.stop.OnTapped()
	s.Desk.Settle()
	if v := s.outcome.verdict.Content; v != "Stopped before the end" || len(s.outcome.charts) == 0 || !s.start.Visible() {
		t.Errorf("%q, %d charts", v, len(s.outcome.charts))
	}
	s.Session.AfterRounds = 0
	s.play()
	if v := s.outcome.verdict.Content; v != "B is FASTER than A" {
		t.Errorf("then %q", v)
	}
}

// Variants are found by measuring once, and offered to the visible side; a side can be made like the other.
func TestVariants(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.showPart(partB)
	s.find.OnTapped()
	s.Desk.Settle()
	in := s.sides[1].input(fieldVariant)
	if len(in.Options) != 4 || in.Options[3].Value != "blocked" || s.finding {
		t.Fatalf("offered %+v", in.Options)
	}
	if a := s.sides[0].input(fieldVariant); len(a.Options) != 4 {
		t.Errorf("A, with the same settings, is offered %+v", a.Options)
	}
	set(s.sides[0].form, "dtype", "f16")
	s.copy.OnTapped()
	if got := s.sides[1].form.Values()["dtype"]; got != "f16" || !strings.Contains(s.about.Content, "control") {
		t.Errorf("B has %v: %q", got, s.about.Content)
	}
	s.Session.RefuseAB = errors.New("out of memory")
	s.find.OnTapped()
	s.Desk.Settle()
	if s.about.Content != "Out of memory." {
		t.Errorf("the head says %q", s.about.Content)
	}
}

// Nothing can start during a run, or with a field that is not valid; the reason is shown.
func TestCannotBegin(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.hows[whichIsFaster].form.Inputs[0].Entry.SetText("2")
	if !s.start.Disabled() || !strings.Contains(s.about.Content, "from 6 to") {
		t.Errorf("with 2 rounds: %q", s.about.Content)
	}
	s.hows[whichIsFaster].form.Inputs[0].Entry.SetText("6")
	set(s.sides[1].form, fieldProgram, "/nonexistent/assay")
	s.start.OnTapped()
	if !strings.Contains(s.about.Content, "/nonexistent/assay") || len(s.Session.ABPlans()) != 0 {
		t.Errorf("a build that is not there: %q", s.about.Content)
	}
	uitest.Play(s.Desk, "running")
	if !s.start.Disabled() || !strings.Contains(s.about.Content, "run is in progress") {
		t.Errorf("during a run: %q", s.about.Content)
	}
}

// The chart of ratios separates disturbed pairs from the others.
func TestRatioChart(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Session.Disturbs = 3
	s.play()
	m := s.outcome.plot.Model()
	if len(m.Series) != 2 || m.Series[0].Len() != 32 || m.Series[1].Len() != 2 || !m.Series[1].Hollow || len(m.Bands) != 2 {
		t.Errorf("%d series, %d bands", len(m.Series), len(m.Bands))
	}
	r := &app.ABResult{Speedup: stats.Median(nil)}
	if m := ratioModel(r); len(m.Series) != 0 || len(m.Bands) != 0 {
		t.Errorf("without rounds: %+v", m)
	}
}

// The main variant is named once it is measured, until settings change that may affect it. Measured against itself it is a control.
func TestMainVariantIsNamed(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	set(s.sides[1].form, fieldVariant, "tiled 64")
	if !strings.Contains(s.about.Content, "A: the main variant. B: variant tiled 64.") {
		t.Errorf("before it is known: %q", s.about.Content)
	}
	s.play()
	in := s.sides[0].input(fieldVariant)
	if in.Options[0].Title != "The main one (tiled 64)" || in.Select.Selected != in.Options[0].Title || !strings.Contains(s.about.Content, "a control") {
		t.Errorf("offers %+v, has %q: %q", in.Options, in.Select.Selected, s.about.Content)
	}
	set(s.sides[1].form, fieldVariant, "blocked")
	if want := "A: variant tiled 64 (the main one). B: variant blocked."; s.about.Content != want {
		t.Errorf("says %q, want %q", s.about.Content, want)
	}
	set(s.sides[0].form, "max_size", 512)
	s.sides[0].check()
	if in.Options[0].Title != "The main one" {
		t.Errorf("with another case it is still %q", in.Options[0].Title)
	}
}

// Rounds are counted out of the requested number, and disturbed ones do not show which side is faster.
func TestRoundsAreCounted(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	r := &app.ABResult{Plan: app.ABPlan{Rounds: 6}, Wanted: 6, Aside: 4, Speedup: stats.Estimate{Interval: stats.Interval{Median: 1.05, Lo: 1, Hi: 1.1}}}
	s.outcome.showAB(r, true)
	if got := s.outcome.verdict.Content; got != "0 of 6 rounds, plus 4 disturbed" || strings.Contains(s.outcome.sentence.Content, "×") {
		t.Errorf("%q: %q", got, s.outcome.sentence.Content)
	}
	r.Rounds = 1
	s.outcome.showAB(r, true)
	if got := s.outcome.verdict.Content; got != "1 of 6 rounds, plus 4 disturbed" || !strings.Contains(s.outcome.sentence.Content, "So far B is 1.05× faster") {
		t.Errorf("%q: %q", got, s.outcome.sentence.Content)
	}
	for _, side := range []string{"A", "B"} {
		r.Takes = append(r.Takes, app.ABTake{Side: side, Case: "matmul 64", Variant: "naive"})
	}
	s.outcome.showAB(r, true)
	if !strings.Contains(s.outcome.sentence.Content, "the same configuration (matmul 64, naive): a control") {
		t.Errorf("of one configuration: %q", s.outcome.sentence.Content)
	}
}

// The reason for a failure stands in place of the verdict, and not next to text for beginners.
func TestFailureIsToldInPlaceOfTheVerdict(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Session.AfterRounds, s.Session.RefuseAB = 2, errors.New("the device was lost")
	s.play()
	if o := s.outcome; o.verdict.Content != "Not finished" || !strings.Contains(o.sentence.Content, "the device was lost.") || o.empty.Visible() || strings.Contains(s.about.Content, "lost") {
		t.Errorf("%q: %q, the head %q", o.verdict.Content, o.sentence.Content, s.about.Content)
	}
	s.outcome.begin(s.of, [2]string{})
	s.outcome.endAB(nil, errors.New("x"), "No variant “x”.")
	if o := s.outcome; o.sentence.Content != "No variant “x”." || o.empty.Visible() {
		t.Errorf("without a round: %q", o.sentence.Content)
	}
}

// A range for a bisection with nothing between its ends is refused before it starts.
func TestCrossoverRange(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.cross()
	form := s.hows[whereIsCrossing].form
	set(form, fieldFrom, "200")
	set(form, fieldTo, "128")
	s.edited()
	if !s.start.Disabled() || !strings.Contains(s.about.Content, "To must be larger than From") || !uitest.Says(form.Object, "To must be larger than From.") {
		t.Errorf("%q: %q", s.about.Content, uitest.Texts(form.Object))
	}
	set(form, fieldTo, "256")
	s.edited()
	if s.start.Disabled() || uitest.Says(form.Object, "larger than From") {
		t.Errorf("corrected: %q", s.about.Content)
	}
}
