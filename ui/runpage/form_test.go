package runpage

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/ui/kit"
	"assay/workloads/suite"
)

func TestBadInputDisablesRun(t *testing.T) {
	for _, c := range []struct{ field, input, message string }{
		{"min_size", "5000", "Smallest matrix is 5000, want a whole number from 1 to 4096 rows"},
		{"min_size", "0", "Smallest matrix is 0, want a whole number from 1 to 4096 rows"},
		{"min_size", "x", `Smallest matrix is "x", want a whole number from 1 to 4096 rows`},
		{"layers", "2.5", `MLP layers is "2.5", want a whole number from 1 to 16 layers`},
		{"knee", "NaN", "Knee is NaN, want a number from 0.5 to 0.99 of best"},
		{"knee", "1e99", "Knee is 1e+99, want a number from 0.5 to 0.99 of best"},
		{"knee", "", `Knee is "", want a number from 0.5 to 0.99 of best`},
	} {
		t.Run(c.field+"="+c.input, func(t *testing.T) {
			p := open(t, kit.AlwaysLight)
			f, r := fieldNamed(t, p, c.field), rowNamed(t, p, c.field)
			if p.head.start.Disabled() {
				t.Fatal("Run is disabled before any input")
			}
			enter(f, c.input)
			if r.note.Content != c.message || r.note.Color != theme.ColorNameError {
				t.Errorf("beside the field: %q in %s, want %q in the error colour", r.note.Content, r.note.Color, c.message)
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
			enter(f, f.param.Format(f.param.Default))
			if p.head.start.Disabled() || r.note.Content != r.about() {
				t.Errorf("after a good value Run is disabled %v and the note is %q", p.head.start.Disabled(), r.note.Content)
			}
		})
	}
}

func TestValuesAtOddsDisableRun(t *testing.T) {
	p := open(t, kit.AlwaysLight)
	enter(fieldNamed(t, p, "min_size"), "2048")
	enter(fieldNamed(t, p, "max_size"), "64")
	got := p.head.status.Content
	if note := rowNamed(t, p, "min_size").note; note.Content != got || note.Color != theme.ColorNameError {
		t.Errorf("at the row: %q in %s, want %q marked", note.Content, note.Color, got)
	}
	if note := rowNamed(t, p, "knee").note; note.Color == theme.ColorNameError {
		t.Errorf("at a row that is right: %q", note.Content)
	}
	if !strings.Contains(got, "Smallest matrix is 2048") || !strings.Contains(got, "Largest matrix, which is 64") {
		t.Errorf("told %q, want both parameters by title with their values", got)
	}
	if !p.head.start.Disabled() {
		t.Error("Run can still be pressed")
	}
}

func TestResetAndQuick(t *testing.T) {
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
	p := open(t, kit.AlwaysLight)
	f := fieldNamed(t, p, "width") // log2, 8…4096
	f.slider.SetValue(4)           // 2⁷
	if f.entry.Text != "128" || f.value != 128 {
		t.Errorf("slider at 4: entry %q, value %v, want 128", f.entry.Text, f.value)
	}
	enter(f, "100") // between two stops
	if f.value != 100 || f.slider.Value < 3 || f.slider.Value > 4 {
		t.Errorf("entry 100: value %v, slider at %v, want 100 and between 3 and 4", f.value, f.slider.Value)
	}
	if f.entry.Text != "100" {
		t.Errorf("the slider rewrote the entry to %q", f.entry.Text)
	}
}

func TestRangeAndEntriesFollowEachOther(t *testing.T) {
	p := open(t, kit.AlwaysLight)
	r, lo, hi := rowNamed(t, p, "min_size"), fieldNamed(t, p, "min_size"), fieldNamed(t, p, "max_size")
	if r != rowNamed(t, p, "max_size") || r.title.Content != "Matrix" || r.span.Lo != 6 || r.span.Hi != 11 {
		t.Fatalf("the range of %q stands at %v to %v, want Matrix at 6 to 11", r.title.Content, r.span.Lo, r.span.Hi)
	}
	r.span.OnChanged(3, 11)
	if lo.entry.Text != "8" || lo.value != 8 || hi.value != 2048 {
		t.Errorf("after the lower thumb moved: %v to %v, want 8 to 2048", lo.value, hi.value)
	}
	enter(hi, "100")
	if hi.value != 100 || r.span.Hi < 6 || r.span.Hi > 7 || lo.value != 8 {
		t.Errorf("after 100 was typed: %v to %v, upper thumb at %v", lo.value, hi.value, r.span.Hi)
	}
}

func TestEveryTypeOfParameterHasAControl(t *testing.T) {
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
	f.set(10_000_000)
	if f.entry.Text != "10\u00a0000\u00a0000" {
		t.Errorf("written %q", f.entry.Text)
	}
	for _, s := range []string{f.entry.Text, "2 000 000", "2000000"} {
		f.entry.SetText("")
		f.entry.SetText(s)
		if want, _ := f.param.Parse(strings.NewReplacer(" ", "", "\u00a0", "").Replace(s)); f.err != nil || f.value != want {
			t.Errorf("%q is %v, %v", s, f.value, f.err)
		}
	}
}

// A range is explained in one sentence, not in one for each end.
func TestRangesHaveOneSentence(t *testing.T) {
	for _, w := range suite.All() {
		for _, s := range w.Sweeps {
			if strings.Count(s.About, ".") != 1 {
				t.Errorf("%s, %s: %q", w.Name, s.Axis, s.About)
			}
		}
	}
}
