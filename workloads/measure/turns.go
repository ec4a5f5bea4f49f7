package measure

import "slices"

// turns returns the order in which subjects are sampled in a pass. Odd passes reverse the previous order (A B B A), so that a steady
// drift affects all subjects alike. What a sample finds in the caches, and how warm the device is, depends on the subject sampled just
// before. So each pair of passes uses another order: the rows of a Williams square, in which all subjects are neighbors equally often.
// A fixed order would keep each inner subject between the same two, and make the outer ones follow themselves.
func turns(pass int, subjects []int) []int {
	n := len(subjects)
	order := make([]int, n)
	for i := range order { // 0, 1, n−1, 2, n−2 …: each distance between neighbors occurs once, in either direction
		at := n - i/2
		if i%2 == 1 {
			at = (i + 1) / 2
		}
		order[i] = subjects[(at+pass/2)%n]
	}
	if pass%2 == 1 {
		slices.Reverse(order)
	}
	return order
}
