package attention

import (
	"fmt"

	"assay/shaders"
)

func floats() []shaders.Type { return []shaders.Type{shaders.F32, shaders.F16, shaders.BF16} }

const simd = 32 // threads of a SIMD group

// tilePitch is the number of floats between rows of a tile in threadgroup memory.
func tilePitch(dim uint32) uint32 { return (dim+7)/8*8 + 4 }

// blocks are threadgroups for each head, of `threads` threads; each SIMD group takes `each` queries.
func blocks(p AttentionParams, threads, each uint32) shaders.Launch {
	block := threads / simd * each
	return shaders.Launch{
		Groups:  [3]uint32{(p.Queries + block - 1) / block, p.Heads, 1},
		Threads: [3]uint32{threads, 1, 1},
	}
}

// flash needs no simdgroup_matrix.
func flash(op *shaders.Op) *shaders.Impl {
	const each = 4
	return &shaders.Impl{
		Op: op, Name: Flash, Types: floats(), Source: shaders.Embedded(files, "flash.metal"), Constants: op.Constants,
		About: "attention in one dispatch: keys in tiles, with the largest score and the sums so far kept in registers",
		Tunables: []shaders.Tunable{{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{64, 128, 256}, Default: 128,
			About: "threads per threadgroup; a SIMD group takes 4 queries, and all share each tile of keys",
		}},
		Cases: []shaders.Case{{Params: AttentionParams{1, 1, 40, 33, MaxDim}, Constants: shaders.Constants{Threads: 256}}},
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			p := params(c)
			threads, pitch := l.Fit(uint32(c.Constants[Threads])), tilePitch(p.Dim)
			tile := shaders.FloatBytes(simd * pitch)
			queries := func() int { return shaders.FloatBytes(threads / simd * each * pitch) }
			for l.Shared > 0 && queries()+tile > l.Shared && threads > simd { // of 256 threads with large heads
				threads -= simd
			}
			launch := blocks(p, threads, each)
			launch.Shared = []int{queries(), tile}
			return launch
		},
	}
}

func flashSIMD(op *shaders.Op) *shaders.Impl {
	const each, keys, share = 8, 32, 8*(32+4) + 64 // floats that each SIMD group has for itself
	return &shaders.Impl{
		Op: op, Name: FlashSIMD, Title: "flash, simdgroup_matrix", Types: floats(), Source: shaders.Embedded(files, "flash_simd.metal"), Constants: op.Constants,
		Needs: shaders.SIMDGroupMatrix,
		About: "attention in one dispatch, by simdgroup_matrix: 8 queries per SIMD group and 32 keys at a time",
		Tunables: []shaders.Tunable{{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{32, 64, 128}, Default: 128,
			About: "threads per threadgroup; a SIMD group takes 8 queries, and all share each tile of keys",
		}},
		Cases: []shaders.Case{{Params: AttentionParams{1, 1, 20, 33, 12}, Constants: shaders.Constants{Threads: 32}}},
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			p := params(c)
			launch := blocks(p, l.Fit(uint32(c.Constants[Threads])), each)
			launch.Shared = []int{shaders.FloatBytes(keys * tilePitch(p.Dim)), shaders.FloatBytes(launch.Threads[0] / simd * share)}
			return launch
		},
	}
}

// decode has a threadgroup for each query of each head, which pays off if there is only one query.
func decode(op *shaders.Op) *shaders.Impl {
	return &shaders.Impl{
		Op: op, Name: Decode, Title: "split keys", Types: floats(), Source: shaders.Embedded(files, "decode.metal"), Constants: op.Constants,
		About: "attention in one dispatch for few queries: the keys of each are split among SIMD groups, whose sums are merged",
		Tunables: []shaders.Tunable{{
			Name: Threads, Index: shaders.LaunchOnly, Values: []int32{128, 256, 512, 1024}, Default: 1024,
			About: "threads per threadgroup: SIMD groups that share the keys of a query",
		}},
		Suits: func(c shaders.Call) error {
			if n := params(c).Queries; n > 1 {
				return fmt.Errorf("%d queries of each head; it is made for one", n)
			}
			return nil
		},
		Cases: []shaders.Case{{Params: AttentionParams{2, 1, 1, 37, 64}, Constants: shaders.Constants{Threads: 128}}},
		Launch: func(c shaders.Call, l shaders.Limits) shaders.Launch {
			p := params(c)
			threads := l.Fit(uint32(c.Constants[Threads]))
			return shaders.Launch{
				Groups: [3]uint32{p.Queries, p.Heads, 1}, Threads: [3]uint32{threads, 1, 1},
				Shared: []int{shaders.FloatBytes(2 * threads / simd), shaders.FloatBytes(threads / simd * p.Dim)},
			}
		},
	}
}
