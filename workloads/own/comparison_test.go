package own

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/race"
)

// Elements counted as compared were really compared: each once, including the first and the last.
func TestChosenOnce(t *testing.T) {
	for _, c := range []struct{ n, limit int }{{10, 10}, {10, 9}, {10, 2}, {10, 1}, {1, 1}, {2, 1}, {5000, 4096}, {1 << 30, 4096}} {
		all := chosen(c.n, c.limit)
		sorted := slices.Compact(slices.Sorted(slices.Values(all)))
		if len(sorted) != min(c.n, c.limit) || sorted[0] != 0 || sorted[len(sorted)-1] >= c.n {
			t.Errorf("%d of %d: %d different", c.limit, c.n, len(sorted))
		}
		if c.limit > 1 && sorted[len(sorted)-1] != c.n-1 {
			t.Errorf("%d of %d: without the last", c.limit, c.n)
		}
	}
}

// Integers of 64 bits are compared in full precision, even if a reference computes them.
func TestWideIntegers(t *testing.T) {
	if race.On {
		t.Skip("compilers, children and arithmetic: nothing of ours to race with")
	}
	for _, c := range []struct{ element, body, reference, want string }{
		{"long", "x[i] += 9007199254740993L;", "return x_before[i] + 9007199254740993", ""},
		{"long", "x[i] += 9007199254740993L;", "return x_before[i] + 9007199254740992", "is 9007199254740994, want 9007199254740993"},
		{"ulong", "x[i] = ~0ul - i;", "return (1 << 64) - 1 - i", ""},
		{"ulong", "x[i] = ~0ul - i;", "return (1 << 64) - 2 - i", "is 18446744073709551615, want 18446744073709551614"},
		{"ulong", "x[i] = ~0ul - i;", "return 1 << 64", "returned 18446744073709551616, which is no ulong"},
		{"uint", "x[i] = 4000000001u;", "return 4000000000", "is 4000000001, want 4000000000"},
		{"float", "x[i] = 1.0000001f;", "return 1", "is 1.00000012, want 1 ±"},
	} {
		f := broken(c.body, "[reference]\nabs = 0\nstarlark = '''\ndef x(i):\n    "+c.reference+"\n'''\n")
		f.Source = strings.Replace(f.Source, "float", c.element, 1)
		r := do(t, &Job{Do: Running, Kernel: f, Unchecked: true})
		if c.want == "" != r.OK() || c.want != "" && !strings.Contains(r.Problems[0].Message, c.want) {
			t.Errorf("%s %s: %+v", c.element, c.reference, r.Problems)
		}
	}
}
