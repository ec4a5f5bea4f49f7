// Sixteen bytes of neighboring elements at once, which every GPU loads and stores in one instruction: four floats, or eight
// elements of two bytes. The address must be a multiple of 16.

template <typename T>
struct Wide {
    static constant constexpr uint COUNT = 8, FOURS = 2;

    static void widen(uint4 bits, thread float4 *v) {
        v[0] = float4(as_type<vec<T, 4>>(bits.xy));
        v[1] = float4(as_type<vec<T, 4>>(bits.zw));
    }

    // Sixteen bytes that all hold x.
    static uint4 filled(float x) { return uint4(as_type<uint>(vec<T, 2>(T(x), T(x)))); }

    static void load(device const T *at, thread float4 *v) { widen(*(device const uint4 *)at, v); }

    static void store(device T *at, thread const float4 *v) {
        *(device uint4 *)at = uint4(as_type<uint2>(vec<T, 4>(v[0])), as_type<uint2>(vec<T, 4>(v[1])));
    }
};

template <>
struct Wide<float> {
    static constant constexpr uint COUNT = 4, FOURS = 1;

    static void widen(uint4 bits, thread float4 *v) { v[0] = as_type<float4>(bits); }

    static uint4 filled(float x) { return uint4(as_type<uint>(x)); }

    static void load(device const float *at, thread float4 *v) { v[0] = *(device const float4 *)at; }

    static void store(device float *at, thread const float4 *v) { *(device float4 *)at = v[0]; }
};
