// Template: one instruction set, after its vectors.
#include "families.h"

const struct isa ISA_TABLE = {
    .name = ISA_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
};
