#include "isa.h"
#include "vec_plain.h"

#include "loops_table.h"
