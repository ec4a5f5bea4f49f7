// Rounding a float to bfloat in one instruction.
#ifndef ASSAY_MSL_MACHINE_BFLOAT_H
#define ASSAY_MSL_MACHINE_BFLOAT_H

#define MSL_BF_ROUND(f) __builtin_bit_cast(uint16_t, __nvvm_f2bf16_rn(f))

#endif
