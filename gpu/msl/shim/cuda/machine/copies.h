// Copies by a whole SIMD group under the compiler's internal names do not exist here: names in PTX have no dots. A kernel that
// uses one is refused by that name.
