// The epilogue of convolutions and GEMMs. Declare the function constants has_bias and activation before including it.
#include "activation.h"

// An element of the output, from its complete sum and element c of the bias.
template <typename T>
static inline float finished(float sum, device const T *bias, uint c) {
    return activate(activation, has_bias ? sum + float(bias[c]) : sum);
}
