// Swizzles of a vector: a property for each choice of two to four components, under both sets of names. Reading one gives
// a real vector, so that templates deduce it; those without a repeated component can be assigned to.
#ifndef ASSAY_MSL_SWIZZLE_H
#define ASSAY_MSL_SWIZZLE_H

// MSL_R2 reads two components, MSL_W2 also writes them; xy and rg name the same; likewise for three and four.
#define MSL_R2(xy, rg, c0, c1)                                           \
    constexpr vec<T, 2> get_##xy() const { return vec<T, 2>(c0, c1); }   \
    __declspec(property(get = get_##xy)) vec<T, 2> xy, rg;
#define MSL_W2(xy, rg, c0, c1)                                           \
    constexpr vec<T, 2> get_##xy() const { return vec<T, 2>(c0, c1); }   \
    constexpr void put_##xy(vec<T, 2> v) { c0 = v.x, c1 = v.y; }         \
    __declspec(property(get = get_##xy, put = put_##xy)) vec<T, 2> xy, rg;
#define MSL_R3(xyz, rgb, c0, c1, c2)                                          \
    constexpr vec<T, 3> get_##xyz() const { return vec<T, 3>(c0, c1, c2); }   \
    __declspec(property(get = get_##xyz)) vec<T, 3> xyz, rgb;
#define MSL_W3(xyz, rgb, c0, c1, c2)                                          \
    constexpr vec<T, 3> get_##xyz() const { return vec<T, 3>(c0, c1, c2); }   \
    constexpr void put_##xyz(vec<T, 3> v) { c0 = v.x, c1 = v.y, c2 = v.z; }   \
    __declspec(property(get = get_##xyz, put = put_##xyz)) vec<T, 3> xyz, rgb;
#define MSL_R4(xyzw, rgba, c0, c1, c2, c3)                                         \
    constexpr vec<T, 4> get_##xyzw() const { return vec<T, 4>(c0, c1, c2, c3); }   \
    __declspec(property(get = get_##xyzw)) vec<T, 4> xyzw, rgba;
#define MSL_W4(xyzw, rgba, c0, c1, c2, c3)                                                  \
    constexpr vec<T, 4> get_##xyzw() const { return vec<T, 4>(c0, c1, c2, c3); }            \
    constexpr void put_##xyzw(vec<T, 4> v) { c0 = v.x, c1 = v.y, c2 = v.z, c3 = v.w; }      \
    __declspec(property(get = get_##xyzw, put = put_##xyzw)) vec<T, 4> xyzw, rgba;

#define MSL_SWIZZLES2 \
    MSL_R2(xx, rr, x, x) MSL_W2(xy, rg, x, y) MSL_W2(yx, gr, y, x) MSL_R2(yy, gg, y, y) \
    MSL_R3(xxx, rrr, x, x, x) MSL_R3(xxy, rrg, x, x, y) MSL_R3(xyx, rgr, x, y, x) MSL_R3(xyy, rgg, x, y, y) \
    MSL_R3(yxx, grr, y, x, x) MSL_R3(yxy, grg, y, x, y) MSL_R3(yyx, ggr, y, y, x) MSL_R3(yyy, ggg, y, y, y) \
    MSL_R4(xxxx, rrrr, x, x, x, x) MSL_R4(xxxy, rrrg, x, x, x, y) MSL_R4(xxyx, rrgr, x, x, y, x) MSL_R4(xxyy, rrgg, x, x, y, y) \
    MSL_R4(xyxx, rgrr, x, y, x, x) MSL_R4(xyxy, rgrg, x, y, x, y) MSL_R4(xyyx, rggr, x, y, y, x) MSL_R4(xyyy, rggg, x, y, y, y) \
    MSL_R4(yxxx, grrr, y, x, x, x) MSL_R4(yxxy, grrg, y, x, x, y) MSL_R4(yxyx, grgr, y, x, y, x) MSL_R4(yxyy, grgg, y, x, y, y) \
    MSL_R4(yyxx, ggrr, y, y, x, x) MSL_R4(yyxy, ggrg, y, y, x, y) MSL_R4(yyyx, gggr, y, y, y, x) MSL_R4(yyyy, gggg, y, y, y, y)

#define MSL_SWIZZLES3 \
    MSL_R2(xx, rr, x, x) MSL_W2(xy, rg, x, y) MSL_W2(xz, rb, x, z) MSL_W2(yx, gr, y, x) \
    MSL_R2(yy, gg, y, y) MSL_W2(yz, gb, y, z) MSL_W2(zx, br, z, x) MSL_W2(zy, bg, z, y) \
    MSL_R2(zz, bb, z, z) MSL_R3(xxx, rrr, x, x, x) MSL_R3(xxy, rrg, x, x, y) MSL_R3(xxz, rrb, x, x, z) \
    MSL_R3(xyx, rgr, x, y, x) MSL_R3(xyy, rgg, x, y, y) MSL_W3(xyz, rgb, x, y, z) MSL_R3(xzx, rbr, x, z, x) \
    MSL_W3(xzy, rbg, x, z, y) MSL_R3(xzz, rbb, x, z, z) MSL_R3(yxx, grr, y, x, x) MSL_R3(yxy, grg, y, x, y) \
    MSL_W3(yxz, grb, y, x, z) MSL_R3(yyx, ggr, y, y, x) MSL_R3(yyy, ggg, y, y, y) MSL_R3(yyz, ggb, y, y, z) \
    MSL_W3(yzx, gbr, y, z, x) MSL_R3(yzy, gbg, y, z, y) MSL_R3(yzz, gbb, y, z, z) MSL_R3(zxx, brr, z, x, x) \
    MSL_W3(zxy, brg, z, x, y) MSL_R3(zxz, brb, z, x, z) MSL_W3(zyx, bgr, z, y, x) MSL_R3(zyy, bgg, z, y, y) \
    MSL_R3(zyz, bgb, z, y, z) MSL_R3(zzx, bbr, z, z, x) MSL_R3(zzy, bbg, z, z, y) MSL_R3(zzz, bbb, z, z, z) \
    MSL_R4(xxxx, rrrr, x, x, x, x) MSL_R4(xxxy, rrrg, x, x, x, y) MSL_R4(xxxz, rrrb, x, x, x, z) MSL_R4(xxyx, rrgr, x, x, y, x) \
    MSL_R4(xxyy, rrgg, x, x, y, y) MSL_R4(xxyz, rrgb, x, x, y, z) MSL_R4(xxzx, rrbr, x, x, z, x) MSL_R4(xxzy, rrbg, x, x, z, y) \
    MSL_R4(xxzz, rrbb, x, x, z, z) MSL_R4(xyxx, rgrr, x, y, x, x) MSL_R4(xyxy, rgrg, x, y, x, y) MSL_R4(xyxz, rgrb, x, y, x, z) \
    MSL_R4(xyyx, rggr, x, y, y, x) MSL_R4(xyyy, rggg, x, y, y, y) MSL_R4(xyyz, rggb, x, y, y, z) MSL_R4(xyzx, rgbr, x, y, z, x) \
    MSL_R4(xyzy, rgbg, x, y, z, y) MSL_R4(xyzz, rgbb, x, y, z, z) MSL_R4(xzxx, rbrr, x, z, x, x) MSL_R4(xzxy, rbrg, x, z, x, y) \
    MSL_R4(xzxz, rbrb, x, z, x, z) MSL_R4(xzyx, rbgr, x, z, y, x) MSL_R4(xzyy, rbgg, x, z, y, y) MSL_R4(xzyz, rbgb, x, z, y, z) \
    MSL_R4(xzzx, rbbr, x, z, z, x) MSL_R4(xzzy, rbbg, x, z, z, y) MSL_R4(xzzz, rbbb, x, z, z, z) MSL_R4(yxxx, grrr, y, x, x, x) \
    MSL_R4(yxxy, grrg, y, x, x, y) MSL_R4(yxxz, grrb, y, x, x, z) MSL_R4(yxyx, grgr, y, x, y, x) MSL_R4(yxyy, grgg, y, x, y, y) \
    MSL_R4(yxyz, grgb, y, x, y, z) MSL_R4(yxzx, grbr, y, x, z, x) MSL_R4(yxzy, grbg, y, x, z, y) MSL_R4(yxzz, grbb, y, x, z, z) \
    MSL_R4(yyxx, ggrr, y, y, x, x) MSL_R4(yyxy, ggrg, y, y, x, y) MSL_R4(yyxz, ggrb, y, y, x, z) MSL_R4(yyyx, gggr, y, y, y, x) \
    MSL_R4(yyyy, gggg, y, y, y, y) MSL_R4(yyyz, gggb, y, y, y, z) MSL_R4(yyzx, ggbr, y, y, z, x) MSL_R4(yyzy, ggbg, y, y, z, y) \
    MSL_R4(yyzz, ggbb, y, y, z, z) MSL_R4(yzxx, gbrr, y, z, x, x) MSL_R4(yzxy, gbrg, y, z, x, y) MSL_R4(yzxz, gbrb, y, z, x, z) \
    MSL_R4(yzyx, gbgr, y, z, y, x) MSL_R4(yzyy, gbgg, y, z, y, y) MSL_R4(yzyz, gbgb, y, z, y, z) MSL_R4(yzzx, gbbr, y, z, z, x) \
    MSL_R4(yzzy, gbbg, y, z, z, y) MSL_R4(yzzz, gbbb, y, z, z, z) MSL_R4(zxxx, brrr, z, x, x, x) MSL_R4(zxxy, brrg, z, x, x, y) \
    MSL_R4(zxxz, brrb, z, x, x, z) MSL_R4(zxyx, brgr, z, x, y, x) MSL_R4(zxyy, brgg, z, x, y, y) MSL_R4(zxyz, brgb, z, x, y, z) \
    MSL_R4(zxzx, brbr, z, x, z, x) MSL_R4(zxzy, brbg, z, x, z, y) MSL_R4(zxzz, brbb, z, x, z, z) MSL_R4(zyxx, bgrr, z, y, x, x) \
    MSL_R4(zyxy, bgrg, z, y, x, y) MSL_R4(zyxz, bgrb, z, y, x, z) MSL_R4(zyyx, bggr, z, y, y, x) MSL_R4(zyyy, bggg, z, y, y, y) \
    MSL_R4(zyyz, bggb, z, y, y, z) MSL_R4(zyzx, bgbr, z, y, z, x) MSL_R4(zyzy, bgbg, z, y, z, y) MSL_R4(zyzz, bgbb, z, y, z, z) \
    MSL_R4(zzxx, bbrr, z, z, x, x) MSL_R4(zzxy, bbrg, z, z, x, y) MSL_R4(zzxz, bbrb, z, z, x, z) MSL_R4(zzyx, bbgr, z, z, y, x) \
    MSL_R4(zzyy, bbgg, z, z, y, y) MSL_R4(zzyz, bbgb, z, z, y, z) MSL_R4(zzzx, bbbr, z, z, z, x) MSL_R4(zzzy, bbbg, z, z, z, y) \
    MSL_R4(zzzz, bbbb, z, z, z, z)

#define MSL_SWIZZLES4 \
    MSL_R2(xx, rr, x, x) MSL_W2(xy, rg, x, y) MSL_W2(xz, rb, x, z) MSL_W2(xw, ra, x, w) \
    MSL_W2(yx, gr, y, x) MSL_R2(yy, gg, y, y) MSL_W2(yz, gb, y, z) MSL_W2(yw, ga, y, w) \
    MSL_W2(zx, br, z, x) MSL_W2(zy, bg, z, y) MSL_R2(zz, bb, z, z) MSL_W2(zw, ba, z, w) \
    MSL_W2(wx, ar, w, x) MSL_W2(wy, ag, w, y) MSL_W2(wz, ab, w, z) MSL_R2(ww, aa, w, w) \
    MSL_R3(xxx, rrr, x, x, x) MSL_R3(xxy, rrg, x, x, y) MSL_R3(xxz, rrb, x, x, z) MSL_R3(xxw, rra, x, x, w) \
    MSL_R3(xyx, rgr, x, y, x) MSL_R3(xyy, rgg, x, y, y) MSL_W3(xyz, rgb, x, y, z) MSL_W3(xyw, rga, x, y, w) \
    MSL_R3(xzx, rbr, x, z, x) MSL_W3(xzy, rbg, x, z, y) MSL_R3(xzz, rbb, x, z, z) MSL_W3(xzw, rba, x, z, w) \
    MSL_R3(xwx, rar, x, w, x) MSL_W3(xwy, rag, x, w, y) MSL_W3(xwz, rab, x, w, z) MSL_R3(xww, raa, x, w, w) \
    MSL_R3(yxx, grr, y, x, x) MSL_R3(yxy, grg, y, x, y) MSL_W3(yxz, grb, y, x, z) MSL_W3(yxw, gra, y, x, w) \
    MSL_R3(yyx, ggr, y, y, x) MSL_R3(yyy, ggg, y, y, y) MSL_R3(yyz, ggb, y, y, z) MSL_R3(yyw, gga, y, y, w) \
    MSL_W3(yzx, gbr, y, z, x) MSL_R3(yzy, gbg, y, z, y) MSL_R3(yzz, gbb, y, z, z) MSL_W3(yzw, gba, y, z, w) \
    MSL_W3(ywx, gar, y, w, x) MSL_R3(ywy, gag, y, w, y) MSL_W3(ywz, gab, y, w, z) MSL_R3(yww, gaa, y, w, w) \
    MSL_R3(zxx, brr, z, x, x) MSL_W3(zxy, brg, z, x, y) MSL_R3(zxz, brb, z, x, z) MSL_W3(zxw, bra, z, x, w) \
    MSL_W3(zyx, bgr, z, y, x) MSL_R3(zyy, bgg, z, y, y) MSL_R3(zyz, bgb, z, y, z) MSL_W3(zyw, bga, z, y, w) \
    MSL_R3(zzx, bbr, z, z, x) MSL_R3(zzy, bbg, z, z, y) MSL_R3(zzz, bbb, z, z, z) MSL_R3(zzw, bba, z, z, w) \
    MSL_W3(zwx, bar, z, w, x) MSL_W3(zwy, bag, z, w, y) MSL_R3(zwz, bab, z, w, z) MSL_R3(zww, baa, z, w, w) \
    MSL_R3(wxx, arr, w, x, x) MSL_W3(wxy, arg, w, x, y) MSL_W3(wxz, arb, w, x, z) MSL_R3(wxw, ara, w, x, w) \
    MSL_W3(wyx, agr, w, y, x) MSL_R3(wyy, agg, w, y, y) MSL_W3(wyz, agb, w, y, z) MSL_R3(wyw, aga, w, y, w) \
    MSL_W3(wzx, abr, w, z, x) MSL_W3(wzy, abg, w, z, y) MSL_R3(wzz, abb, w, z, z) MSL_R3(wzw, aba, w, z, w) \
    MSL_R3(wwx, aar, w, w, x) MSL_R3(wwy, aag, w, w, y) MSL_R3(wwz, aab, w, w, z) MSL_R3(www, aaa, w, w, w) \
    MSL_R4(xxxx, rrrr, x, x, x, x) MSL_R4(xxxy, rrrg, x, x, x, y) MSL_R4(xxxz, rrrb, x, x, x, z) MSL_R4(xxxw, rrra, x, x, x, w) \
    MSL_R4(xxyx, rrgr, x, x, y, x) MSL_R4(xxyy, rrgg, x, x, y, y) MSL_R4(xxyz, rrgb, x, x, y, z) MSL_R4(xxyw, rrga, x, x, y, w) \
    MSL_R4(xxzx, rrbr, x, x, z, x) MSL_R4(xxzy, rrbg, x, x, z, y) MSL_R4(xxzz, rrbb, x, x, z, z) MSL_R4(xxzw, rrba, x, x, z, w) \
    MSL_R4(xxwx, rrar, x, x, w, x) MSL_R4(xxwy, rrag, x, x, w, y) MSL_R4(xxwz, rrab, x, x, w, z) MSL_R4(xxww, rraa, x, x, w, w) \
    MSL_R4(xyxx, rgrr, x, y, x, x) MSL_R4(xyxy, rgrg, x, y, x, y) MSL_R4(xyxz, rgrb, x, y, x, z) MSL_R4(xyxw, rgra, x, y, x, w) \
    MSL_R4(xyyx, rggr, x, y, y, x) MSL_R4(xyyy, rggg, x, y, y, y) MSL_R4(xyyz, rggb, x, y, y, z) MSL_R4(xyyw, rgga, x, y, y, w) \
    MSL_R4(xyzx, rgbr, x, y, z, x) MSL_R4(xyzy, rgbg, x, y, z, y) MSL_R4(xyzz, rgbb, x, y, z, z) MSL_W4(xyzw, rgba, x, y, z, w) \
    MSL_R4(xywx, rgar, x, y, w, x) MSL_R4(xywy, rgag, x, y, w, y) MSL_W4(xywz, rgab, x, y, w, z) MSL_R4(xyww, rgaa, x, y, w, w) \
    MSL_R4(xzxx, rbrr, x, z, x, x) MSL_R4(xzxy, rbrg, x, z, x, y) MSL_R4(xzxz, rbrb, x, z, x, z) MSL_R4(xzxw, rbra, x, z, x, w) \
    MSL_R4(xzyx, rbgr, x, z, y, x) MSL_R4(xzyy, rbgg, x, z, y, y) MSL_R4(xzyz, rbgb, x, z, y, z) MSL_W4(xzyw, rbga, x, z, y, w) \
    MSL_R4(xzzx, rbbr, x, z, z, x) MSL_R4(xzzy, rbbg, x, z, z, y) MSL_R4(xzzz, rbbb, x, z, z, z) MSL_R4(xzzw, rbba, x, z, z, w) \
    MSL_R4(xzwx, rbar, x, z, w, x) MSL_W4(xzwy, rbag, x, z, w, y) MSL_R4(xzwz, rbab, x, z, w, z) MSL_R4(xzww, rbaa, x, z, w, w) \
    MSL_R4(xwxx, rarr, x, w, x, x) MSL_R4(xwxy, rarg, x, w, x, y) MSL_R4(xwxz, rarb, x, w, x, z) MSL_R4(xwxw, rara, x, w, x, w) \
    MSL_R4(xwyx, ragr, x, w, y, x) MSL_R4(xwyy, ragg, x, w, y, y) MSL_W4(xwyz, ragb, x, w, y, z) MSL_R4(xwyw, raga, x, w, y, w) \
    MSL_R4(xwzx, rabr, x, w, z, x) MSL_W4(xwzy, rabg, x, w, z, y) MSL_R4(xwzz, rabb, x, w, z, z) MSL_R4(xwzw, raba, x, w, z, w) \
    MSL_R4(xwwx, raar, x, w, w, x) MSL_R4(xwwy, raag, x, w, w, y) MSL_R4(xwwz, raab, x, w, w, z) MSL_R4(xwww, raaa, x, w, w, w) \
    MSL_R4(yxxx, grrr, y, x, x, x) MSL_R4(yxxy, grrg, y, x, x, y) MSL_R4(yxxz, grrb, y, x, x, z) MSL_R4(yxxw, grra, y, x, x, w) \
    MSL_R4(yxyx, grgr, y, x, y, x) MSL_R4(yxyy, grgg, y, x, y, y) MSL_R4(yxyz, grgb, y, x, y, z) MSL_R4(yxyw, grga, y, x, y, w) \
    MSL_R4(yxzx, grbr, y, x, z, x) MSL_R4(yxzy, grbg, y, x, z, y) MSL_R4(yxzz, grbb, y, x, z, z) MSL_W4(yxzw, grba, y, x, z, w) \
    MSL_R4(yxwx, grar, y, x, w, x) MSL_R4(yxwy, grag, y, x, w, y) MSL_W4(yxwz, grab, y, x, w, z) MSL_R4(yxww, graa, y, x, w, w) \
    MSL_R4(yyxx, ggrr, y, y, x, x) MSL_R4(yyxy, ggrg, y, y, x, y) MSL_R4(yyxz, ggrb, y, y, x, z) MSL_R4(yyxw, ggra, y, y, x, w) \
    MSL_R4(yyyx, gggr, y, y, y, x) MSL_R4(yyyy, gggg, y, y, y, y) MSL_R4(yyyz, gggb, y, y, y, z) MSL_R4(yyyw, ggga, y, y, y, w) \
    MSL_R4(yyzx, ggbr, y, y, z, x) MSL_R4(yyzy, ggbg, y, y, z, y) MSL_R4(yyzz, ggbb, y, y, z, z) MSL_R4(yyzw, ggba, y, y, z, w) \
    MSL_R4(yywx, ggar, y, y, w, x) MSL_R4(yywy, ggag, y, y, w, y) MSL_R4(yywz, ggab, y, y, w, z) MSL_R4(yyww, ggaa, y, y, w, w) \
    MSL_R4(yzxx, gbrr, y, z, x, x) MSL_R4(yzxy, gbrg, y, z, x, y) MSL_R4(yzxz, gbrb, y, z, x, z) MSL_W4(yzxw, gbra, y, z, x, w) \
    MSL_R4(yzyx, gbgr, y, z, y, x) MSL_R4(yzyy, gbgg, y, z, y, y) MSL_R4(yzyz, gbgb, y, z, y, z) MSL_R4(yzyw, gbga, y, z, y, w) \
    MSL_R4(yzzx, gbbr, y, z, z, x) MSL_R4(yzzy, gbbg, y, z, z, y) MSL_R4(yzzz, gbbb, y, z, z, z) MSL_R4(yzzw, gbba, y, z, z, w) \
    MSL_W4(yzwx, gbar, y, z, w, x) MSL_R4(yzwy, gbag, y, z, w, y) MSL_R4(yzwz, gbab, y, z, w, z) MSL_R4(yzww, gbaa, y, z, w, w) \
    MSL_R4(ywxx, garr, y, w, x, x) MSL_R4(ywxy, garg, y, w, x, y) MSL_W4(ywxz, garb, y, w, x, z) MSL_R4(ywxw, gara, y, w, x, w) \
    MSL_R4(ywyx, gagr, y, w, y, x) MSL_R4(ywyy, gagg, y, w, y, y) MSL_R4(ywyz, gagb, y, w, y, z) MSL_R4(ywyw, gaga, y, w, y, w) \
    MSL_W4(ywzx, gabr, y, w, z, x) MSL_R4(ywzy, gabg, y, w, z, y) MSL_R4(ywzz, gabb, y, w, z, z) MSL_R4(ywzw, gaba, y, w, z, w) \
    MSL_R4(ywwx, gaar, y, w, w, x) MSL_R4(ywwy, gaag, y, w, w, y) MSL_R4(ywwz, gaab, y, w, w, z) MSL_R4(ywww, gaaa, y, w, w, w) \
    MSL_R4(zxxx, brrr, z, x, x, x) MSL_R4(zxxy, brrg, z, x, x, y) MSL_R4(zxxz, brrb, z, x, x, z) MSL_R4(zxxw, brra, z, x, x, w) \
    MSL_R4(zxyx, brgr, z, x, y, x) MSL_R4(zxyy, brgg, z, x, y, y) MSL_R4(zxyz, brgb, z, x, y, z) MSL_W4(zxyw, brga, z, x, y, w) \
    MSL_R4(zxzx, brbr, z, x, z, x) MSL_R4(zxzy, brbg, z, x, z, y) MSL_R4(zxzz, brbb, z, x, z, z) MSL_R4(zxzw, brba, z, x, z, w) \
    MSL_R4(zxwx, brar, z, x, w, x) MSL_W4(zxwy, brag, z, x, w, y) MSL_R4(zxwz, brab, z, x, w, z) MSL_R4(zxww, braa, z, x, w, w) \
    MSL_R4(zyxx, bgrr, z, y, x, x) MSL_R4(zyxy, bgrg, z, y, x, y) MSL_R4(zyxz, bgrb, z, y, x, z) MSL_W4(zyxw, bgra, z, y, x, w) \
    MSL_R4(zyyx, bggr, z, y, y, x) MSL_R4(zyyy, bggg, z, y, y, y) MSL_R4(zyyz, bggb, z, y, y, z) MSL_R4(zyyw, bgga, z, y, y, w) \
    MSL_R4(zyzx, bgbr, z, y, z, x) MSL_R4(zyzy, bgbg, z, y, z, y) MSL_R4(zyzz, bgbb, z, y, z, z) MSL_R4(zyzw, bgba, z, y, z, w) \
    MSL_W4(zywx, bgar, z, y, w, x) MSL_R4(zywy, bgag, z, y, w, y) MSL_R4(zywz, bgab, z, y, w, z) MSL_R4(zyww, bgaa, z, y, w, w) \
    MSL_R4(zzxx, bbrr, z, z, x, x) MSL_R4(zzxy, bbrg, z, z, x, y) MSL_R4(zzxz, bbrb, z, z, x, z) MSL_R4(zzxw, bbra, z, z, x, w) \
    MSL_R4(zzyx, bbgr, z, z, y, x) MSL_R4(zzyy, bbgg, z, z, y, y) MSL_R4(zzyz, bbgb, z, z, y, z) MSL_R4(zzyw, bbga, z, z, y, w) \
    MSL_R4(zzzx, bbbr, z, z, z, x) MSL_R4(zzzy, bbbg, z, z, z, y) MSL_R4(zzzz, bbbb, z, z, z, z) MSL_R4(zzzw, bbba, z, z, z, w) \
    MSL_R4(zzwx, bbar, z, z, w, x) MSL_R4(zzwy, bbag, z, z, w, y) MSL_R4(zzwz, bbab, z, z, w, z) MSL_R4(zzww, bbaa, z, z, w, w) \
    MSL_R4(zwxx, barr, z, w, x, x) MSL_W4(zwxy, barg, z, w, x, y) MSL_R4(zwxz, barb, z, w, x, z) MSL_R4(zwxw, bara, z, w, x, w) \
    MSL_W4(zwyx, bagr, z, w, y, x) MSL_R4(zwyy, bagg, z, w, y, y) MSL_R4(zwyz, bagb, z, w, y, z) MSL_R4(zwyw, baga, z, w, y, w) \
    MSL_R4(zwzx, babr, z, w, z, x) MSL_R4(zwzy, babg, z, w, z, y) MSL_R4(zwzz, babb, z, w, z, z) MSL_R4(zwzw, baba, z, w, z, w) \
    MSL_R4(zwwx, baar, z, w, w, x) MSL_R4(zwwy, baag, z, w, w, y) MSL_R4(zwwz, baab, z, w, w, z) MSL_R4(zwww, baaa, z, w, w, w) \
    MSL_R4(wxxx, arrr, w, x, x, x) MSL_R4(wxxy, arrg, w, x, x, y) MSL_R4(wxxz, arrb, w, x, x, z) MSL_R4(wxxw, arra, w, x, x, w) \
    MSL_R4(wxyx, argr, w, x, y, x) MSL_R4(wxyy, argg, w, x, y, y) MSL_W4(wxyz, argb, w, x, y, z) MSL_R4(wxyw, arga, w, x, y, w) \
    MSL_R4(wxzx, arbr, w, x, z, x) MSL_W4(wxzy, arbg, w, x, z, y) MSL_R4(wxzz, arbb, w, x, z, z) MSL_R4(wxzw, arba, w, x, z, w) \
    MSL_R4(wxwx, arar, w, x, w, x) MSL_R4(wxwy, arag, w, x, w, y) MSL_R4(wxwz, arab, w, x, w, z) MSL_R4(wxww, araa, w, x, w, w) \
    MSL_R4(wyxx, agrr, w, y, x, x) MSL_R4(wyxy, agrg, w, y, x, y) MSL_W4(wyxz, agrb, w, y, x, z) MSL_R4(wyxw, agra, w, y, x, w) \
    MSL_R4(wyyx, aggr, w, y, y, x) MSL_R4(wyyy, aggg, w, y, y, y) MSL_R4(wyyz, aggb, w, y, y, z) MSL_R4(wyyw, agga, w, y, y, w) \
    MSL_W4(wyzx, agbr, w, y, z, x) MSL_R4(wyzy, agbg, w, y, z, y) MSL_R4(wyzz, agbb, w, y, z, z) MSL_R4(wyzw, agba, w, y, z, w) \
    MSL_R4(wywx, agar, w, y, w, x) MSL_R4(wywy, agag, w, y, w, y) MSL_R4(wywz, agab, w, y, w, z) MSL_R4(wyww, agaa, w, y, w, w) \
    MSL_R4(wzxx, abrr, w, z, x, x) MSL_W4(wzxy, abrg, w, z, x, y) MSL_R4(wzxz, abrb, w, z, x, z) MSL_R4(wzxw, abra, w, z, x, w) \
    MSL_W4(wzyx, abgr, w, z, y, x) MSL_R4(wzyy, abgg, w, z, y, y) MSL_R4(wzyz, abgb, w, z, y, z) MSL_R4(wzyw, abga, w, z, y, w) \
    MSL_R4(wzzx, abbr, w, z, z, x) MSL_R4(wzzy, abbg, w, z, z, y) MSL_R4(wzzz, abbb, w, z, z, z) MSL_R4(wzzw, abba, w, z, z, w) \
    MSL_R4(wzwx, abar, w, z, w, x) MSL_R4(wzwy, abag, w, z, w, y) MSL_R4(wzwz, abab, w, z, w, z) MSL_R4(wzww, abaa, w, z, w, w) \
    MSL_R4(wwxx, aarr, w, w, x, x) MSL_R4(wwxy, aarg, w, w, x, y) MSL_R4(wwxz, aarb, w, w, x, z) MSL_R4(wwxw, aara, w, w, x, w) \
    MSL_R4(wwyx, aagr, w, w, y, x) MSL_R4(wwyy, aagg, w, w, y, y) MSL_R4(wwyz, aagb, w, w, y, z) MSL_R4(wwyw, aaga, w, w, y, w) \
    MSL_R4(wwzx, aabr, w, w, z, x) MSL_R4(wwzy, aabg, w, w, z, y) MSL_R4(wwzz, aabb, w, w, z, z) MSL_R4(wwzw, aaba, w, w, z, w) \
    MSL_R4(wwwx, aaar, w, w, w, x) MSL_R4(wwwy, aaag, w, w, w, y) MSL_R4(wwwz, aaab, w, w, w, z) MSL_R4(wwww, aaaa, w, w, w, w)

#endif
