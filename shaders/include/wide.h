// Vectors of 16 bytes, which every GPU loads and stores in one instruction: four floats, or eight elements of two bytes. Their
// addresses must be multiples of 16.

template <typename T>
struct Wide {
    static constant constexpr uint COUNT = 8, FOURS = 2;

    // The first or the second four elements.
    static float4 four(uint4 bits, uint i) { return float4(as_type<vec<T, 4>>(i == 0 ? bits.xy : bits.zw)); }

    static void widen(uint4 bits, thread float4 *v) {
        v[0] = four(bits, 0);
        v[1] = four(bits, 1);
    }

    // A vector filled with x.
    static uint4 filled(float x) { return uint4(as_type<uint>(vec<T, 2>(T(x), T(x)))); }

    static void load(device const T *at, thread float4 *v) { widen(*(device const uint4 *)at, v); }

    static uint4 narrow(thread const float4 *v) {
        return uint4(as_type<uint2>(vec<T, 4>(v[0])), as_type<uint2>(vec<T, 4>(v[1])));
    }

    static void store(device T *at, thread const float4 *v) { *(device uint4 *)at = narrow(v); }
};

template <>
struct Wide<float> {
    static constant constexpr uint COUNT = 4, FOURS = 1;

    static float4 four(uint4 bits, uint) { return as_type<float4>(bits); }

    static void widen(uint4 bits, thread float4 *v) { v[0] = four(bits, 0); }

    static uint4 narrow(thread const float4 *v) { return as_type<uint4>(v[0]); }

    static uint4 filled(float x) { return uint4(as_type<uint>(x)); }

    static void load(device const float *at, thread float4 *v) { v[0] = *(device const float4 *)at; }

    static void store(device float *at, thread const float4 *v) { *(device float4 *)at = v[0]; }
};
