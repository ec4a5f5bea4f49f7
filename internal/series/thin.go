package series

// Thinner keeps at most a number of things that come one by one, evenly: all, then every second one, every fourth …
type Thinner[T any] struct {
	Kept  []T
	every int // of so many one is kept
	seen  int
}

// Add takes the next one; limit is how many are kept, at least 2.
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

// halve keeps every second one, in a list of its own: who has the old one keeps it as it was.
func (t *Thinner[T]) halve() {
	kept := make([]T, 0, cap(t.Kept))
	for i := 0; i < len(t.Kept); i += 2 {
		kept = append(kept, t.Kept[i])
	}
	t.Kept, t.every = kept, 2*t.every
}

// Every is of how many one is kept; 1: all are.
func (t *Thinner[T]) Every() int { return max(1, t.every) }
