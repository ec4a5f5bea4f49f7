// For processors without other vectors. This is 0.9 to 1.0 times as fast as with -O3, and takes half as long to compile.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O1")
#endif

#include "isa.h"
#include "vec_plain.h"

#include "loops_table.h"
