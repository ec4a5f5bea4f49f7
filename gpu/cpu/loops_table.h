// Template: one instruction set, after its vectors, and the sets that share most of its loops.
#include "families.h"

#include "loops_dots.h"
#include "loops_block_dots.h"
#include "loops_bytes.h"

static const struct dot_loops dot_loops = DOT_LOOPS;
static const struct byte_loops byte_loops = BYTE_LOOPS;

#if defined(FAST_DOTS) // which are exact for any bytes
#include "loops_tiles.h"
static const struct tile_loops tile_loops = TILE_LOOPS;
#endif

#if defined(ISA_NARROW_BYTES) // with codes of few bits
extern const struct byte_loops ISA_NARROW_BYTES;
#endif

const struct isa ISA_TABLE = {
    .name = ISA_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
    .dots = &dot_loops,
    .bytes = &byte_loops,
#if defined(FAST_DOTS)
    .tiles = &tile_loops,
#endif
#if defined(ISA_NARROW_BYTES)
    .first_bytes = &ISA_NARROW_BYTES,
#endif
};

#if defined(ISA_DOTS) // the same with byte product instructions
extern const struct dot_loops ISA_DOTS;
extern const struct byte_loops ISA_DOTS_BYTES;
extern const struct tile_loops ISA_DOTS_TILES;
extern const struct code_loops ISA_DOTS_CODES;
const struct isa ISA_DOTS_TABLE = {
    .name = ISA_DOTS_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
    .dots = &ISA_DOTS,
    .bytes = &ISA_DOTS_BYTES,
    .tiles = &ISA_DOTS_TILES,
    .codes = &ISA_DOTS_CODES,
};
#endif

#if defined(ISA_BF16) // and with bfloat16 product instructions
extern const struct tile_loops ISA_BF16;
const struct isa ISA_BF16_TABLE = {
    .name = ISA_BF16_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
    .dots = &ISA_DOTS,
    .bytes = &ISA_DOTS_BYTES,
    .tiles = &ISA_DOTS_TILES,
    .bf16 = &ISA_BF16,
    .codes = &ISA_DOTS_CODES,
};
#endif

#if defined(ISA_TILES) // and with tile instructions
extern const struct tile_loops ISA_TILES;
extern const struct code_loops ISA_CODES, ISA_BLOCK_CODES;
extern const struct byte_loops ISA_BYTES, ISA_BLOCK_BYTES;
const struct isa ISA_AMX_TABLE = {
    .name = ISA_AMX_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
    .dots = &ISA_DOTS,
    .bytes = &ISA_DOTS_BYTES,
    .tiles = &ISA_TILES,
    .bf16 = &ISA_TILES,
    .codes = &ISA_CODES,
    .block_codes = &ISA_BLOCK_CODES,
    .more_codes = &ISA_DOTS_CODES,
    .first_bytes = &ISA_BYTES,
    .block_bytes = &ISA_BLOCK_BYTES,
};
#endif
