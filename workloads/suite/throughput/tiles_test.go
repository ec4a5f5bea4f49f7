package throughput

import (
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench/benchtest"
)

// For all kernels, each of their tiles is measured; for a single one, each tile entered, and the error for one it lacks lists those it
// has.
func TestTiles(t *testing.T) {
	for name, tc := range map[string]struct {
		set     workloads.Values
		want    []string
		refused string // why the last one is rejected; empty: it is not
		kernel  string // of the last one
	}{
		"all": {
			workloads.Values{},
			[]string{"tiled 64", "tiled 16", "tiled 32", "blocked 64", "blocked 128", "blocked 256", "simd 32", "simd 64"},
			"", "matmul/simd/f32",
		},
		"deep":    {workloads.Values{"compare": "blocked", "min_tile": 128, "max_tile": 128, "depth": 32}, []string{"tiled 64", "blocked 128"}, "", "matmul/blocked/f32{tile_cols=128,tile_depth=32,tile_rows=128}"},
		"entered": {workloads.Values{"compare": "blocked", "min_tile": 256, "max_tile": 300}, []string{"tiled 64", "blocked 256", "blocked 300"}, " is 300, want 64, 128 or 256", ""},
	} {
		b := benchtest.New(t, gputest.Script{})
		set := workloads.Values{"size": 8}
		if err := b.Run(t.Context(), t, Tiles(), set.With(tc.set)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range b.Measured {
			got = append(got, r.Variant)
		}
		last := &b.Measured[len(b.Measured)-1]
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: variants %q, want %q", name, got, tc.want)
		}
		if kernel, _ := last.Setting("kernel").(string); kernel != tc.kernel {
			t.Errorf("%s: by %s, want %s", name, kernel, tc.kernel)
		}
		if refused := last.Status == workloads.Unsupported; refused != (tc.refused != "") || !strings.Contains(last.Failure.Text, tc.refused) {
			t.Errorf("%s: %s is %s: %s", name, last.Variant, last.Status, last.Failure.Text)
		}
		if tc.refused == "" && (len(b.Findings) != 1 || b.Findings[0].Kind != workloads.KindLeaders) {
			t.Errorf("%s: findings %+v", name, b.Findings)
		}
	}
}

func TestTilesThatNoKernelHas(t *testing.T) {
	w := Tiles()
	for want, set := range map[string]workloads.Values{
		"depth is 5, want 8, 16 or 32, or 0": {"depth": 5},
		"min_tile is 512 and max_tile 1,024, but none of the compared kernels has such tiles: they have tiles of 16": {"min_tile": 512, "max_tile": 1024},
		"they have tiles of 64, 128 or 256": {"compare": "blocked", "min_tile": 96, "max_tile": 96},
	} {
		if err := w.Check(w.Defaults(false).With(set)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", set, err, want)
		}
	}
}
