package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/internal/race"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// Every tunable of the kernels that a workload runs can be set, if the workload has that parameter, and some take effect.
func TestTunablesCoverKernels(t *testing.T) {
	if race.On {
		t.Skip("TestWorkloadsMeasureAndVerify runs the same under the detector")
	}
	found := 0
	for _, w := range All() {
		if _, err := w.Param(bench.Tunables); err != nil {
			continue
		}
		found++
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			var all []string
			for id := range kernelsOf(t, &w, "") {
				all = append(all, settable(t, &w, id)...)
			}
			slices.Sort(all)
			all = slices.Compact(all) // kernels of several formats have the same
			for _, why := range kernelsOf(t, &w, strings.Join(all, ", ")) {
				if strings.HasSuffix(why, " as set") {
					return
				}
			}
			t.Errorf("no kernel has what was set: %v", all)
		})
	}
	if found < 12 {
		t.Errorf("%d workloads have the parameter", found)
	}
}

// What a workload gives as an example takes effect, and it names what it takes.
func TestTunablesExample(t *testing.T) {
	if race.On {
		t.Skip("TestWorkloadsMeasureAndVerify runs the same under the detector")
	}
	for _, w := range All() {
		p, err := w.Param(bench.Tunables)
		if err != nil {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			t.Parallel()
			_, example, _ := strings.Cut(p.About, "such as “")
			example, _, _ = strings.Cut(example, "”")
			name, _, _ := strings.Cut(example, "=")
			if !slices.Contains(p.Names, name) {
				t.Errorf("%q sets none of %q", example, p.Names)
			}
			for _, why := range kernelsOf(t, &w, example) {
				if strings.HasSuffix(why, example+" as set") {
					return
				}
			}
			t.Errorf("no kernel uses %q", example)
		})
	}
}

// kernelsOf returns the kernels that a small run with tunables uses, without their constants, and why each was chosen.
func kernelsOf(t *testing.T, w *workloads.Workload, tunables string) map[string]string {
	t.Helper()
	ran := map[string]string{}
	b := benchtest.New(t, gputest.Script{})
	b.Env.Ran = func(kernels []workloads.KernelChoice) {
		for _, k := range kernels {
			id, _, _ := strings.Cut(k.Kernel, "{")
			ran[id] = k.Why
		}
	}
	if err := b.Run(t.Context(), t, *w, small(w).With(workloads.Values{bench.Tunables: tunables})); err != nil {
		t.Fatal(err)
	}
	return ran
}

// settable checks that each tunable of a kernel can be set to its last value, and returns these settings.
func settable(t *testing.T, w *workloads.Workload, id string) (all []string) {
	t.Helper()
	for _, k := range catalog.All() {
		if own, _, _ := strings.Cut(k.ID(), "{"); own != id {
			continue
		}
		for _, u := range k.Impl.Tunables {
			set := fmt.Sprintf("%s/%s.%s=%d", k.Impl.Op.Name, k.Impl.Name, u.Name, u.Values[len(u.Values)-1])
			if err := w.Check(w.Defaults(true).With(small(w)).With(workloads.Values{bench.Tunables: set})); err != nil {
				t.Errorf("%s: %v", set, err)
			}
			all = append(all, set)
		}
	}
	return all
}
