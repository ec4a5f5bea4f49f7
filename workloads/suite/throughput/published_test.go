package throughput

import (
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// Every row of every table says what was published, by whom and what that omits, and its full size can be launched.
func TestPublishedItemsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range publishedItems() {
		if at := p.table + p.title(full); p.name == "" || seen[p.name] || seen[at] || p.source == "" || p.gaps == "" || len(p.figures) == 0 {
			t.Errorf("%s %q occurs twice, or lacks something: %+v", p.table, p.name, p)
		} else {
			seen[p.name], seen[at] = true, true
		}
		for _, f := range p.figures {
			if !(f.value > 0) || f.most != 0 && f.most <= f.value || f.unit == "" || f.of == "" {
				t.Errorf("%s: %+v", p.name, f)
			}
		}
		plain, better := p.ways(shaders.F16, full)
		for _, steps := range [][]bench.Step{plain, better} {
			if bytes, err := bench.Footprint(steps); err != nil || bytes == 0 {
				t.Errorf("%s: %d B, %v", p.name, bytes, err)
			}
		}
	}
}

func TestPublishedFiguresAreWords(t *testing.T) {
	for want, f := range map[string]figure{
		"8.2 ms (M1 or M2)":                             {value: 8.2e-3, unit: "s", of: "M1 or M2"},
		"491 GFLOP/s (M4 Pro)":                          {value: 491e9, unit: "FLOP/s", of: "M4 Pro"},
		"2× to 5× (throughput of a batch)":              {value: 2, most: 5, unit: "×", of: "throughput of a batch"},
		"about 30 % faster (64 × 64)":                   {value: 30, unit: "%", of: "64 × 64"},
		"100,000 to 1,000,000 elements (the best size)": {value: 1e5, most: 1e6, unit: "elements", of: "the best size"},
		"10,000 elements (the smallest efficient size)": {value: 10_000, unit: "elements", of: "the smallest efficient size"},
	} {
		if got := f.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Published figures are shown only for the shape they apply to.
func TestPublishedFiguresAreOfTheirShape(t *testing.T) {
	for _, tc := range []struct {
		set     workloads.Values
		results int
		says    string
	}{
		{workloads.Values{"tables": all, "scale": 2}, 2 * len(publishedItems()), "No figure was published for this size, which is 2 % of "},
		{workloads.Values{"item": "product-64", "scale": 100}, 2, "Published: 0.43 ms (M4 Pro), 1.2 GFLOP/s (M4 Pro), in Metal GPU Optimization Guide (TensorLogic), which does not state "},
	} {
		b := benchtest.New(t, gputest.Script{})
		if err := b.Run(t.Context(), t, Published(), tc.set); err != nil {
			t.Fatal(err)
		}
		if len(b.Measured) != tc.results || len(b.Findings) != tc.results/2 {
			t.Fatalf("%d results, %d findings", len(b.Measured), len(b.Findings))
		}
		w := Published()
		marks := 0
		for _, c := range w.Charts(b.Measured) {
			for _, s := range c.Model.Series {
				if strings.HasPrefix(s.Name, "published: ") {
					marks += s.Len()
				}
			}
		}
		for _, f := range b.Findings {
			if !strings.Contains(f.Text, tc.says) {
				t.Errorf("%q does not say %q", f.Text, tc.says)
			}
		}
		for i := range b.Measured {
			r := &b.Measured[i]
			published := r.Values.Text(workloads.Published) != "" && r.Values.Text(workloads.PublishedIn) != ""
			if r.Status != workloads.OK || published != (tc.set["scale"] == 100) || published != (marks > 0) || r.Values.Text(workloads.PublishedGaps) == "" {
				t.Errorf("%s, %s: %s, %d marks, %+v", r.Case, r.Variant, r.Failure.Text, marks, r.Values)
			}
		}
	}
}

func TestActivationsStandBesideThePublishedBand(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	w := Elementwise()
	for op, bands := range map[string]int{"add": 0, "gelu": 1} {
		b.Measured = nil
		if err := b.Run(t.Context(), t, w, map[string]any{"op": op, "min_elements": 10, "max_elements": 100, "operands": bench.FromCache}); err != nil {
			t.Fatal(err)
		}
		if c := w.Charts(b.Measured)[0]; len(c.Model.Bands) != bands || c.Y.Title != "Items/s" {
			t.Errorf("%s: %s has the bands %+v", op, c.Title, c.Model.Bands)
		}
	}
}
