package workloads

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

// Where a buffer was taken is a line of the workload's own, never of what all workloads take buffers by.
func TestBuffersAreTakenByTheirWorkload(t *testing.T) {
	for name, set := range map[string]Values{
		"batching":     {"min_size": 4, "max_size": 4, "width": 8, "layers": 1, "min_batch": 1, "max_batch": 1},
		"fusion":       {"min_size": 4, "max_size": 4, "min_elements": 1024, "max_elements": 1024},
		"quantization": {"rows": 2, "cols": 32, "weights": "normal", "formats": "int8", "min_block": 64, "max_block": 64},
	} {
		w, err := Find(All(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []*Keep{nil, NewKeep(1 << 30)} {
			b := newBench(t, gputest.Script{})
			b.env.Keep = keep
			lines := map[string]bool{}
			b.heard = func(Progress) {
				for _, l := range b.pool.Live() {
					lines[l.Site.String()] = true
					file := filepath.Base(l.Site.File)
					if !strings.HasPrefix(file, w.Name) && file != "subject.go" {
						t.Errorf("%s: %q was taken at %v", w.Name, l.Label, l.Site)
					}
				}
			}
			if err := b.run(context.Background(), t, *w, set); err != nil {
				t.Fatal(err)
			}
			if len(lines) == 0 {
				t.Errorf("%s: buffers were taken at %v, want some line", w.Name, lines)
			}
		}
	}
}
