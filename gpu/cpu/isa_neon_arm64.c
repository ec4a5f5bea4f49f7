#include "isa.h"
#include "vec_neon.h"

#include "loops_table.h"
