// Template: one instruction set, after its vectors.
#include "families.h"

const struct isa ISA_TABLE = {
    .name = ISA_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
};

#if defined(ISA_BF16) // the same with instructions for products of bfloat16
extern const struct bf16_loops ISA_BF16;
extern const struct code_loops ISA_CODES;
const struct isa ISA_BF16_TABLE = {
    .name = ISA_BF16_NAME,
    .vl = VL,
#define FAMILY(name) .name = &name##_loops,
#include "families.h"
#undef FAMILY
    .bf16 = &ISA_BF16,
    .codes = &ISA_CODES,
};
#endif
