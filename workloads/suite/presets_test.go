package suite

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"assay/workloads"
	"assay/workloads/suite/controls"
)

func TestPresets(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	for _, w := range measuring(t) {
		if len(w.Presets) < 2 {
			t.Errorf("%s has %d presets", w.Name, len(w.Presets))
		}
		var seen []workloads.Values
		for _, p := range w.Presets {
			v, err := w.Preset(p.Name)
			if err == nil {
				err = w.Check(v)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", w.Name, p.Name, err)
				continue
			}
			if reflect.DeepEqual(v, w.Defaults(false)) {
				t.Errorf("%s: preset %s is the defaults", w.Name, p.Name)
			}
			for _, other := range seen {
				if reflect.DeepEqual(v, other) {
					t.Errorf("%s: preset %s is like another", w.Name, p.Name)
				}
			}
			seen = append(seen, v)
			if !name.MatchString(p.Name) || p.Title == "" || !strings.ContainsAny(p.About[len(p.About)-1:], ".?") {
				t.Errorf("%s: preset %+v lacks a proper name, a title or a sentence", w.Name, p)
			}
		}
		if _, err := w.Preset("none"); err == nil || !strings.Contains(err.Error(), w.Presets[0].Name) {
			t.Errorf("%s: unknown preset: %v", w.Name, err)
		}
	}
	leak := controls.Leak()
	if _, err := leak.Preset("quick-look"); err == nil || !strings.Contains(err.Error(), "has no presets") {
		t.Errorf("leak: %v", err)
	}
}

// Forms are generated from the parameters: each has what a form needs.
func TestParamsDescribeThemselves(t *testing.T) {
	for _, w := range All() {
		for _, p := range w.Params {
			if p.Title == "" || !strings.ContainsAny(p.About[len(p.About)-1:], ".?") || strings.Count(p.About, ".") > 1+strings.Count(p.About, ".safetensors")+strings.Count(p.About, ".gguf") {
				t.Errorf("%s, %s: title %q, about %q; want a title and one sentence", w.Name, p.Name, p.Title, p.About)
			}
			number := p.Type == workloads.Int || p.Type == workloads.Float
			if number && (p.Unit == "" || p.Min >= p.Max || p.Log2 && p.Min <= 0) {
				t.Errorf("%s, %s: from %g to %g %q, powers of two: %v", w.Name, p.Name, p.Min, p.Max, p.Unit, p.Log2)
			}
			if err := p.Check(p.Default); err != nil {
				t.Errorf("%s: default: %v", w.Name, err)
			}
		}
	}
}
