#include "isa.h"
#include "vec_neon.h"

#include "loops_map.h"
#include "loops_gemm.h"
#include "loops_quant.h"
#include "loops_table.h"
