package measure

import "slices"

// turns is the order in which subjects are sampled in a pass. Odd ones run the one before them backward (A B B A), so that a steady
// drift affects all alike. What a sample finds in the caches, and how warm it finds the device, depends on whose sample was taken
// just before, so each pair of passes has another order: the rows of a Williams square, within which all are next to each other equally
// often. A fixed order would leave a middle one between the same two forever, and have the outer ones follow themselves.
func turns(pass int, subjects []int) []int {
	n := len(subjects)
	order := make([]int, n)
	for i := range order { // 0, 1, n−1, 2, n−2 …: each distance between neighbors once, in either direction
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
