// Template: the table of one instruction set, after the loops.

#define BOTH(op, name) [op] = {name##_f32, name##_f16}

const struct isa ISA_TABLE = {
    .name = ISA_NAME,
    .vl = VL,
    .mr = KERNEL_ROWS,
    .nv = KERNEL_VECTORS,
    .kc = KERNEL_DEPTH,
    .map =
        {
            BOTH(CPU_ADD, map_add),
            BOTH(CPU_MUL, map_mul),
            BOTH(CPU_RELU, map_relu),
            BOTH(CPU_GELU, map_gelu),
            BOTH(CPU_ADD_RELU, map_add_relu),
            BOTH(CPU_MUL_RELU, map_mul_relu),
            BOTH(CPU_AFFINE, map_affine),
            [CPU_COPY] = {map_copy, NULL},
            [CPU_TRIAD] = {map_triad, NULL},
        },
    .widen = widen,
    .dequant = {dequant_i8, dequant_i4},
    .quant_dot = {quant_dot_i8, quant_dot_i4},
    .encode = encode,
    .range = range,
    .interleave = interleave,
    .pack = pack,
#define COLUMN(nv) \
    { NULL, ukr_1_##nv, ukr_2_##nv, ukr_3_##nv, ukr_4_##nv FIVE_UP(nv) SEVEN_UP(nv) THIRTEEN_UP(nv) }
#if KERNEL_ROWS > 4
#define FIVE_UP(nv) , ukr_5_##nv, ukr_6_##nv
#else
#define FIVE_UP(nv)
#endif
#if KERNEL_ROWS > 6
#define SEVEN_UP(nv) , ukr_7_##nv, ukr_8_##nv, ukr_9_##nv, ukr_10_##nv, ukr_11_##nv, ukr_12_##nv
#else
#define SEVEN_UP(nv)
#endif
#if KERNEL_ROWS > 12
#define THIRTEEN_UP(nv) , ukr_13_##nv, ukr_14_##nv
#else
#define THIRTEEN_UP(nv)
#endif
    .ukr = {COLUMN(1), COLUMN(2)},
    .finish = finish,
    .dot = dot,
    .axpy = axpy,
};
