// Package alike stores rows of numbers that mostly repeat another row in a fraction of the memory.
package alike

import (
	"math"
	"math/bits"
)

// Row is a row of numbers as words: how many there are, a bit for each that says if it differs from that of the other row, and those
// that do. A row without numbers is nil.
type Row []uint64

// piece is how many words are kept in one piece of memory, unless a row has more. What stays for hours must not lie among what is
// soon garbage: memory is given back to the system by whole pages.
const piece = 4096

// wordBits are the bits of a word.
const wordBits = 64

// Pack packs numbers beside those of the row packed before, if there is room. What like lacks is 0 there.
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

// Len is how many numbers the row has.
func (r Row) Len() int {
	if r == nil {
		return 0
	}
	return int(r[0])
}

// Unpack are the numbers, which were packed with the same like.
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

// words is how many words have a bit for each of n numbers.
func words(n int) int { return (n + wordBits - 1) / wordBits }

// size is how many words a row takes.
func size(numbers, like []float64) int {
	n := 1 + words(len(numbers))
	for i, v := range numbers {
		if !same(v, like, i) {
			n++
		}
	}
	return n
}

// same reports whether number i is bit for bit that of like.
func same(v float64, like []float64, i int) bool {
	other := 0.0
	if i < len(like) {
		other = like[i]
	}
	return math.Float64bits(v) == math.Float64bits(other)
}

// room is room for n words, all 0, after those of the row before if there is some left.
func room(n int, before Row) Row {
	if rest := before[len(before):cap(before)]; len(rest) >= n {
		return rest[:n]
	}
	return make(Row, n, max(n, piece))
}
