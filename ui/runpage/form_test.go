package runpage

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/ui/kit"
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
			f := fieldNamed(t, p, c.field)
			if p.head.start.Disabled() {
				t.Fatal("Run is disabled before any input")
			}
			enter(f, c.input)
			if f.note.Content != c.message || f.note.Color != theme.ColorNameError {
				t.Errorf("beside the field: %q in %s, want %q in the error colour", f.note.Content, f.note.Color, c.message)
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
			if p.head.start.Disabled() || f.note.Content != f.param.About {
				t.Errorf("after a good value Run is disabled %v and the note is %q", p.head.start.Disabled(), f.note.Content)
			}
		})
	}
}

func TestValuesAtOddsDisableRun(t *testing.T) {
	p := open(t, kit.AlwaysLight)
	enter(fieldNamed(t, p, "min_size"), "2048")
	enter(fieldNamed(t, p, "max_size"), "64")
	got := p.head.status.Content
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
	test.Tap(p.reset)
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
	f := fieldNamed(t, p, "max_size") // log2, 1…4096
	f.slider.SetValue(7)              // 2⁷
	if f.entry.Text != "128" || f.value != 128 {
		t.Errorf("slider at 7: entry %q, value %v, want 128", f.entry.Text, f.value)
	}
	enter(f, "100") // between two stops
	if f.value != 100 || f.slider.Value < 6 || f.slider.Value > 7 {
		t.Errorf("entry 100: value %v, slider at %v, want 100 and between 6 and 7", f.value, f.slider.Value)
	}
	if f.entry.Text != "100" {
		t.Errorf("the slider rewrote the entry to %q", f.entry.Text)
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
