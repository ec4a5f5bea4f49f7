// This processor rounds to bfloat by the operations on integers of msl/bfloat.h.
