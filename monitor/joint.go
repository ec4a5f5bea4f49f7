package monitor

// joint joins the readings that several sources gave of one metric: the one that counts stands where the first stood.
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

// yields reports whether another reading of the same metric counts in place of r: it has a value and r has none, or a worse
// one. Of two without a value the one that failed counts, since it should have one.
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
