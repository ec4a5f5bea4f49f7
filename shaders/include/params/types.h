// Parameter structs are shared by MSL and the C of the CPU engine. Their fields are 4 bytes each, of these types, and
// the Go structs of the same name have the same ones.
#ifndef ASSAY_PARAMS_TYPES_H
#define ASSAY_PARAMS_TYPES_H

#ifndef __METAL_VERSION__
#include <stdint.h>
#include <sys/types.h> // which may have uint already, as the same type
typedef unsigned int uint;
#endif

#endif
