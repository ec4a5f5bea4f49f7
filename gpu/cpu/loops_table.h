// Template: one instruction set, after its vectors.
#include "families.h"

const struct isa ISA_TABLE = {
    .name = ISA_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
};

#if defined(ISA_TILES) // the same with instructions for tiles of products
extern const struct tile_loops ISA_TILES;
extern const struct code_loops ISA_CODES;
const struct isa ISA_AMX_TABLE = {
    .name = ISA_AMX_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
    .tiles = &ISA_TILES,
    .codes = &ISA_CODES,
};
#endif
