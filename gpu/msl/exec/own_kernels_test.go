package exec

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/catalog"
)

// raceOps limits the cases that are run in race mode: several orders of every thread take long.
const raceOps = 400_000

// fill generates random numbers, but integers where atomics add them in an order that would affect rounding.
func fill(k *shaders.Kernel, v shaders.View, r *rand.Rand) {
	if k.Impl.Needs&shaders.FloatAtomics == 0 {
		v.FillUniform(r)
		return
	}
	for i := range v.Len() {
		v.Set(i, float64(r.IntN(9)-4))
	}
}

// launchOf binds inputs of random numbers, outputs and parameters.
func launchOf(t testing.TB, k *shaders.Kernel, c shaders.Case) Launch {
	t.Helper()
	p := c.Params
	geometry, err := k.Launch(p, shaders.Limits{Threads: 1024, Shared: 32 << 10})
	if err != nil {
		t.Fatal(err)
	}
	l := Launch{Groups: geometry.Groups, Threads: geometry.Threads, Seed: 1}
	copy(l.Threadgroup[:], geometry.Shared)
	r := rand.New(rand.NewPCG(1, 2))
	for i, a := range k.Args {
		if !k.Uses(i) {
			continue
		}
		l.Buffers[i] = make([]byte, max(k.Bytes(i, p), 4))
		if a.Access != shaders.Out {
			v := shaders.View{Type: a.Type, Data: l.Buffers[i]}
			fill(k, v, r)
			if c.Edit != nil {
				c.Edit(i, v)
			}
		}
	}
	l.Buffers[len(k.Args)] = shaders.EncodeParams(p)
	return l
}

func constantBytes(k *shaders.Kernel) map[int][]byte {
	values := map[int][]byte{}
	for _, c := range k.Values() {
		values[c.Index] = c.Bytes()
	}
	return values
}

// busiest returns the case with the most operations, or bytes if there are no operations, within the limit: a case without work
// has no races.
func busiest(k *shaders.Kernel) (best shaders.Case, ok bool) {
	most := 0.0
	for _, c := range k.Cases() {
		with := k.With(c.Constants)
		cost := with.Cost(c.Params)
		if work := max(cost.Ops, cost.Bytes); work > most && work <= raceOps {
			best, ok, most = c, true, work
		}
	}
	return best, ok
}

// No kernel of Assay has results that depend on the order of its threads. They are compiled with the same options as in the
// simulated Metal's contract, in checking mode if available, so that either test finds them compiled.
func TestOwnKernelsHaveNoRaces(t *testing.T) {
	if race.On {
		t.Skip("the kernels run in C, which Go's race detector does not see")
	}
	libraries := map[string]*clang.Library{}
	for _, k := range catalog.All() {
		if k.Impl.Library != shaders.Own {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			file := k.Impl.Source.File
			l := libraries[file]
			if l == nil {
				var err error
				s := msl.Source{Name: file, Text: k.Impl.Source.Text()}
				o := clang.Options{Checked: runtime.GOOS != "darwin", Cache: testCache(t)}
				if l, err = testCompiler(t).Compile(t.Context(), s, o); err != nil {
					t.Fatal(err)
				}
				libraries[file] = l
			}
			c, ok := busiest(&k)
			if !ok {
				t.Fatalf("none of %d cases is small enough to run", len(k.Cases()))
			}
			with := k.With(c.Constants)
			kernel := open(t, l, k.Name, constantBytes(&with))
			if err := kernel.Race(t.Context(), launchOf(t, &with, c), 4); err != nil {
				t.Errorf("%+v %v: %v", c.Params, c.Constants, err)
			}
		})
	}
}
