package workloads

import (
	"errors"
	"testing"
)

// A chosen sweep does without the parameters of the others; "all" uses those of each.
func TestUnused(t *testing.T) {
	w := twoSweeps()
	w.Params[5].Sweeps = []string{"m"} // the batch
	for _, c := range []struct{ kind, param, want string }{
		{"all", "max_n", ""},
		{"all", "batch", ""},
		{"a", "max_n", ""},
		{"a", "kind", ""},
		{"a", "min_m", "not used while Kind is a"},
		{"a", "batch", "not used while Kind is a"},
		{"b", "batch", ""},
	} {
		p, err := w.Param(c.param)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Unused(p, w.Defaults(false).With(Values{"kind": c.kind})); got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.param, c.kind, got, c.want)
		}
	}
	w.Params[5].Applies = func(v Values) error {
		if v["kind"] == "a" {
			return errors.New("a has no batch")
		}
		return nil
	}
	batch := &w.Params[5]
	if got := w.Unused(batch, w.Defaults(false).With(Values{"kind": "a"})); got != "a has no batch" {
		t.Errorf("of a: %q", got)
	}
	if got := w.Unused(batch, w.Defaults(false)); got != "" {
		t.Errorf("b uses it, and so do all: %q", got)
	}
}

func TestSettingAndChanged(t *testing.T) {
	w := twoSweeps()
	w.Params[5].Sweeps = []string{"m"}
	v := w.Defaults(false)
	if got := w.Setting(v.With(Values{"kind": "a"})) + "|" + w.Setting(v.With(Values{"kind": "b", "batch": 3})); got != "|batch 3" {
		t.Errorf("settings %q", got)
	}
	if got := w.Setting(nil); got != "" {
		t.Errorf("of no values: %q", got)
	}
	if !w.SameSetting(v, v.With(Values{"kind": "b"})) || w.SameSetting(v, v.With(Values{"kind": "b", "batch": 3})) {
		t.Error("a run of all kinds has the settings of its cases, and no others")
	}
	if got := w.Changed(v, false); got != "" {
		t.Errorf("defaults differ from the defaults: %q", got)
	}
	if got, want := w.Changed(v.With(Values{"kind": "a", "max_n": 64, "batch": 3}), false), "kind a, n 1 to 64, batch 3"; got != want {
		t.Errorf("changed %q, want %q", got, want)
	}
}
