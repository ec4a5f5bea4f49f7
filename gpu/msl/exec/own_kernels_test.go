package exec

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/shaders"
)

// raceElements bounds the cases that are run in race mode: several orders of every thread take long.
const raceElements = 1 << 16

// launchOf binds inputs of random numbers, outputs and the parameters of a case.
func launchOf(k *shaders.Kernel, c shaders.Case) Launch {
	geometry := k.Launch(c.Params)
	l := Launch{Groups: geometry.Groups, Threads: geometry.Threads, Seed: 1}
	r := rand.New(rand.NewPCG(1, 2))
	for i, a := range k.Args {
		if !k.Uses(i, c.Constants) {
			continue
		}
		l.Buffers[i] = make([]byte, max(k.Bytes(i, c.Params), 4))
		if a.Access == shaders.In {
			shaders.View{Type: a.Type, Data: l.Buffers[i]}.FillUniform(r)
		}
	}
	l.Buffers[len(k.Args)] = shaders.EncodeParams(c.Params)
	return l
}

func constantBytes(k *shaders.Kernel, given shaders.Constants) map[int][]byte {
	values := map[int][]byte{}
	for _, c := range k.Constants {
		v := given[c.Name]
		if c.Bool() {
			values[c.Index] = []byte{byte(v)}
		} else {
			values[c.Index] = binary.NativeEndian.AppendUint32(nil, uint32(v))
		}
	}
	return values
}

func small(k *shaders.Kernel, p any) bool {
	for i := range k.Args {
		if k.Args[i].Len(p) > raceElements {
			return false
		}
	}
	return true
}

// No kernel of Assay leaves a result that depends on the order of its threads.
func TestOwnKernelsHaveNoRaces(t *testing.T) {
	libraries := map[string]*clang.Library{}
	for _, k := range shaders.All() {
		if k.Library != shaders.Own {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			l := libraries[k.File]
			if l == nil {
				var err error
				s := msl.Source{Name: k.File, Text: k.Source()}
				if l, err = testCompiler(t).Compile(t.Context(), s, clang.Options{Cache: testCache(t)}); err != nil {
					t.Fatal(err)
				}
				libraries[k.File] = l
			}
			ran := false
			for _, c := range k.Cases {
				if ran || !small(&k, c.Params) {
					continue
				}
				ran = true
				kernel := open(t, l, k.Name, constantBytes(&k, c.Constants))
				if err := kernel.Race(t.Context(), launchOf(&k, c), 4); err != nil {
					t.Errorf("%+v %v: %v", c.Params, c.Constants, err)
				}
			}
			if !ran {
				t.Errorf("none of %d cases is small enough to run", len(k.Cases))
			}
		})
	}
}
