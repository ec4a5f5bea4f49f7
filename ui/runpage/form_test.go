package runpage

import (
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads/suite"
)

func TestBadInputDisablesRun(t *testing.T) {
	uitest.Alone(t)
	for _, c := range []struct{ field, input, message string }{
		{"min_size", "5000", "Smallest matrix must be a whole number from 1 to 4,096 rows (you entered 5000)"},
		{"min_size", "0", "Smallest matrix must be a whole number from 1 to 4,096 rows (you entered 0)"},
		{"min_size", "x", "Smallest matrix must be a whole number from 1 to 4,096 rows (you entered x)"},
		{"layers", "2.5", "MLP layers must be a whole number from 1 to 16 layers (you entered 2.5)"},
		{"knee", "NaN", "Knee must be a number from 0.5 to 0.99 of best (you entered NaN)"},
		{"knee", "1e99", "Knee must be a number from 0.5 to 0.99 of best (you entered 1e99)"},
		{"knee", "", "Knee must be a number from 0.5 to 0.99 of best (you entered nothing)"},
	} {
		t.Run(c.field+"="+c.input, func(t *testing.T) {
			p := open(t, kit.AlwaysLight)
			f, r := fieldNamed(t, p, c.field), rowNamed(t, p, c.field)
			if p.head.start.Disabled() {
				t.Fatal("Run is disabled before any input")
			}
			about := r.Note.Content
			enter(f, c.input)
			if r.Note.Content != c.message || r.Note.Color != theme.ColorNameError {
				t.Errorf("beside the field: %q in %s, want %q in the error color", r.Note.Content, r.Note.Color, c.message)
			}
			if p.head.status.Content != c.message {
				t.Errorf("below the title: %q, want %q", p.head.status.Content, c.message)
			}
			if !p.head.start.Disabled() || p.desk.Model.Problem() == "" {
				t.Error("Run can still be pressed")
			}
			test.Tap(p.head.start)
			p.desk.StartRun() // as the shortcut would
			p.desk.Wait()
			if len(p.session.Requests()) != 0 {
				t.Errorf("a run was asked for with bad input: %v", p.session.Requests())
			}
			enter(f, f.Write(p.desk.Model.Workload().Defaults(false)[c.field]))
			if p.head.start.Disabled() || r.Note.Content != about {
				t.Errorf("after a good value Run is disabled %v and the note is %q", p.head.start.Disabled(), r.Note.Content)
			}
		})
	}
}

func TestValuesAtOddsDisableRun(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	enter(fieldNamed(t, p, "min_size"), "2048")
	enter(fieldNamed(t, p, "max_size"), "64")
	got := p.head.status.Content
	if note := rowNamed(t, p, "min_size").Note; note.Content != got || note.Color != theme.ColorNameError {
		t.Errorf("at the row: %q in %s, want %q marked", note.Content, note.Color, got)
	}
	if note := rowNamed(t, p, "knee").Note; note.Color == theme.ColorNameError {
		t.Errorf("at a row that is right: %q", note.Content)
	}
	if !strings.Contains(got, "Smallest matrix is 2,048") || !strings.Contains(got, "Largest matrix, which is 64") {
		t.Errorf("told %q, want both parameters by title with their values", got)
	}
	if !p.head.start.Disabled() {
		t.Error("Run can still be pressed")
	}
}

func TestResetAndQuick(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	w := p.desk.Model.Workload()
	enter(fieldNamed(t, p, "min_size"), "100")
	enter(fieldNamed(t, p, "knee"), "oops")
	test.Tap(p.head.quick)
	v, err := p.form().values()
	if err != nil {
		t.Fatalf("after Quick: %v", err)
	}
	if v.Int("min_size") != 100 || v.Int("max_size") != w.Quick["max_size"] {
		t.Errorf("Quick gave min_size %d and max_size %d, want the user's 100 and the quick %v",
			v.Int("min_size"), v.Int("max_size"), w.Quick["max_size"])
	}
	test.Tap(p.presets.reset)
	if v, err = p.form().values(); err != nil || w.Check(v) != nil {
		t.Fatalf("after reset: %v", err)
	}
	for name, want := range w.Defaults(true) {
		if v[name] != want {
			t.Errorf("after reset %s is %v, want %v", name, v[name], want)
		}
	}
	test.Tap(p.head.quick)
	if v, _ = p.form().values(); v.Int("max_size") != w.Defaults(false).Int("max_size") {
		t.Errorf("without Quick max_size is %d, want the default", v.Int("max_size"))
	}
}

func TestSliderAndEntryFollowEachOther(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	f := fieldNamed(t, p, "width") // log2, 8…4096
	f.Slider.SetValue(4)           // 2⁷
	if f.Entry.Text != "128" || f.Value != 128 {
		t.Errorf("slider at 4: entry %q, value %v, want 128", f.Entry.Text, f.Value)
	}
	enter(f, "100") // between two stops
	if f.Value != 100 || f.Slider.Value < 3 || f.Slider.Value > 4 {
		t.Errorf("entry 100: value %v, slider at %v, want 100 and between 3 and 4", f.Value, f.Slider.Value)
	}
	if f.Entry.Text != "100" {
		t.Errorf("the slider rewrote the entry to %q", f.Entry.Text)
	}
}

func TestRangeAndEntriesFollowEachOther(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	r, lo, hi := rowNamed(t, p, "min_size"), fieldNamed(t, p, "min_size"), fieldNamed(t, p, "max_size")
	if r != rowNamed(t, p, "max_size") || r.Title.Content != "Matrix" || r.Range.Lo != 6 || r.Range.Hi != 11 {
		t.Fatalf("the range of %q stands at %v to %v, want Matrix at 6 to 11", r.Title.Content, r.Range.Lo, r.Range.Hi)
	}
	r.Range.OnChanged(3, 11)
	if lo.Entry.Text != "8" || lo.Value != 8 || hi.Value != 2048 {
		t.Errorf("after the lower thumb moved: %v to %v, want 8 to 2048", lo.Value, hi.Value)
	}
	enter(hi, "100")
	if hi.Value != 100 || r.Range.Hi < 6 || r.Range.Hi > 7 || lo.Value != 8 {
		t.Errorf("after 100 was typed: %v to %v, upper thumb at %v", lo.Value, hi.Value, r.Range.Hi)
	}
}

func TestEveryTypeOfParameterHasAControl(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysLight)
	for i := range p.desk.Model.Workloads {
		w := &p.desk.Model.Workloads[i]
		chooseNamed(t, p, w.Name)
		v, err := p.form().values()
		if err != nil {
			t.Errorf("%s: the form opens with values that cannot be run: %v", w.Name, err)
			continue
		}
		if len(v) != len(w.Params) {
			t.Errorf("%s: %d values for %d parameters", w.Name, len(v), len(w.Params))
		}
	}
}

// Large numbers are written in groups of three, and read with and without.
func TestLargeNumbersAreGrouped(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	chooseNamed(t, p, "fusion")
	f := fieldNamed(t, p, "max_elements")
	f.Set(10_000_000)
	if f.Entry.Text != "10,000,000" {
		t.Errorf("written %q", f.Entry.Text)
	}
	for _, s := range []string{f.Entry.Text, "2 000 000", "2,000,000", "2000000"} {
		f.Entry.SetText("")
		f.Entry.SetText(s)
		if want, _ := strconv.Atoi(strings.NewReplacer(" ", "", ",", "").Replace(s)); f.Err != nil || f.Value != want {
			t.Errorf("%q is %v, %v", s, f.Value, f.Err)
		}
	}
}

// A range has one explanation, not one for each end.
func TestRangesHaveOneSentence(t *testing.T) {
	for _, w := range suite.All() {
		for _, s := range w.Sweeps {
			if strings.Count(s.About, ".") != 1 {
				t.Errorf("%s, %s: %q", w.Name, s.Axis, s.About)
			}
		}
	}
}

// Every workload's name and fields are uncut: in the smallest window, and with the largest text in a window of the default size.
func TestEveryWorkloadFits(t *testing.T) {
	uitest.Pictures(t)
	for text, size := range map[int]fyne.Size{kit.UsualTextSize: uitest.Smallest, kit.MaxTextSize: uitest.Usual} {
		session := uitest.NewSession()
		session.Offers = suite.All()
		s := uitest.OpenOn(t, session, desk.Page{Build: New}, kit.AlwaysLight, size)
		s.Desk.App.Settings().SetTheme(kit.NewSizedLook(kit.AlwaysLight, text))
		uitest.Ticks(s.Desk, 30)
		for i := range s.Desk.Model.Workloads {
			s.Desk.Choose(i)
			s.View.Update(desk.ChangedAll)
			s.Desk.Window.Resize(size)
			t.Run(s.Desk.Model.Workloads[i].Name, func(t *testing.T) { uitest.CheckClipping(t, s.View.Object, size) })
		}
	}
}
