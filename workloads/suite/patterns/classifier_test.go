package patterns

import (
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

func classified(t *testing.T, set workloads.Values) (*benchtest.Rig, map[string]*workloads.Result) {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Classifier(), set); err != nil {
		t.Fatal(err)
	}
	by := map[string]*workloads.Result{}
	for i := range b.Measured {
		by[b.Measured[i].Variant] = &b.Measured[i]
	}
	return b, by
}

// A network learns, and the fewer bits its weights have, the more its decisions change; formats whose blocks do not fit are not
// supported.
func TestClassifierByFormat(t *testing.T) {
	b, by := classified(t, workloads.Values{"width": 32, "max_layers": 2, "examples": 256, "unseen": 256, "steps": 60})
	whole, int8, ternary := by["f32"], by["int8 block 32"], by["ternary block 32"]
	if whole == nil || int8 == nil || ternary == nil {
		t.Fatalf("results %v", by)
	}
	if a := whole.Get(workloads.Accuracy); !(a.Lo > 0.3) || !(a.Hi < 1) || whole.Get(workloads.AccuracyLost).Bounded() {
		t.Errorf("f32: accuracy %v, lost %v", a, whole.Get(workloads.AccuracyLost))
	}
	near, far := int8.Number(workloads.Agreement), ternary.Number(workloads.Agreement)
	if !(near > 0.95) || !(far < near) {
		t.Errorf("agreement %v with int8, %v with ternary weights", near, far)
	}
	lost := int8.Number(workloads.AccuracyLost)
	if want := whole.Number(workloads.Accuracy) - int8.Number(workloads.Accuracy); lost-want > 1e-9 || want-lost > 1e-9 {
		t.Errorf("int8 loses %v, want %v", lost, want)
	}
	if bits := 8 * int8.Number(workloads.Footprint) / float64(sizes{width: 32, layers: 2}.weights()); bits != 10 {
		t.Errorf("int8 takes %v bits per weight, want 8 and a scale and zero point of 64 for 32 weights", bits)
	}
	if k := by["q4_K"]; k == nil || k.Status != workloads.Unsupported || !strings.Contains(k.Failure.Text, "256") {
		t.Errorf("q4_K in rows of 32: %+v", k)
	}
	b.NoLive(t)
}

// The limit determines which format the finding names.
func TestClassifierJudgesAgain(t *testing.T) {
	w := Classifier()
	v := w.Defaults(true).With(workloads.Values{"width": 32, "max_layers": 2, "examples": 256, "unseen": 256, "steps": 60})
	b, _ := classified(t, v)
	v["allowed"] = 20.0
	_, loose := w.Judged(b.Measured, v, v)
	_, strict := w.Judged(b.Measured, v, v.With(workloads.Values{"allowed": 0.0}))
	if len(loose) != 1 || len(strict) != 1 || loose[0].Result == "" || strict[0].Result != "" {
		t.Fatalf("within 20 %% %+v, within 0 %% %+v", loose, strict)
	}
	if !strings.Contains(loose[0].Text, "is the smallest measured format that loses at most 20.0 percentage points") || !strings.Contains(strict[0].Text, "comes closest, with ") {
		t.Errorf("within 20 %% %q, within 0 %% %q", loose[0].Text, strict[0].Text)
	}
}

// A single layer is written in the singular.
func TestClassifierOfOneLayer(t *testing.T) {
	b, _ := classified(t, workloads.Values{"width": 33, "min_layers": 1, "max_layers": 1, "examples": 64, "unseen": 64, "steps": 2})
	if got := b.Measured[0].Case; got != "1 layer of 33" {
		t.Errorf("the case %q", got)
	}
	if len(b.Findings) == 0 || !strings.Contains(b.Findings[0].Text, "A network of 1 layer of 33") {
		t.Errorf("findings %+v", b.Findings)
	}
	if got := layersText(1) + ", " + layersText(4); got != "layer, 4 layers" {
		t.Errorf("a checkpoint every %s", got)
	}
}
