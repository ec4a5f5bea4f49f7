package workloads

// Extension is advice to raise the end of a sweep: which parameter of the workload, and to what value. Without a
// parameter there is no advice.
type Extension struct {
	Param string `json:"param"`
	To    int    `json:"to"`
}

// beyond returns how far to extend a sweep that ends at `to`: a few steps, up to the limit.
func (s *Sweep) beyond(to, limit int) int {
	switch s.Steps {
	case Doubling, Doubled:
		to *= 4
	case Tenfold:
		to *= 10
	case Listed:
		more := 2
		for _, n := range s.List {
			if n > to && more > 0 {
				to, more = n, more-1
			}
		}
	}
	return min(to, limit)
}

// Advise adds to a finding at the edge of a sweep how to extend the sweep, or that it ends at the limit of its parameter.
func (w *Workload) Advise(f *Finding) {
	s := w.Sweep(f.Facts.Axis.Name)
	if !f.Facts.AtEdge || s == nil {
		return
	}
	p, err := w.Param(s.To)
	if err != nil {
		return
	}
	largest := int(f.Facts.Holds.To)
	if to := s.beyond(largest, int(p.Max)); to > largest {
		f.Facts.Extend = Extension{p.Name, to}
		return
	}
	f.Facts.AtLimit = true
}
