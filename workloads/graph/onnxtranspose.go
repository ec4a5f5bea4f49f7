package graph

import (
	"fmt"
	"slices"
)

// transpose permutes dimensions with as few swaps of the last dimensions with those before them as possible: a graph can only swap
// two.
func (c *call) transpose() (string, error) {
	from, err := c.shape(0)
	if err != nil {
		return "", err
	}
	perm := c.node.attrs["perm"].ints
	if perm == nil {
		for d := range from {
			perm = append(perm, len(from)-1-d)
		}
	}
	if sorted := slices.Sorted(slices.Values(perm)); len(perm) != len(from) || !slices.Equal(sorted, upTo(len(from))) {
		return "", fmt.Errorf("the order %v of %d dimensions", perm, len(from))
	}
	text, err := c.arg(0)
	if err != nil {
		return "", err
	}
	to := make([]int, len(perm))
	for d, p := range perm {
		to[d] = from[p]
	}
	if n := len(perm); n > 1 && slices.Equal(perm, append(upTo(n-2), n-1, n-2)) {
		return "transpose(" + text + ")", nil
	}
	at := from
	for _, s := range swaps(from, perm) {
		if !slices.Equal(at, s) {
			if text, err = c.temporary("rows", reshaped(text, s)); err != nil {
				return "", err
			}
		}
		at = slices.Clone(s)
		n := len(at)
		at[n-2], at[n-1] = at[n-1], at[n-2]
		if slices.Equal(at, to) {
			return "transpose(" + text + ")", nil
		}
		if text, err = c.temporary("turned", "transpose("+text+")"); err != nil {
			return "", err
		}
	}
	if !slices.Equal(at, to) {
		return reshaped(text, to), nil
	}
	return text, nil
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// swaps returns the shapes, one for each swap, whose last two dimensions are exchanged one after the other. Dimensions of 1 may be
// anywhere.
func swaps(shape, perm []int) [][]int {
	var now, want []int
	for d := range shape {
		if shape[d] > 1 {
			now = append(now, d)
		}
		if p := perm[d]; shape[p] > 1 {
			want = append(want, p)
		}
	}
	product := func(dims []int) int {
		n := 1
		for _, d := range dims {
			n *= shape[d]
		}
		return n
	}
	var all [][]int
	for p := range want {
		j := slices.Index(now, want[p])
		if j == p {
			continue
		}
		s := []int{product(now[:p]), product(now[p:j]), product(now[j:])}
		if p == 0 {
			s = s[1:]
		}
		all = append(all, s)
		now = slices.Concat(now[:p], now[j:], now[p:j])
	}
	return all
}
