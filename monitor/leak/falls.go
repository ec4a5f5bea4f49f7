package leak

// falls counts how often cells dropped by more than half of their range, and by more than least, after rising by as much: the teeth of
// a sawtooth. It also returns the largest drop.
func falls(cells []cell, least float64) (count int, largest float64) {
	low, high := cells[0].live, cells[0].live
	for _, c := range cells {
		low, high = min(low, c.live), max(high, c.live)
	}
	turn := max(least, float64(high-low)/2)
	falling := false
	low, high = cells[0].live, cells[0].live
	for _, c := range cells {
		switch {
		case falling && float64(c.live-low) > turn:
			falling, high = false, c.live
		case falling:
			low = min(low, c.live)
		case float64(high-c.live) > turn:
			falling, low = true, c.live
			count++
		default:
			high = max(high, c.live)
		}
		if falling {
			largest = max(largest, float64(high-low))
		}
	}
	return count, largest
}
