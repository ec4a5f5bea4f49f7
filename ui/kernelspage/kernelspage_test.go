package kernelspage

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/gpu"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// The filter picks by words anywhere, family, type, and what the engine runs, all combined; Clear picks everything again.
func TestFilter(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	all := []string{"scale/plain", "product/tiled", "product/mps", "norm/plain"}
	expect := func(what string, want ...string) {
		t.Helper()
		if got := s.rows(); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", what, got, want)
		}
	}
	words, family, kind := s.filter.Inputs[0].Entry, s.filter.Input("family").Select, s.filter.Input("type").Select
	expect("no filter", all...)
	for _, c := range []struct {
		words string
		want  []string
	}{
		{"product", []string{"product/tiled", "product/mps"}},
		{"HAS_BIAS tiled", []string{"product/tiled"}},
		{"threads", []string{"norm/plain"}},
		{"apple’s mps", []string{"product/mps"}},
		{"scale_f16", []string{"scale/plain"}},
		{"no such", nil},
	} {
		words.SetText(c.words)
		expect(c.words, c.want...)
	}
	if s.body.Visible() || !s.none.Visible() || s.filter.Count.Content != "0 of 4 implementations" {
		t.Errorf("with nothing to list the list is on show %v, and %q is told", s.body.Visible(), s.filter.Count.Content)
	}
	test.Tap(s.filter.Clear)
	expect("Clear", all...)
	if words.Text != "" || s.filter.Clear.Visible() || !s.body.Visible() {
		t.Errorf("after Clear the filter holds %q", words.Text)
	}
	kind.SetSelected("bf16")
	expect("a type", "norm/plain")
	family.SetSelected("Elementwise")
	expect("a type and a family without it")
	kind.SetSelected("All types")
	expect("a family", "scale/plain")
	family.SetSelected("All families")
	s.filter.Input("runs").Check.SetChecked(true)
	expect("what runs", "scale/plain", "product/tiled", "norm/plain")
}

// The engine of the next run is asked, unless another is chosen; the list and the details show its answer.
func TestSupport(t *testing.T) {
	s := openEarly(t, kit.AlwaysLight, uitest.Usual)
	if !uitest.Says(s.View.Object, "still being looked for") || s.filter.Input("runs").Check.Visible() {
		t.Errorf("before the engines were found: %q", uitest.Texts(s.View.Object))
	}
	s.Desk.TakeEngines(s.Session.States)
	s.Desk.Settle()
	if !uitest.Says(s.View.Object, "CPU runs 5 of them") {
		t.Errorf("told is %q", s.about.Content)
	}
	runs := map[string]string{}
	for _, row := range uitest.Cells(s.list.TableView)[1:] {
		runs[row[0]+"/"+row[1]] = row[2] + "; " + row[len(row)-1]
	}
	for id, want := range map[string]string{
		"scale/plain": "Yes; ", "product/mps": "No; the CPU engine does not have MPS",
		"norm/plain": "f32; bf16: the CPU engine has no C code for it",
	} {
		if runs[id] != want {
			t.Errorf("%s: %q, want %q", id, runs[id], want)
		}
	}
	s.choose(t, "norm/plain")
	for _, want := range []string{"Runs on CPU.", "Not on CPU: the CPU engine has no C code for it. Needs bfloat."} {
		if !uitest.Says(s.detail.object, want) {
			t.Errorf("%q is not told among %q", want, uitest.Texts(s.detail.object))
		}
	}
}

// With several engines one can be chosen; if one cannot be opened, the page says so and shows nothing as running.
func TestEngineIsChosen(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	menu := s.filter.Input("engine").Select
	if menu.Visible() {
		t.Error("with one engine there is something to choose")
	}
	states := slices.Clone(s.Session.States)
	states[0] = app.EngineState{Name: "metal", Title: "Metal", Available: true, Info: gpu.Info{Device: "Test GPU"}}
	s.Desk.TakeEngines(states) // auto takes the first
	s.Desk.Settle()
	if !menu.Visible() || !strings.Contains(s.about.Content, "not known: engine metal is not available") || s.known() {
		t.Errorf("with an engine that cannot be asked: %q", s.about.Content)
	}
	menu.SetSelected("CPU")
	s.Desk.Settle()
	if !strings.Contains(s.about.Content, "CPU runs 5 of them") {
		t.Errorf("with another one chosen: %q", s.about.Content)
	}
	menu.SetSelected("Next engine")
	s.Desk.Settle()
	s.Desk.SetEngine("cpu")
	s.Desk.Settle()
	if !strings.Contains(s.about.Content, "CPU runs 5 of them") {
		t.Errorf("with the next run on the CPU: %q", s.about.Content)
	}
}

// The chosen kernel's source is shown file by file, and copied whole or by selection; a library has none.
func TestSource(t *testing.T) {
	s := open(t, kit.AlwaysLight, uitest.Usual)
	s.choose(t, "product/tiled")
	file := s.kernels[1].Files[0]
	if s.source.code.Text() != file.Text || s.source.file.Selected != file.Name {
		t.Errorf("%s shows %.60q", s.source.file.Selected, s.source.code.Text())
	}
	test.Tap(s.source.copy)
	if got := s.Desk.App.Clipboard().Content(); got != file.Text {
		t.Errorf("%.60q was copied", got)
	}
	s.source.file.SetSelected("common.h")
	if !strings.HasPrefix(s.source.code.Text(), "#include <metal_stdlib>") {
		t.Errorf("the header shows %.60q", s.source.code.Text())
	}
	s.filter.Inputs[0].Entry.SetText("norm") // other kernels take the places of the earlier ones
	if want := s.kernels[3].Files[0]; s.source.code.Text() != want.Text || s.source.file.Selected != want.Name {
		t.Errorf("with norm picked %s shows %.60q", s.source.file.Selected, s.source.code.Text())
	}
	s.filter.Reset()
	s.choose(t, "product/mps")
	if s.source.code.Visible() && s.source.with.Visible() || !uitest.Says(s.source.object, "No source: Apple’s MPS.") {
		t.Errorf("the library's source is %q", uitest.Texts(s.source.object))
	}
}

// The details show arguments with access, type and condition, constants, tunables and launch.
func TestDetail(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	for id, want := range map[string][]string{
		"product/tiled": {"out[m,n] = a[m,k] · b", "product_f16", "f32, f16, if has_bias", "transpose_b", "0 to 1", "B is stored as [n,k].", "up to 256 in a threadgroup"},
		"norm/plain":    {"in and out", "Threads that share a row. One of 32, 64, 128, 256, 1,024.", "up to 128 B as an argument"},
		"product/mps":   {"Apple’s MPS decides."},
	} {
		s.choose(t, id)
		for _, words := range want {
			if !uitest.Says(s.detail.object, words) {
				t.Errorf("%s: %q is not told among %q", id, words, uitest.Texts(s.detail.object))
			}
		}
	}
}

// The list, the source and everything else can be used with the keyboard alone.
func TestKeyboard(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	reached, pointerOnly := uitest.Controls(s.View.Object)
	for _, want := range []fyne.Focusable{
		s.filter.Inputs[0].Entry, s.filter.Input("family").Select, s.filter.Input("type").Select, s.filter.Input("runs").Check,
		s.list.TableView, s.detail.scroll, s.source.file, s.source.copy, s.source.code.Editor,
	} {
		if !slices.Contains(reached, want) {
			t.Errorf("%T is not reached by Tab", want)
		}
	}
	if len(pointerOnly) > 0 {
		t.Errorf("only the pointer reaches %v", pointerOnly)
	}
	s.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	if s.detail.title.Content != "product/tiled" {
		t.Errorf("after Down it tells of %s", s.detail.title.Content)
	}
	s.list.TypedShortcut(&fyne.ShortcutCopy{})
	if got := s.Desk.App.Clipboard().Content(); got != "product/tiled" {
		t.Errorf("%q was copied from the list", got)
	}
}

// The chosen kernel stays chosen while others are filtered out, and the order is remembered.
func TestChoiceAndOrder(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.choose(t, "norm/plain")
	s.filter.Inputs[0].Entry.SetText("n")
	s.filter.Inputs[0].Entry.SetText("norm")
	if s.detail.title.Content != "norm/plain" {
		t.Errorf("it tells of %s", s.detail.title.Content)
	}
	s.filter.Reset()
	s.list.OnSorted(0)
	if column, descending := s.Desk.Settings.Order("kernels"); column != "Operation" || descending {
		t.Errorf("remembered is %q, %v", column, descending)
	}
	if got := s.rows(); got[0] != "norm/plain" {
		t.Errorf("by operation: %q", got)
	}
}
