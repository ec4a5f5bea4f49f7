// Activation functions, which MSL and the C of the CPU engine select by one constant. To add one, add a line to
// shaders.Activations, an X here, and a function of its name to activation.h and to loops_map.h of the CPU engine.
#ifndef ASSAY_PARAMS_ACTIVATION_H
#define ASSAY_PARAMS_ACTIVATION_H

// X(value of the constant, name); 0 is none.
#define ACTIVATIONS(X) X(1, relu) X(2, gelu)

#endif
