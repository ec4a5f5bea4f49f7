// Which keys a query sees: shared by all attention kernels that compute scores.
#include "params/attention.h"

constant bool has_mask [[function_constant(ATTENTION_HAS_MASK)]];
constant bool causal [[function_constant(ATTENTION_CAUSAL)]];

// The number of keys that a query sees. With a causal mask, the last query sees all.
static inline uint visible(constant AttentionParams &p, uint query) {
    return causal ? min(p.keys, query + 1 + p.keys - p.queries) : p.keys;
}
