// Shared by vectors of four floats: no stores that bypass the caches, and codes widened one by one.

INLINE void v_stream(float *p, vf x) { v_store(p, x); }
INLINE void v_stream_f16(uint16_t *p, vf x) { v_store_f16(p, x); }
INLINE void v_fence(void) {}

INLINE vf v_load_i8(const int8_t *p) { return (vf){p[0], p[1], p[2], p[3]}; }
INLINE vf v_load_i4(const uint8_t *p) {
    const vi nibble = {p[0] & 15, p[0] >> 4, p[1] & 15, p[1] >> 4};
    return __builtin_convertvector((nibble ^ 8) - 8, vf);
}

INLINE vf v_spread(const int per, const float *p) { return v_set1(p[per - 1]); } // groups are no longer than blocks
