// Package alike stores rows of numbers that mostly repeat another row in a fraction of the memory.
package alike

import (
	"math"
	"math/bits"
)

// Row is a row of numbers, encoded as words: the count, a bit per number that is set if it differs from the other row's, and the
// numbers that differ. A row without numbers is nil.
type Row []uint64

// piece is how many words are allocated at a time, unless a row has more. Long-lived data must not be mixed with short-lived garbage:
// memory is returned to the system in whole pages.
const piece = 4096

// wordBits is the number of bits in a word.
const wordBits = 64

// Pack packs numbers next to the previously packed row, if there is room. Numbers missing from like count as 0.
func Pack(numbers, like []float64, before Row) Row {
	if len(numbers) == 0 {
		return nil
	}
	row := room(size(numbers, like), before)
	row[0] = uint64(len(numbers))
	mask, rest := row[1:1+words(len(numbers))], row[1+words(len(numbers)):]
	for i, v := range numbers {
		if !same(v, like, i) {
			mask[i/wordBits] |= 1 << (i % wordBits)
			rest[0], rest = math.Float64bits(v), rest[1:]
		}
	}
	return row
}

// Len returns how many numbers the row has.
func (r Row) Len() int {
	if r == nil {
		return 0
	}
	return int(r[0])
}

// Unpack returns the numbers, which must have been packed with the same like.
func (r Row) Unpack(like []float64) []float64 {
	if r == nil {
		return nil
	}
	out := make([]float64, r.Len())
	copy(out, like)
	mask := r[1 : 1+words(len(out))]
	rest := r[1+len(mask):]
	for i, word := range mask {
		for ; word != 0; word &= word - 1 {
			out[i*wordBits+bits.TrailingZeros64(word)] = math.Float64frombits(rest[0])
			rest = rest[1:]
		}
	}
	return out
}

// words returns how many words hold one bit for each of n numbers.
func words(n int) int { return (n + wordBits - 1) / wordBits }

// size returns how many words a row takes.
func size(numbers, like []float64) int {
	n := 1 + words(len(numbers))
	for i, v := range numbers {
		if !same(v, like, i) {
			n++
		}
	}
	return n
}

// same reports whether number i is bit-identical to that of like.
func same(v float64, like []float64, i int) bool {
	other := 0.0
	if i < len(like) {
		other = like[i]
	}
	return math.Float64bits(v) == math.Float64bits(other)
}

// room returns n zeroed words, after those of the previous row if there is space.
func room(n int, before Row) Row {
	if rest := before[len(before):cap(before)]; len(rest) >= n {
		return rest[:n]
	}
	return make(Row, n, max(n, piece))
}
