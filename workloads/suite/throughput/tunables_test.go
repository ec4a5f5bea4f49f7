package throughput

import (
	"fmt"
	"strings"
	"testing"

	"assay/gpu/gputest"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
)

// kernelsWith returns the kernels of the small softmax of a run with tunables, by variant, and its findings.
func kernelsWith(t *testing.T, tunables string) (map[string]string, []workloads.Finding) {
	t.Helper()
	b := benchtest.New(t, gputest.Script{})
	w := Normalization()
	v := benchtest.Small(&w).With(workloads.Values{"op": "softmax", "compare": all, bench.Tunables: tunables})
	if err := b.Run(t.Context(), t, w, v); err != nil {
		t.Fatal(err)
	}
	kernels := map[string]string{}
	for i := range b.Measured {
		r := &b.Measured[i]
		kernels[r.Variant] = fmt.Sprint(r.Setting("kernel"))
		if r.Status != workloads.OK {
			kernels[r.Variant] = r.Failure.Text
		}
	}
	return kernels, b.Findings
}

// Kernels that have a tunable get its value and say so, the others keep theirs; what a variant sets itself stays.
func TestTunablesOfKernelsCanBeSet(t *testing.T) {
	plain, _ := kernelsWith(t, "")
	wide, findings := kernelsWith(t, "width=8, softmax/plain.threads=64")
	for variant, want := range map[string]string{
		onePass:      "softmax/plain/f32{threads=64,width=8} (threads=64, width=8 as set)",
		"two passes": "softmax/twopass/f32{width=8} (width=8 as set)",
		"1 wide":     "softmax/plain/f32{threads=64,width=1} (threads=64 as set)",
	} {
		if wide[variant] != want || plain[variant] == want {
			t.Errorf("%s: %q, want %q; without tunables %q", variant, wide[variant], want, plain[variant])
		}
	}
	if len(findings) == 0 {
		t.Fatal("no findings")
	}
	for _, f := range findings {
		if !strings.Contains(f.Text, "with width=8, softmax/plain.threads=64") {
			t.Errorf("the finding does not name the tunables: %s", f.Text)
		}
	}
}

// The value for one kernel comes before the one for all, in either order, and findings do not name what no kernel used.
func TestTunablesOfOneKernelComeFirst(t *testing.T) {
	for _, tunables := range []string{"threads=128, softmax/plain.threads=64", "softmax/plain.threads=64, threads=128"} {
		kernels, _ := kernelsWith(t, tunables)
		for variant, want := range map[string]string{onePass: "softmax/plain/f32{threads=64} (threads=64 as set)", "two passes": "softmax/twopass/f32{threads=128} (threads=128 as set)"} {
			if kernels[variant] != want {
				t.Errorf("%s, %s: %q, want %q", tunables, variant, kernels[variant], want)
			}
		}
	}
}

// Findings name only tunables that a kernel used; one that none did is reported as such.
func TestTunablesThatNoKernelUses(t *testing.T) {
	const idle = "No kernel that was measured uses rmsnorm/plain.threads=64."
	_, findings := kernelsWith(t, "width=8, rmsnorm/plain.threads=64")
	told := 0
	for _, f := range findings {
		switch {
		case f.Text == idle:
			told++
		case strings.Contains(f.Text, "threads") || !strings.Contains(f.Text, "with width=8"):
			t.Errorf("the finding does not name what was used: %s", f.Text)
		}
	}
	if told != 1 {
		t.Errorf("%d findings say %q, want one: %v", told, idle, findings)
	}
}

// A value that only some kernels have makes the others unsupported, with the values that they have.
func TestTunablesThatSomeKernelsLack(t *testing.T) {
	w := Attention()
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, w, benchtest.Small(&w).With(workloads.Values{bench.Tunables: "threads=1024"})); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range b.Measured {
		r := &b.Measured[i]
		if r.Status == workloads.Unsupported && strings.Contains(r.Failure.Text, "threads is 1024, want ") {
			refused++
		}
	}
	if refused == 0 {
		t.Errorf("no result says which values its kernel has: %+v", b.Measured)
	}
}

func TestImpossibleTunables(t *testing.T) {
	w := Normalization()
	for words, tunables := range map[string]string{
		`"x": want NAME=NUMBER`:                                                       "x",
		`threads is "many", want a whole number`:                                      "threads=many",
		`threads is "99999999999", want a whole number`:                               "threads=99999999999",
		`"threads=128": threads is set twice`:                                         "threads=64,threads=128",
		`threads is 100, want 32, 64, 128, 256, 512 or 1024`:                          "threads=100",
		`no kernel of this workload has a tunable "thread" (did you mean "threads"?)`: "thread=64",
		`no kernel "softmax/wide" of this workload has a tunable "threads"`:           "softmax/wide.threads=64",
	} {
		err := w.Valid(w.Defaults(true).With(workloads.Values{bench.Tunables: tunables}))
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want one that says %q", tunables, err, words)
		}
	}
	for _, tunables := range []string{"", " , ", "threads = 64", "width=8,rows=2"} {
		if err := w.Valid(w.Defaults(true).With(workloads.Values{bench.Tunables: tunables})); err != nil {
			t.Errorf("%q: %v", tunables, err)
		}
	}
}
