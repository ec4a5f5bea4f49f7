// Shared by vectors of four floats: no non-temporal stores, and codes widened one by one.

INLINE void v_stream(float *p, vf x) { v_store(p, x); }
INLINE void v_stream_f16(uint16_t *p, vf x) { v_store_f16(p, x); }
INLINE void v_stream_half(void *p, v_bytes_two x) { memcpy(p, &x, sizeof x); }
INLINE void v_fence(void) {}

INLINE vf v_load_i8(const int8_t *p) { return (vf){p[0], p[1], p[2], p[3]}; }
INLINE vu v_load_bytes(const uint8_t *p) { return (vu){p[0], p[1], p[2], p[3]}; }
INLINE vf v_load_i4(const uint8_t *p) {
    const vi nibble = {p[0] & 15, p[0] >> 4, p[1] & 15, p[1] >> 4};
    return __builtin_convertvector((nibble ^ 8) - 8, vf);
}

// Eight f16 values as floats.
INLINE void v_put_halves(float *to, v_eight_halves h) {
    uint16_t each[8];
    memcpy(each, &h, sizeof each);
    v_store(to, v_load_f16(each));
    v_store(to + 4, v_load_f16(each + 4));
}

INLINE vi v_pieces(const int count, const uint8_t *p, size_t apart) { return v_get((const char *)p + (size_t)(count - 1) * apart); }

// `per` floats, 1 or 2, each repeated in an equal share of the lanes.
INLINE vf v_spread(const int per, const float *p) { return (vf){p[0], p[0], p[per - 1], p[per - 1]}; }

// The lowest signed bytes, one per lane.
INLINE vf v_of_bytes(uint64_t low, uint64_t high) {
    (void)high;
    return (vf){(int8_t)low, (int8_t)(low >> 8), (int8_t)(low >> 16), (int8_t)(low >> 24)};
}
