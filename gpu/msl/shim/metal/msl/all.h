// The whole library, in the order in which its parts need each other.
#ifndef ASSAY_MSL_ALL_H
#define ASSAY_MSL_ALL_H

#include "pack.h"

#endif
