// The library is one; see msl/all.h.
#include "../msl/all.h"
