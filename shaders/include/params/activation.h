// The activations, which MSL and the C of the CPU engine choose by one constant. Another is a line of
// shaders.Activations, an X here, and a function of its name in activation.h and in loops_map.h of the CPU engine.
#ifndef ASSAY_PARAMS_ACTIVATION_H
#define ASSAY_PARAMS_ACTIVATION_H

// X(the constant's value, name); 0 is none.
#define ACTIVATIONS(X) X(1, relu) X(2, gelu)

#endif
