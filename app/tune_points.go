package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"assay/app/bundle"
	"assay/workloads"
	"assay/workloads/measure"
)

// maxTuned bounds the points that a session keeps per workload.
const maxTuned = 200

// points are the unsaved points of live tuning, by workload, oldest first.
type points map[string][]Tuned

// add adds p, replacing an older point of the same case, and drops the oldest above maxTuned.
func (ps *points) add(p Tuned) {
	if *ps == nil {
		*ps = points{}
	}
	kept := slices.DeleteFunc((*ps)[p.Workload], p.sameCase)
	if n := len(kept) - maxTuned + 1; n > 0 {
		kept = slices.Delete(kept, 0, n)
	}
	(*ps)[p.Workload] = append(kept, p)
}

// sameCase reports whether other measured the same case.
func (p *Tuned) sameCase(other Tuned) bool {
	return p.sameBundle(&other) && maps.Equal(p.Case, other.Case)
}

// sameBundle reports whether two points can be in one run: same device, same curve.
func (p *Tuned) sameBundle(other *Tuned) bool {
	return p.Engine.Engine == other.Engine.Engine && p.Engine.Device == other.Engine.Device && p.Curve == other.Curve &&
		p.Seed == other.Seed
}

// Points lists a workload's unsaved points of live tuning, oldest first: at most the newest 200, and only the last
// measurement of each case.
func (t *Tuner) Points(workload string) []Tuned {
	s := t.session
	s.tuner.mu.Lock()
	defer s.tuner.mu.Unlock()
	return slices.Clone(s.tuner.points[workload])
}

// Clear removes the points of a workload and returns them for Keep.
func (t *Tuner) Clear(workload string) []Tuned {
	s := t.session
	s.tuner.mu.Lock()
	defer s.tuner.mu.Unlock()
	old := s.tuner.points[workload]
	delete(s.tuner.points, workload)
	return old
}

// Keep restores points removed by Clear. They are older than the current ones.
func (t *Tuner) Keep(old []Tuned) {
	s := t.session
	s.tuner.mu.Lock()
	defer s.tuner.mu.Unlock()
	newer := s.tuner.points
	s.tuner.points = nil
	for _, p := range old {
		s.tuner.points.add(p)
	}
	for _, ps := range newer {
		for _, p := range ps {
			s.tuner.points.add(p)
		}
	}
}

// Save writes the unsaved points of a workload into run bundles: one for each device and curve, since a run has one of
// each. An event in each says that they come from live tuning. SavedUpdate reports each bundle. If a bundle cannot be
// written its points stay unsaved.
func (t *Tuner) Save(workload string) ([]*bundle.Run, error) {
	s := t.session
	var runs []*bundle.Run
	var errs error
	for rest := t.Clear(workload); len(rest) > 0; {
		var group, others []Tuned
		for _, p := range rest {
			if p.sameBundle(&rest[0]) {
				group = append(group, p)
			} else {
				others = append(others, p)
			}
		}
		run, err := s.saveTuned(group)
		if err != nil {
			t.Keep(group)
			errs = errors.Join(errs, err)
		} else {
			runs = append(runs, run)
			s.publish(SavedUpdate{run})
		}
		rest = others
	}
	if len(runs) == 0 && errs == nil {
		errs = fmt.Errorf("save live tuning: no point of %s was measured", workload)
	}
	return runs, errs
}

// saveTuned writes points of one device and curve as a run, with the parameters of the last.
func (s *Session) saveTuned(group []Tuned) (*bundle.Run, error) {
	first, last := &group[0], &group[len(group)-1]
	o := measure.Options{Precision: tunePrecision, Budget: tuneBudget}.WithDefaults()
	files, err := bundle.Create(s.runsDir(), bundle.Meta{
		Version: s.config.Version, Started: first.At, Host: s.Host(), Engine: first.Engine,
		Quick: true, Tuning: true, Seed: first.Seed, Precision: o.Precision, Budget: o.Budget.Seconds(), MinSample: 1,
		Jobs: []bundle.Job{{Workload: first.Workload, Params: last.Params}},
	}, s.config.Workloads)
	if err != nil {
		return nil, fmt.Errorf("save live tuning: %w", err)
	}
	err = files.Event(bundle.Event{
		Time: first.At, Kind: bundle.LiveTuning, Title: "Live tuning",
		Text: fmt.Sprintf("The results come from live tuning, not from a run: %d settings, each measured alone for about %v "+
			"as it was moved. Their intervals are based on few samples; no finding is drawn from them.", len(group),
			tuneBudget),
	})
	for _, p := range group {
		err = errors.Join(err, files.ResultsAt(p.At.Add(p.Took), unnamed(p.Results)...))
	}
	err = errors.Join(err, files.Finish(bundle.Finished, nil))
	return files.Run(), err
}

// unnamed returns results without their IDs, which are unique only within their measurement: the bundle assigns new ones.
func unnamed(results []workloads.Result) []workloads.Result {
	out := slices.Clone(results)
	for i := range out {
		out[i].ID = ""
	}
	return out
}

// Points returns the results of unsaved points for charts and tables, oldest first.
func Points(tuned []Tuned) []workloads.Result {
	var out []workloads.Result
	for _, p := range tuned {
		out = append(out, p.Results...)
	}
	return out
}
