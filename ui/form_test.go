package ui

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"assay/workloads"
)

// fieldNamed is the field of a parameter of the form on show.
func fieldNamed(t *testing.T, d *desk, name string) *field {
	t.Helper()
	for _, f := range d.run.form().fields {
		if f.param.Name == name {
			return f
		}
	}
	t.Fatalf("the form of %s has no field %s", d.run.showing, name)
	return nil
}

// chooseNamed chooses a workload by name.
func chooseNamed(t *testing.T, d *desk, name string) {
	t.Helper()
	for i := range d.model.workloads {
		if d.model.workloads[i].Name == name {
			test.Tap(d.run.list.options[i])
			return
		}
	}
	t.Fatalf("no workload %s", name)
}

func enter(f *field, s string) {
	f.entry.SetText("")
	test.Type(f.entry, s)
}

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
			d, s := newTestDesk(t, alwaysLight, 1280, 800)
			f := fieldNamed(t, d, c.field)
			if d.run.head.start.Disabled() {
				t.Fatal("Run is disabled before any input")
			}
			enter(f, c.input)
			if f.note.content != c.message || f.note.color != theme.ColorNameError {
				t.Errorf("beside the field: %q in %s, want %q in the error colour", f.note.content, f.note.color, c.message)
			}
			if d.run.head.status.content != c.message {
				t.Errorf("below the title: %q, want %q", d.run.head.status.content, c.message)
			}
			if !d.run.head.start.Disabled() || !d.menu.run.Disabled {
				t.Error("Run can still be pressed")
			}
			test.Tap(d.run.head.start)
			d.startRun() // as the shortcut would
			d.work.Wait()
			if len(s.requests) != 0 {
				t.Errorf("a run was asked for with bad input: %v", s.requests)
			}
			enter(f, f.param.Format(f.param.Default))
			if d.run.head.start.Disabled() || f.note.content != f.param.About {
				t.Errorf("after a good value Run is disabled %v and the note is %q", d.run.head.start.Disabled(), f.note.content)
			}
		})
	}
}

func TestValuesAtOddsDisableRun(t *testing.T) {
	d, _ := newTestDesk(t, alwaysLight, 1280, 800)
	enter(fieldNamed(t, d, "min_size"), "2048")
	enter(fieldNamed(t, d, "max_size"), "64")
	got := d.run.head.status.content
	if !strings.Contains(got, "Smallest matrix is 2048") || !strings.Contains(got, "Largest matrix, which is 64") {
		t.Errorf("told %q, want both parameters by title with their values", got)
	}
	if !d.run.head.start.Disabled() {
		t.Error("Run can still be pressed")
	}
}

func TestResetAndQuick(t *testing.T) {
	d, _ := newTestDesk(t, alwaysLight, 1280, 800)
	w := d.model.workload()
	enter(fieldNamed(t, d, "min_size"), "100")
	enter(fieldNamed(t, d, "knee"), "oops")
	test.Tap(d.run.head.quick)
	v, err := d.run.form().values()
	if err != nil {
		t.Fatalf("after Quick: %v", err)
	}
	if v.Int("min_size") != 100 || v.Int("max_size") != w.Quick["max_size"] {
		t.Errorf("Quick gave min_size %d and max_size %d, want the user's 100 and the quick %v",
			v.Int("min_size"), v.Int("max_size"), w.Quick["max_size"])
	}
	test.Tap(d.run.reset)
	if v, err = d.run.form().values(); err != nil || w.Check(v) != nil {
		t.Fatalf("after reset: %v", err)
	}
	for name, want := range w.Defaults(true) {
		if v[name] != want {
			t.Errorf("after reset %s is %v, want %v", name, v[name], want)
		}
	}
	test.Tap(d.run.head.quick)
	if v, _ = d.run.form().values(); v.Int("max_size") != w.Defaults(false).Int("max_size") {
		t.Errorf("without Quick max_size is %d, want the default", v.Int("max_size"))
	}
}

func TestSliderAndEntryFollowEachOther(t *testing.T) {
	d, _ := newTestDesk(t, alwaysLight, 1280, 800)
	f := fieldNamed(t, d, "max_size") // log2, 1…4096
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

func TestScaleStaysInRange(t *testing.T) {
	for _, w := range workloads.All() {
		for i := range w.Params {
			p := &w.Params[i]
			if p.Type != workloads.Int && p.Type != workloads.Float {
				continue
			}
			s := newScale(p)
			for _, x := range []float64{s.lo, s.hi, (s.lo + s.hi) / 2, s.lo + s.step, s.lo + (s.hi-s.lo)*0.731} {
				if err := p.Check(s.value(x)); err != nil {
					t.Errorf("%s: slider at %v: %v", w.Name, x, err)
				}
			}
			if at := s.position(p.Default); at < s.lo || at > s.hi {
				t.Errorf("%s: %s: the default %v is at %v, off its slider", w.Name, p.Name, p.Default, at)
			}
		}
	}
}

func TestEveryTypeOfParameterHasAControl(t *testing.T) {
	d, _ := newTestDesk(t, alwaysLight, 1280, 800)
	for i := range d.model.workloads {
		w := &d.model.workloads[i]
		chooseNamed(t, d, w.Name)
		v, err := d.run.form().values()
		if err != nil {
			t.Errorf("%s: the form opens with values that cannot be run: %v", w.Name, err)
			continue
		}
		if len(v) != len(w.Params) {
			t.Errorf("%s: %d values for %d parameters", w.Name, len(v), len(w.Params))
		}
	}
}
