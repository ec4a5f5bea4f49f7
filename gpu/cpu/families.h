// The families of kernels. A family x is a list of rows, x_kernels, and vector loops, x_loops, that are compiled for each
// instruction set. It has a line below, and another for the file of its loops.
#if defined(FAMILY)
FAMILY(map)
FAMILY(walk)
FAMILY(broadcast)
FAMILY(chain)
FAMILY(gemm)
FAMILY(quant)
FAMILY(blocks)
FAMILY(bitlinear)
FAMILY(rmsnorm)
FAMILY(layernorm)
FAMILY(residual)
FAMILY(softmax)
FAMILY(reduce)
FAMILY(entropy)
FAMILY(attention)
FAMILY(conv)
FAMILY(image)
FAMILY(train)
FAMILY(peak)
#else
#include "loops_map.h"
#include "walk.c"
#include "broadcast.c"
#include "chain.c"
#include "loops_gemm.h"
#include "loops_quant.h"
#include "loops_blocks.h"
#include "loops_bits.h"
#include "rmsnorm.c"
#include "layernorm.c"
#include "residual.c"
#include "softmax.c"
#include "reduce.c"
#include "entropy.c"
#include "loops_attention.h"
#include "loops_conv.h"
#include "image.c"
#include "train.c"
#include "peak.c"
#endif
