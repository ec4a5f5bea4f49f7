// Parameter structs are shared by MSL and the C of the CPU engine. Their fields are 4 bytes each, of these types, and match those
// of the Go structs of the same name.
#ifndef ASSAY_PARAMS_TYPES_H
#define ASSAY_PARAMS_TYPES_H

#ifndef __METAL_VERSION__
#include <stdint.h>
#include <sys/types.h> // which may define uint already, as the same type
typedef unsigned int uint;
#endif

#endif
