// Template: quantised numbers.

INLINE float code_at(const int four, const void *q, size_t i) {
    if (!four) return ((const int8_t *)q)[i];
    const int nibble = ((const uint8_t *)q)[i / 2] >> i % 2 * 4 & 15;
    return (float)((nibble ^ 8) - 8);
}

// Elements [first, last) of one block, to out; vectors of int4 codes begin in the low half of a byte.
INLINE void dequant_block(const int four, const void *q, float zero, float scale, size_t first, size_t last, float *out) {
    const vf z = v_set1(zero), s = v_set1(scale);
    size_t i = first;
    if (four && i % 2 == 1 && i < last) *out++ = (code_at(four, q, i++) - zero) * scale;
    for (; i + VL <= last; i += VL, out += VL) {
        const vf code = four ? v_load_i4((const uint8_t *)q + i / 2) : v_load_i8((const int8_t *)q + i);
        v_store(out, (code - z) * s);
    }
    for (; i < last; i++) *out++ = (code_at(four, q, i) - zero) * scale;
}

INLINE void dequant(const int four, const void *q, size_t block, const float *zero, const float *scale, size_t first,
                    size_t n, float *out) {
    const size_t last = first + n;
    for (size_t b = first / block; first < last; b++) {
        const size_t end = min_size((b + 1) * block, last);
        dequant_block(four, q, zero[b], scale[b], first, end, out);
        out += end - first;
        first = end;
    }
}

static void dequant_i8(const void *q, size_t block, const float *zero, const float *scale, size_t first, size_t n,
                       float *out) {
    dequant(0, q, block, zero, scale, first, n, out);
}

static void dequant_i4(const void *q, size_t block, const float *zero, const float *scale, size_t first, size_t n,
                       float *out) {
    dequant(1, q, block, zero, scale, first, n, out);
}

static void range(const float *x, size_t n, float *lo, float *hi) {
    vf low = v_set1(*lo), high = v_set1(*hi);
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        low = v_min(v_load(x + i), low);
        high = v_max(v_load(x + i), high);
    }
    UNROLL
    for (int left = VL; left > 1; left /= 2) { // each zip of the halves leaves half as many different lanes
        low = v_min(ZIP_LOW(low, low), ZIP_HIGH(low, low));
        high = v_max(ZIP_LOW(high, high), ZIP_HIGH(high, high));
    }
    *lo = low[0], *hi = high[0];
    for (; i < n; i++) {
        if (x[i] < *lo) *lo = x[i];
        if (x[i] > *hi) *hi = x[i];
    }
}

INLINE vf code_of(vf x, float scale, float zero, float qmin, float qmax) {
    return v_rint(v_min(v_set1(qmax), v_max(v_set1(qmin), x / v_set1(scale) + v_set1(zero))));
}

static void encode(const float *x, float scale, float zero, float qmin, float qmax, int8_t *q, size_t n) {
    for (size_t i = 0; i < n; i += VL) {
        const size_t part = min_size(VL, n - i);
        const vf c = code_of(part == VL ? v_load(x + i) : v_load_n(x + i, part), scale, zero, qmin, qmax);
        const codes code = __builtin_convertvector(__builtin_convertvector(c, vi), codes);
        memcpy(q + i, &code, part);
    }
}
