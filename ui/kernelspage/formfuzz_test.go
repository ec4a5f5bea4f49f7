package kernelspage

import (
	"strconv"
	"strings"
	"testing"

	"assay/app"
	"assay/ui/uitest"
)

// FuzzForm tries the form of any description: what a field shows can be written back without a change, and typing into
// it leaves the other fields as they are.
func FuzzForm(f *testing.F) {
	f.Add(uitest.ScaledDescription, "n / 2")
	f.Add(strings.Replace(described, `fill = "random"`, "fill = \"ramp\"\nlow = -1.5", 1), "\"\\\n")
	playground := &app.Playground{}
	for _, e := range append(playground.Templates(), playground.Gallery()...) {
		f.Add(e.Files.Description, "8, 4")
	}
	f.Fuzz(func(t *testing.T, text, typed string) {
		read := func(text string) ([]entry, bool) {
			d, problems := app.OwnDescribe(app.OwnKernel{Path: "a.kernel.toml", Description: text})
			return entriesOf(text, d, nil), len(problems) == 0
		}
		before, right := read(text)
		if !right || strings.Contains(text, "\r") {
			t.Skip()
		}
		for i, e := range before {
			if e.apply != nil {
				_ = e.apply(text, typed)
				continue
			}
			same := setTOML(text, e.path, e.write(e.value))
			after, right := read(same)
			if !right || len(after) != len(before) {
				t.Fatalf("%s = %q, written back: %q", e.title, e.value, same)
			}
			changed, ok := read(setTOML(text, e.path, e.write(typed)))
			for k := range before {
				if !alike(before[k].value, after[k].value) {
					t.Fatalf("%s = %q, written back, makes %s %q: %q", e.title, e.value, before[k].title, after[k].value, same)
				}
				if ok && len(changed) == len(before) && k != i && !alike(before[k].value, changed[k].value) && before[k].value != "" {
					t.Fatalf("%s = %q changes %s from %q to %q", e.title, typed, before[k].title, before[k].value, changed[k].value)
				}
			}
		}
	})
}

// alike reports whether values are the same, as texts or as numbers.
func alike(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && x == y
}
