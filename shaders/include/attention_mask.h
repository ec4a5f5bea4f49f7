// Which keys queries see: what all kernels of attention that make scores share.
#include "params/attention.h"

constant bool has_mask [[function_constant(ATTENTION_HAS_MASK)]];
constant bool causal [[function_constant(ATTENTION_CAUSAL)]];

// Keys that a query sees: with a causal mask, the last query sees all.
static inline uint visible(constant AttentionParams &p, uint query) {
    return causal ? min(p.keys, query + 1 + p.keys - p.queries) : p.keys;
}
