package series

// Thinner keeps at most a number of items from a stream, evenly spaced: all, then every second one, every fourth …
type Thinner[T any] struct {
	Kept  []T
	every int // one of this many is kept
	seen  int
}

// Add adds the next item; limit is the maximum number kept, at least 2.
func (t *Thinner[T]) Add(next T, limit int) {
	t.every = max(1, t.every)
	if t.seen%t.every == 0 {
		if len(t.Kept) >= max(2, limit) {
			t.halve()
		}
		if t.seen%t.every == 0 {
			t.Kept = append(t.Kept, next)
		}
	}
	t.seen++
}

// halve keeps every second item, in a new list: the old list is not changed.
func (t *Thinner[T]) halve() {
	kept := make([]T, 0, cap(t.Kept))
	for i := 0; i < len(t.Kept); i += 2 {
		kept = append(kept, t.Kept[i])
	}
	t.Kept, t.every = kept, 2*t.every
}

// Every returns n if one in n items is kept; 1: all.
func (t *Thinner[T]) Every() int { return max(1, t.every) }
