package bundle

import "assay/monitor"

// lasting are readings without a value that stay valid until monitor.csv has another of their metric: otherwise a machine without a
// sensor would fill it with the reason. Only metrics of the catalog last, so that a damaged file cannot multiply.
type lasting struct {
	known map[string]bool // the catalog; nil until the first use
	order []string        // metrics in held, in order of arrival
	held  map[string]monitor.Reading
}

// hold takes a reading as the newest of its metric, and reports whether the previous one already said the same.
func (l *lasting) hold(r monitor.Reading) (already bool) {
	if l.held == nil {
		l.known, l.held = map[string]bool{}, map[string]monitor.Reading{}
		for _, m := range monitor.Catalog() {
			l.known[m.ID] = true
		}
	}
	if !l.known[r.Metric] {
		return false
	}
	before, was := l.held[r.Metric]
	if r.Status == monitor.OK {
		if was {
			l.held[r.Metric] = monitor.Reading{}
		}
		return false
	}
	r.Late, r.Title, r.Value = 0, "", 0
	if !was {
		l.order = append(l.order, r.Metric)
	}
	l.held[r.Metric] = r
	return was && before == r
}

// news returns a snapshot without the readings that repeat the last one of their metric.
func (l *lasting) news(s *monitor.Snapshot) monitor.Snapshot {
	out := *s
	out.Readings = nil
	for i, r := range s.Readings {
		if already := l.hold(r); !already || i == len(s.Readings)-1 && len(out.Readings) == 0 { // each snapshot has a row
			out.Readings = append(out.Readings, r)
		}
	}
	return out
}

// complete adds the lasting readings to a snapshot.
func (l *lasting) complete(s *monitor.Snapshot) {
	there := map[string]bool{}
	for _, r := range s.Readings {
		l.hold(r)
		there[r.Metric] = true
	}
	for _, metric := range l.order {
		if r := l.held[metric]; r.Metric != "" && !there[metric] {
			s.Readings = append(s.Readings, r)
		}
	}
}
