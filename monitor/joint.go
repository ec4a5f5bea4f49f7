package monitor

// joint merges the readings that several sources gave for one metric: the one that counts takes the position of the first.
func joint(readings []Reading) []Reading {
	first := map[string]int{}
	kept := readings[:0]
	for _, r := range readings {
		if m, ok := Lookup(r.Metric); !ok || !m.Joint || m.ID != r.Metric {
			kept = append(kept, r)
			continue
		}
		at, seen := first[r.Metric]
		if !seen {
			first[r.Metric] = len(kept)
			kept = append(kept, r)
		} else if kept[at].yields(&r) {
			kept[at] = r
		}
	}
	return kept
}

// yields reports whether another reading of the same metric replaces r: it has a value and r has none, or a worse one. Of two without
// a value, the one that failed counts, since it should have had one.
func (r *Reading) yields(to *Reading) bool {
	switch {
	case to.Status != OK:
		return r.Status == Unavailable && to.Status == Failed
	case r.Status != OK:
		return true
	case to.Text == "":
		return to.Value > r.Value
	}
	rank, _ := r.Text.Rank()
	worse, known := to.Text.Rank()
	return known && worse > rank
}
