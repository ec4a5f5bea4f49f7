// What convolutions and matrix products do with a complete sum. The constants has_bias and activation are declared before.
#include "activation.h"

// The element of the output from its sum and element c of the bias.
template <typename T>
static inline float finished(float sum, device const T *bias, uint c) {
    return activate(activation, has_bias ? sum + float(bias[c]) : sum);
}
