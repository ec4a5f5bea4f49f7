package shaders

import "math"

// References, tolerances and launches shared by several families.

// Rounding returns the tolerance of a short float computation whose result is stored as t.
func Rounding(t Type) Tolerance {
	i := &types[t]
	tol := Tolerance{2e-6, i.tiny, i.ulp, "a few float roundings, and a polynomial or fast exp in GELU"}
	if i.ulp > 0 {
		tol.Why = "a few float roundings, and a unit in the last place of " + i.name + " for the store"
	}
	return tol
}

// sumRoundings is the multiple of √k·2⁻²⁴ by which a sum of k terms may be off.
const sumRoundings = 8

// SumTolerance bounds a float sum of k products, in any order, stored as t. Each addition rounds by at most 2⁻²⁴ of a
// partial sum, and so by at most that fraction of the sum of magnitudes. For inputs without a pattern the roundings are a random
// walk, which ends near √k of them rather than at the worst case of k. That holds in any order: adding terms one by one
// gives the largest errors, about ⅓·√k·2⁻²⁴ if all are positive, and far smaller ones if they cancel or are added in lanes.
func SumTolerance(k int, t Type) Tolerance {
	tol := Rounding(t)
	tol.Rel += min(float64(k), sumRoundings*math.Sqrt(float64(k))) * 0x1p-24
	tol.Why = "8·√k·2⁻²⁴ (k·2⁻²⁴ up to k = 64) of the sum of the terms' magnitudes, and the store's rounding"
	return tol
}

// Linear covers n elements with threadgroups of 256 threads, each thread handling `each` elements.
func Linear(n, each int) Launch {
	per := 256 * each
	return Launch{Groups: [3]uint32{uint32((n + per - 1) / per), 1, 1}, Threads: [3]uint32{256, 1, 1}}
}

// Sixteen returns the number of elements of type t that a thread loads or stores at once: 16 bytes.
func Sixteen(t Type) int { return 16 / t.Bytes(1) }

// Grid covers a matrix with threadgroups of 32 × 8 threads, one thread per element.
func Grid(rows, cols uint32) Launch {
	return Launch{Groups: [3]uint32{(cols + 31) / 32, (rows + 7) / 8, 1}, Threads: [3]uint32{32, 8, 1}}
}

// LargestAndSum returns what normalized exponentials need: the largest of n elements starting at first, and the sum of their exponentials relative to it.
func LargestAndSum(x View, first, n int) []float64 {
	largest, sum := math.Inf(-1), 0.0
	for i := first; i < first+n; i++ {
		largest = math.Max(largest, x.At(i))
	}
	for i := first; i < first+n; i++ {
		sum += math.Exp(x.At(i) - largest)
	}
	return []float64{largest, sum}
}
