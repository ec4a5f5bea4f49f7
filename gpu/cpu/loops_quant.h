// Template: quantised numbers. Plain loops that compilers turn into vector code, except where minima need care.

static void dequant_i8(const void *q, size_t first, float zero, float scale, float *out, size_t n) {
    const int8_t *code = (const int8_t *)q + first;
    for (size_t i = 0; i < n; i++) out[i] = ((float)code[i] - zero) * scale;
}

INLINE int low_nibble(uint8_t byte) { return (int)((byte & 15) ^ 8) - 8; }
INLINE int high_nibble(uint8_t byte) { return (int)(byte >> 4 ^ 8) - 8; }

static void dequant_i4(const void *q, size_t first, float zero, float scale, float *out, size_t n) {
    const uint8_t *code = (const uint8_t *)q + first / 2;
    if (first % 2 == 1 && n > 0) {
        *out++ = ((float)high_nibble(*code++) - zero) * scale;
        n--;
    }
    for (size_t i = 0; i < n / 2; i++) {
        out[2 * i] = ((float)low_nibble(code[i]) - zero) * scale;
        out[2 * i + 1] = ((float)high_nibble(code[i]) - zero) * scale;
    }
    if (n % 2 == 1) out[n - 1] = ((float)low_nibble(code[n / 2]) - zero) * scale;
}

static void range(const float *x, size_t n, float *lo, float *hi) {
    vf low = v_set1(*lo), high = v_set1(*hi);
    size_t i = 0;
    for (; i + VL <= n; i += VL) {
        low = v_min(v_load(x + i), low);
        high = v_max(v_load(x + i), high);
    }
    for (int j = 0; j < VL; j++) {
        if (low[j] < *lo) *lo = low[j];
        if (high[j] > *hi) *hi = high[j];
    }
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
        int8_t code[VL];
        for (int j = 0; j < VL; j++) code[j] = (int8_t)c[j];
        memcpy(q + i, code, part);
    }
}
