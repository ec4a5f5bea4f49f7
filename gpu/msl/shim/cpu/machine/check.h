// Checking mode: the calls that clang's sanitizers put before each access, passed on to the executor. The object is
// compiled with -fsanitize=kernel-address and calls instead of inline checks; bounds and division checks are optional.
#ifndef ASSAY_MSL_CHECK_H
#define ASSAY_MSL_CHECK_H

#if __has_feature(address_sanitizer)
#define MSL_PLAIN extern "C" __attribute__((used, visibility("hidden"), no_sanitize("kernel-address", "address", "undefined")))
#define MSL_PC ((uintptr_t)__builtin_return_address(0))

extern "C" {
__attribute__((visibility("default"))) extern const uint32_t msl_checking;
__attribute__((used)) const uint32_t msl_checking = 1;
}

// There is no table yet while initializers of program scope run.
#define MSL_CHECK(p, n, write) \
    if (msl_host_table && (n)) msl_host_table->access((uintptr_t)(p), n, write, MSL_PC)
#define MSL_ACCESS(n)                                                            \
    MSL_PLAIN void __asan_load##n##_noabort(uintptr_t p) { MSL_CHECK(p, n, 0); } \
    MSL_PLAIN void __asan_store##n##_noabort(uintptr_t p) { MSL_CHECK(p, n, 1); }
MSL_ACCESS(1)
MSL_ACCESS(2)
MSL_ACCESS(4)
MSL_ACCESS(8)
MSL_ACCESS(16)
#undef MSL_ACCESS
MSL_PLAIN void __asan_loadN_noabort(uintptr_t p, size_t n) { MSL_CHECK(p, n, 0); }
MSL_PLAIN void __asan_storeN_noabort(uintptr_t p, size_t n) { MSL_CHECK(p, n, 1); }
MSL_PLAIN void __asan_handle_no_return() {}
MSL_PLAIN void __asan_register_globals(uintptr_t, size_t) {}
MSL_PLAIN void __asan_unregister_globals(uintptr_t, size_t) {}
MSL_PLAIN void __asan_before_dynamic_init(const char *) {}
MSL_PLAIN void __asan_after_dynamic_init() {}
MSL_PLAIN void __asan_alloca_poison(uintptr_t, size_t) {}
MSL_PLAIN void __asan_allocas_unpoison(uintptr_t, size_t) {}
// Copies of structs are calls of these, by the plain names too. They must not be compiled into calls of themselves.
#define MSL_COPIES(p)                                                                                          \
    MSL_PLAIN __attribute__((no_builtin)) void *p##memcpy(void *to, const void *from, size_t n) {              \
        MSL_CHECK(from, n, 0);                                                                                 \
        MSL_CHECK(to, n, 1);                                                                                   \
        for (size_t i = 0; i < n; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];            \
        return to;                                                                                             \
    }                                                                                                          \
    MSL_PLAIN __attribute__((no_builtin)) void *p##memmove(void *to, const void *from, size_t n) {             \
        MSL_CHECK(from, n, 0);                                                                                 \
        MSL_CHECK(to, n, 1);                                                                                   \
        unsigned char *t = (unsigned char *)to;                                                                \
        const unsigned char *f = (const unsigned char *)from;                                                  \
        if (t < f)                                                                                             \
            for (size_t i = 0; i < n; i++) t[i] = f[i];                                                        \
        else                                                                                                   \
            for (size_t i = n; i > 0; i--) t[i - 1] = f[i - 1];                                                \
        return to;                                                                                             \
    }                                                                                                          \
    MSL_PLAIN __attribute__((no_builtin)) void *p##memset(void *to, int v, size_t n) {                         \
        MSL_CHECK(to, n, 1);                                                                                   \
        for (size_t i = 0; i < n; i++) ((unsigned char *)to)[i] = (unsigned char)v;                            \
        return to;                                                                                             \
    }
MSL_COPIES()
MSL_COPIES(__asan_)
#undef MSL_COPIES
#define MSL_FAULT(name, message, ...) \
    MSL_PLAIN void __ubsan_handle_##name(__VA_ARGS__) { \
        if (msl_host_table) msl_host_table->fault(MSL_PC, message);      \
    }
MSL_FAULT(out_of_bounds, "index out of the bounds of an array", void *, void *)
MSL_FAULT(out_of_bounds_abort, "index out of the bounds of an array", void *, void *)
MSL_FAULT(divrem_overflow, "integer division by zero", void *, void *, void *)
MSL_FAULT(divrem_overflow_abort, "integer division by zero", void *, void *, void *)
MSL_FAULT(shift_out_of_bounds, "shift by a negative number or by the width of the type or more", void *, void *, void *)
MSL_FAULT(shift_out_of_bounds_abort, "shift by a negative number or by the width of the type or more", void *, void *, void *)
MSL_FAULT(builtin_unreachable, "the end of a function that returns a value, or unreachable code, was reached", void *)
MSL_FAULT(missing_return, "the end of a function that returns a value was reached", void *)
MSL_FAULT(type_mismatch_v1, "access that is null, misaligned or too large", void *, void *)
MSL_FAULT(type_mismatch_v1_abort, "access that is null, misaligned or too large", void *, void *)
MSL_FAULT(float_cast_overflow, "float out of the range of an integer", void *, void *)
MSL_FAULT(vla_bound_not_positive, "array with no elements", void *, void *)
#undef MSL_FAULT
#undef MSL_PLAIN
#undef MSL_PC
#endif

#endif
