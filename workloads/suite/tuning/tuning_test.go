package tuning

import (
	"math"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
)

// rig is an engine on which each kernel takes a multiple of its usual time.
func rig(t *testing.T, factor func(k *shaders.Kernel) float64, wrong func(k *shaders.Kernel) bool) *benchtest.Rig {
	t.Helper()
	b := benchtest.On(t, &gputest.Paced{Engine: gputest.NewFake(gputest.Script{}), Factor: factor, Wrong: wrong})
	b.Env.Options.Now = benchtest.New(t, gputest.Script{}).Env.Options.Now
	return b
}

func one(*shaders.Kernel) float64 { return 1 }

// kept records what a search keeps.
func kept(b *benchtest.Rig) *[]workloads.Tuning {
	var all []workloads.Tuning
	b.Env.Keep = func(found workloads.Tuning, byDefault, chosen *shaders.Kernel) error {
		if found.Default != byDefault.ID() || found.Kept() && found.Choice() != chosen.ID() && !strings.HasPrefix(found.Choice(), chosen.Impl.Op.Name+"/"+chosen.Impl.Name) {
			return gpu.Errorf(gpu.ErrInvalid, "keep", "", "%s and %s for %+v", byDefault.ID(), chosen.ID(), found)
		}
		all = append(all, found)
		return nil
	}
	return &all
}

func product(more workloads.Values) workloads.Values {
	return workloads.Values{rows: 6, columns: 6, inner: 6, "operands": bench.FromCache, "candidates": 12}.With(more)
}

// The fastest correct candidate is kept, with its gain; a wrong one that seems faster is excluded and named.
func TestTheFastestRightCandidateIsKept(t *testing.T) {
	is := func(k *shaders.Kernel, impl string, tile int32) bool {
		return k.Impl.Name == impl && k.Constants()["tile"] == tile
	}
	b := rig(t, func(k *shaders.Kernel) float64 {
		switch {
		case k.Impl.Name == "naive":
			return 0.2
		case is(k, "tiled", 32):
			return 0.5
		}
		return 1
	}, func(k *shaders.Kernel) bool { return k.Impl.Name == "naive" })
	all := kept(b)
	if err := b.Run(t.Context(), t, Tuning(), product(workloads.Values{"candidates": 300})); err != nil {
		t.Fatal(err)
	}
	if len(*all) != 1 {
		t.Fatalf("%d kept, want 1", len(*all))
	}
	k := (*all)[0]
	if k.Choice() != "matmul/tiled/f32{tile=32}" || math.Abs(k.Gain.Median-2) > 0.01 || k.Noise != 0.01 || k.Excluded != 1 || k.Params != "M=6 N=6 K=6 Batch=1" {
		t.Errorf("kept %+v", k)
	}
	if len(b.Findings) != 1 || b.Findings[0].Kind != workloads.KindTuned {
		t.Fatalf("findings %+v", b.Findings)
	}
	text := b.Findings[0].Text
	for _, want := range []string{"use tiled, tile 32: 2.00× faster than the default matmul/simd/f32", "1 excluded (naive: ", "wrong result"} {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(want)) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	b.NoLive(t)
	checkRounds(t, b.Measured)
}

// checkRounds compares the seeds and the sizes of rounds: each has the default and at most half of the previous round's candidates,
// and the last one has the default twice.
func checkRounds(t *testing.T, all []workloads.Result) {
	t.Helper()
	var cases []string
	variants := map[string][]string{}
	for i := range all {
		r := &all[i]
		if !slices.Contains(cases, r.Case) {
			cases = append(cases, r.Case)
		}
		variants[r.Case] = append(variants[r.Case], r.Variant)
	}
	for i, c := range cases {
		n := len(variants[c]) - 1
		if variants[c][0] != anchor {
			t.Errorf("%s begins with %s, want the default", c, variants[c][0])
		}
		if i > 0 && i < len(cases)-1 && n > len(variants[cases[i-1]])/2 {
			t.Errorf("%s has %d candidates after %d", c, n, len(variants[cases[i-1]])-1)
		}
	}
	last := cases[len(cases)-1]
	if !strings.HasSuffix(last, ", confirmation") || len(variants[last]) != 3 || variants[last][2] != twin {
		t.Errorf("%s has %q", last, variants[last])
	}
}

// If all perform alike, the default stays, and replaces what an earlier search found.
func TestTheDefaultStays(t *testing.T) {
	b := rig(t, one, nil)
	all := kept(b)
	if err := b.Run(t.Context(), t, Tuning(), product(nil)); err != nil {
		t.Fatal(err)
	}
	if len(*all) != 1 || (*all)[0].Kept() || b.Findings[0].Kind != workloads.KindUntuned || !strings.Contains(b.Findings[0].Text, "keep the default matmul/simd/f32") {
		t.Errorf("kept %+v, %+v", *all, b.Findings)
	}
}

// Every operation can be searched, and every candidate is correct or says why it is not.
func TestEveryOperationCanBeTuned(t *testing.T) {
	for _, o := range operations() {
		b := rig(t, one, nil)
		set := workloads.Values{
			"op": o.Name, "dtype": o.types()[0], rows: 3, columns: 256, inner: 256, elements: 90, block: 32, parts: 2, heads: 2, queries: 3, keys: 5, head: 8,
			"operands": bench.FromCache, "candidates": 7,
		}
		if err := b.Run(t.Context(), t, Tuning(), set); err != nil {
			t.Errorf("%s: %v", o.Name, err)
			continue
		}
		for i := range b.Measured {
			if r := &b.Measured[i]; r.Status != workloads.OK {
				t.Errorf("%s, %s: %s", r.Case, r.Variant, r.WithoutTime())
			}
		}
		if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, o.Name) {
			t.Errorf("%s: findings %+v", o.Name, b.Findings)
		}
		b.NoLive(t)
	}
}

// For attention, the kernel kept is the one that workloads run, which is compiled for its heads.
func TestAttentionIsTunedAsItIsRun(t *testing.T) {
	b := rig(t, func(k *shaders.Kernel) float64 { return map[bool]float64{true: 0.5, false: 1}[k.Impl.Name == "flash"] }, nil)
	all := kept(b)
	set := workloads.Values{"op": "attention", heads: 2, queries: 3, keys: 5, head: 8, "operands": bench.FromCache}
	if err := b.Run(t.Context(), t, Tuning(), set); err != nil {
		t.Fatal(err)
	}
	want := "attention f32 {head_dim=8} Heads=2 KVHeads=2 Queries=3 Keys=5 Dim=8"
	if len(*all) != 1 || (*all)[0].Call() != want || !strings.Contains((*all)[0].Default, "{head_dim=8}") || (*all)[0].Impl != "flash" {
		t.Errorf("kept %+v, want %s", *all, want)
	}
	if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, "attention f32, 2 heads, 3 queries, 5 keys, heads of 8: use flash") {
		t.Errorf("findings %+v", b.Findings)
	}
}

func TestWhatCanBeTuned(t *testing.T) {
	var names []string
	for _, o := range operations() {
		names = append(names, o.Name)
	}
	for _, want := range []string{"matmul", "matmul_quant", "matmul_blocks", "attention", "sum", "max", "softmax", "rmsnorm", "add", "column_sum"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %q", want, names)
		}
	}
}

// The last round uses other operands than earlier ones.
func TestConfirmationHasOtherData(t *testing.T) {
	b := rig(t, one, nil)
	seed := b.Env.Seed
	var seen []uint64
	b.OnProgress = func(p workloads.Progress) {
		if n := len(seen); n == 0 || seen[n-1] != b.Env.Seed {
			seen = append(seen, b.Env.Seed)
		}
	}
	if err := b.Run(t.Context(), t, Tuning(), product(nil)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(seen, []uint64{seed, seed + 1}) || b.Env.Seed != seed {
		t.Errorf("seeds %d, at the end %d, want %d, %d, and at the end %d", seen, b.Env.Seed, seed, seed+1, seed)
	}
}

// A run with tuned choices uses the kernel kept for the call, says so, and leaves other calls alone.
func TestTunedRunsUseWhatWasKept(t *testing.T) {
	b := rig(t, func(k *shaders.Kernel) float64 { return map[bool]float64{true: 0.5, false: 1}[k.Impl.Name == "naive"] }, nil)
	all := kept(b)
	if err := b.Run(t.Context(), t, Tuning(), product(nil)); err != nil || !(*all)[0].Kept() {
		t.Fatal(err, *all)
	}
	b.Env.Tuned = func(byDefault *shaders.Kernel, params any) (workloads.Tuning, bool) {
		k := (*all)[0]
		return k, k.Is(byDefault, params)
	}
	b.Measured = nil
	scope := bench.New(b.Env).NewScope(t.Context())
	defer scope.Release()
	o := operationNamed("matmul")
	for n, want := range map[int]string{6: "matmul_naive_f32", 7: "matmul_simd_f32"} {
		p := o.params(product(workloads.Values{rows: n}))
		var bound []gpu.Buffer
		for i, a := range o.impls[0].Kernel(shaders.F32).Args {
			k := o.impls[0].Kernel(shaders.F32)
			if !k.Uses(i) {
				bound = append(bound, nil)
				continue
			}
			buffer, err := scope.Random(a.Type, k.Len(i, p), a.Name)
			if err != nil {
				t.Fatal(err)
			}
			bound = append(bound, buffer)
		}
		l, err := scope.Dispatch(shaders.Pick{Op: "matmul", Type: shaders.F32}, nil, p, bound...)
		if err != nil || l.Kernel.Spec().Name != want {
			t.Errorf("%d rows: %v, %v, want %s", n, l.Kernel.Spec().Name, err, want)
		}
		if tuned := strings.HasPrefix(l.Why, "tuned, 2.00× faster than matmul/simd/f32"); tuned != (n == 6) {
			t.Errorf("%d rows: %q", n, l.Why)
		}
	}
}

func TestImpossibleValuesAreRefused(t *testing.T) {
	w := Tuning()
	for words, set := range map[string]workloads.Values{
		"no kernel for {dtype} bf16": {"op": "relu", "dtype": "bf16"},
		"choose int8, int4":          {"op": "matmul_quant"},
		"{elements} makes 3.22 GB per dispatch; the maximum is 2.00 GB": {"op": "add", "elements": 1 << 28},
		"{rows}, {columns} and {inner} make 1.13 PFLOP per dispatch":    {"op": "matmul", rows: 1 << 20, columns: 1 << 20},
	} {
		err := w.Valid(w.Defaults(false).With(set))
		if err == nil || !strings.Contains(err.Error(), strings.NewReplacer("{", "", "}", "").Replace(words)) {
			t.Errorf("%v: %v, want one that says %q", set, err, words)
		}
	}
}

func TestCandidates(t *testing.T) {
	o := operationNamed("matmul")
	list := candidates(o.of(shaders.F32), false)
	seen := map[string]bool{}
	for i := range list {
		if seen[list[i].name()] {
			t.Errorf("%s twice", list[i].name())
		}
		seen[list[i].name()] = true
	}
	few := thinned(list, 20, 3)
	if len(few) != 20 || len(list) < 100 {
		t.Errorf("%d of %d", len(few), len(list))
	}
	for _, m := range o.of(shaders.F32) {
		if !slices.ContainsFunc(few, func(c candidate) bool {
			k := c.kernel(shaders.F32, nil)
			return c.Impl == m && k.Key() == ""
		}) {
			t.Errorf("the defaults of %s are not among them", m.Name)
		}
	}
	if n := len(candidates(o.of(shaders.F32), true)); n != len(o.of(shaders.F32)) {
		t.Errorf("%d candidates without tunables, want one of each implementation", n)
	}
}

// Energy is measured for the kernel that is kept, not for each candidate of each round.
func TestOnlyTheConfirmationMeasuresEnergy(t *testing.T) {
	b := rig(t, one, nil)
	b.Env.Options.Energy = &measure.EnergyCounter{Why: "no counter"}
	if err := b.Run(t.Context(), t, Tuning(), product(nil)); err != nil {
		t.Fatal(err)
	}
	confirmed := 0
	for i := range b.Measured {
		r := &b.Measured[i]
		confirms := strings.HasSuffix(r.Case, ", confirmation")
		if confirms {
			confirmed++
		}
		if asked := r.Values.Text(workloads.EnergySource) != ""; r.Status == workloads.OK && asked != confirms {
			t.Errorf("%s, %s: energy measured: %v", r.Case, r.Variant, asked)
		}
	}
	if confirmed == 0 || confirmed == len(b.Measured) || b.Env.Options.Energy == nil {
		t.Errorf("%d of %d confirm, counter %v", confirmed, len(b.Measured), b.Env.Options.Energy)
	}
}
