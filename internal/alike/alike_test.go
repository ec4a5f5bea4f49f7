package alike

import (
	"math"
	"slices"
	"testing"
)

func TestRowsAreUnpackedAsTheyWere(t *testing.T) {
	long := make([]float64, 3*piece)
	for i := range long {
		long[i] = float64(i % 7)
	}
	nan := math.Float64frombits(0x7ff8000000000123) // with its payload
	var before Row
	for _, c := range []struct{ numbers, like []float64 }{
		{nil, nil},
		{nil, []float64{1}},
		{[]float64{0, 0}, nil},
		{[]float64{1, 2, 3}, []float64{1, 2, 3}},
		{[]float64{1, 2, 3}, []float64{1, 5, 3}},
		{[]float64{1, 2, 3}, []float64{1}},
		{[]float64{1}, []float64{1, 2, 3}},
		{[]float64{math.Copysign(0, -1), nan, math.Inf(1)}, []float64{0, math.NaN(), math.Inf(1)}},
		{long, nil},
		{long[:64], long[1:65]},
		{long[:65], long[:65]},
	} {
		row := Pack(c.numbers, c.like, before)
		got := row.Unpack(c.like)
		if row.Len() != len(c.numbers) || !slices.EqualFunc(got, c.numbers, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Errorf("%d numbers with %d: got %v", len(c.numbers), len(c.like), got)
		}
		before = row
	}
}

// Packing a row leaves earlier rows unchanged, and takes only as much room as what differs.
func TestRowsLieTogether(t *testing.T) {
	like := make([]float64, 100)
	var rows []Row
	var before Row
	for i := range 1000 {
		numbers := slices.Clone(like)
		numbers[i%100] = float64(i + 1)
		before = Pack(numbers, like, before)
		rows = append(rows, before)
	}
	for i, r := range rows {
		got := r.Unpack(like)
		if got[i%100] != float64(i+1) {
			t.Fatalf("row %d has %g", i, got[i%100])
		}
		if len(r) != 4 { // the count, two words of bits, one number
			t.Fatalf("row %d takes %d words", i, len(r))
		}
	}
	if got := testing.AllocsPerRun(1000, func() { before = Pack(like, nil, before) }); got > 0.1 {
		t.Errorf("%g allocations for each row", got)
	}
}
