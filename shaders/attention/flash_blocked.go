package attention

import "assay/shaders"

// Tunables of FlashBlocked.
const (
	TileQueries = "tile_queries"
	TileKeys    = "tile_keys"
)

// flashBlocked keeps 8 queries' scores and 8×8 sums in the registers of each thread.
func flashBlocked(op *shaders.Op) *shaders.Impl {
	tiles := func(queries, keys int32, name string, value int32) shaders.Constants {
		return shaders.Constants{TileQueries: queries, TileKeys: keys, name: value}
	}
	return &shaders.Impl{
		Op: op, Name: FlashBlocked, Title: "flash, in registers", Types: floats(), Source: shaders.Embedded(files, "flash_blocked.metal"), Constants: op.Constants,
		Needs: shaders.Threadgroups,
		About: "attention in one dispatch without simdgroup_matrix: 8 queries’ scores and 8×8 sums in the registers of a thread",
		Tunables: []shaders.Tunable{
			{
				Name: TileQueries, Index: 3, Values: []int32{64, 128}, Default: 64,
				About: "threads and queries of a threadgroup; half as many queries for head dimensions beyond 64",
			},
			{
				Name: TileKeys, Index: 4, Values: []int32{32, 64}, Default: 32,
				About: "keys at a time; half as many for head dimensions beyond 64",
			},
		},
		Cases: []shaders.Case{
			{Params: AttentionParams{2, 1, 66, 100, 64}, Constants: shaders.Constants{HeadDim: 64, Causal: 1}},
			{Params: AttentionParams{2, 1, 130, 70, 13}, Constants: tiles(128, 32, HasMask, 1)},
			{Params: AttentionParams{1, 1, 65, 129, 32}, Constants: tiles(64, 64, HeadDim, 32)},
			{Params: AttentionParams{1, 1, 33, 40, 128}, Constants: shaders.Constants{HeadDim: 128}},
		},
		Launch: flashBlockedLaunch,
	}
}

// flashBlockedLaunch puts all of a threadgroup's queries in threadgroup memory, with a block of keys, later replaced by powers,
// and a block of values.
func flashBlockedLaunch(c shaders.Call, _ shaders.Limits) shaders.Launch {
	p := params(c)
	lanes := uint32(8) // threads that share their queries and have 8 columns each
	if p.Dim > 64 {
		lanes = 16
	}
	threads := uint32(c.Constants[TileQueries])
	queries, keys, wide := threads*8/lanes, uint32(c.Constants[TileKeys])*8/lanes, (p.Dim+7)/8*8
	powers := min(keys, 4*lanes) * queries
	groups := [3]uint32{(p.Queries + queries - 1) / queries, p.Heads, 1}
	if c.Constants[Causal] != 0 { // the last queries of all heads first
		groups[0], groups[1] = groups[1], groups[0]
	}
	return shaders.Launch{
		Groups: groups, Threads: [3]uint32{threads, 1, 1},
		Shared: []int{shaders.FloatBytes(queries*wide + max(keys*wide, powers) + keys*8*lanes)},
	}
}
