package desk

import (
	"path/filepath"
	"slices"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
)

// Showing is the run whose results are shown, and the baseline that it is compared with.
type Showing struct {
	Run        *bundle.Run        // nil: none yet
	Running    *bundle.Run        // the run in progress, shown or not: its results arrive one by one; nil: none
	Recent     []*bundle.Run      // runs in memory, newest first: this session's and opened ones
	Baseline   *bundle.Run        // nil: none is pinned
	Comparison *report.Comparison // of Run with Baseline; nil: none, or not ready
	Comparing  bool
}

// maxRecent bounds the runs that are kept with all their samples.
const maxRecent = 12

// Growing reports whether the run shown is in progress.
func (s *Showing) Growing() bool { return s.Run != nil && s.Run == s.Running }

// Offered are the runs that can be shown at once: the one in progress, then the recent ones.
func (s *Showing) Offered() []*bundle.Run {
	list := slices.Clone(s.Recent)
	if s.Run != nil && s.Run != s.Running && !slices.Contains(list, s.Run) {
		list = slices.Insert(list, 0, s.Run)
	}
	if s.Running != nil {
		list = slices.Insert(list, 0, s.Running)
	}
	return list
}

// Pinned reports whether a run is the baseline.
func (s *Showing) Pinned(r *bundle.Run) bool {
	return s.Baseline != nil && r != nil && same(s.Baseline, r)
}

// same reports whether two runs are the same bundle: one may have been reread.
func same(a, b *bundle.Run) bool { return a == b || a.Meta.ID == b.Meta.ID && a.Dir == b.Dir }

// add puts a run first, replacing an older copy.
func (s *Showing) add(r *bundle.Run) {
	s.Recent = slices.DeleteFunc(s.Recent, func(o *bundle.Run) bool { return same(o, r) })
	s.Recent = slices.Insert(s.Recent, 0, r)
	s.Recent = s.Recent[:min(len(s.Recent), maxRecent)]
}

// forgotten is the state of a deleted run.
type forgotten struct {
	run, baseline *bundle.Run // the recent run and the baseline; nil: it was not
	instead       *bundle.Run // what is shown instead; nil: nothing, or it was not shown
	shown         bool        // it was the run shown
}

// forget removes a deleted run.
func (s *Showing) forget(dir string) (was forgotten) {
	gone := func(r *bundle.Run) bool { return r != nil && filepath.Clean(r.Dir) == filepath.Clean(dir) }
	if i := slices.IndexFunc(s.Recent, gone); i >= 0 {
		was.run = s.Recent[i]
	}
	s.Recent = slices.DeleteFunc(s.Recent, gone)
	if was.shown = gone(s.Run); was.shown {
		was.run, s.Run = s.Run, nil
		if list := s.Offered(); len(list) > 0 {
			s.Run = list[0]
		}
		was.instead = s.Run
	}
	if gone(s.Baseline) {
		was.baseline, s.Baseline = s.Baseline, nil
	}
	return was
}

// bringBack restores a deleted run: as the baseline if there is no new one, and as the run shown if nothing else was
// chosen since.
func (d *Desk) bringBack(was forgotten) {
	s := &d.Model.Showing
	if was.run != nil {
		s.add(was.run)
	}
	if was.shown && s.Run == was.instead {
		d.ShowRun(was.run)
	}
	if was.baseline != nil && s.Baseline == nil {
		d.PinBaseline(was.baseline)
	}
	d.Redraw(ChangedShown)
}

// apply follows the run in progress. Its end changes what is shown only if that is this run.
func (s *Showing) apply(u app.Update) Change {
	if start, ok := u.(app.StartUpdate); ok {
		s.Running = &bundle.Run{Meta: start.Meta}
		s.Run, s.Comparison, s.Comparing = s.Running, nil, false
		return ChangedShown
	}
	if end, ok := u.(app.EndUpdate); ok {
		s.end(end.Run)
		return ChangedShown
	}
	if s.Running == nil {
		return 0
	}
	if id := runOf(u); id != "" && id != s.Running.Meta.ID {
		return 0
	}
	switch u := u.(type) {
	case app.ResultUpdate:
		s.Running.Results = append(s.Running.Results, u.Result)
	case app.FindingUpdate:
		s.Running.Findings = append(s.Running.Findings, u.Finding)
		u.Finding.Mark(s.Running.Results)
	}
	if s.Growing() {
		return ChangedShown
	}
	return 0
}

// end replaces the run in progress by the saved one; nil: it was not saved.
func (s *Showing) end(r *bundle.Run) {
	if r != nil && s.Running != nil && r.Meta.ID != s.Running.Meta.ID {
		s.add(r) // the next run is already in progress
		return
	}
	onShow := s.Growing() || s.Run == nil
	s.Running = nil
	if r == nil {
		return
	}
	if onShow {
		s.Run = r
	}
	s.add(r)
}

// take applies one update, and starts what the end of a run causes.
func (d *Desk) take(u app.Update) Change {
	shown, growing := d.Model.Showing.Run, d.Model.Showing.Growing()
	c := d.Model.apply(u) | d.Model.Showing.apply(u)
	switch u.(type) {
	case app.StartUpdate:
		if o := d.Model.Busy(); o != nil && o.Phase == Stopping {
			d.Session.Runs.Stop() // the session may not have had the run at the first Stop
		}
	case app.EndUpdate:
		if growing || d.Model.Showing.Run != shown {
			d.compare()
		}
		d.refreshLibrary()
	case app.SavedUpdate:
		d.refreshLibrary()
	}
	return c
}

// ShowRun shows the results of a run.
func (d *Desk) ShowRun(r *bundle.Run) {
	s := &d.Model.Showing
	if s.Running != nil && s.Running.Meta.ID == r.Meta.ID {
		r = s.Running // the current state, not the one read
	}
	if s.Run = r; r != s.Running {
		s.add(r)
	}
	d.compare()
	d.Redraw(ChangedShown)
}

// ShowOutcome brings the results of a workload's last run to the front, or of the one in progress.
func (d *Desk) ShowOutcome(o *Outcome) {
	s := &d.Model.Showing
	if o.Phase.Busy() && s.Running != nil {
		d.ShowRun(s.Running)
	} else if o.Run != nil && (s.Run == nil || !same(s.Run, o.Run)) {
		at := slices.IndexFunc(s.Recent, func(r *bundle.Run) bool { return same(r, o.Run) })
		if at >= 0 {
			d.ShowRun(s.Recent[at]) // whole, if it has several workloads
		} else {
			d.ShowRun(o.Run)
		}
	}
	d.Show(PageResults)
}

// PinBaseline compares the run shown with a baseline from now on; nil: with none.
func (d *Desk) PinBaseline(r *bundle.Run) {
	d.Model.Showing.Baseline = r
	dir := ""
	if r != nil {
		dir = r.Dir
	}
	d.Settings.setBaseline(dir)
	d.compare()
	d.Redraw(ChangedShown)
}

// recallBaseline pins the stored baseline, if it still exists.
func (d *Desk) recallBaseline() {
	dir := d.Settings.baseline()
	if dir == "" {
		return
	}
	d.Background(func() func() {
		run, err := bundle.Load(dir)
		return func() {
			switch {
			case d.Model.Showing.Baseline != nil:
			case err != nil:
				d.Settings.setBaseline("")
			default:
				d.PinBaseline(run)
			}
		}
	})
}

// compare compares the run with the baseline, which takes a while for thousands of results.
func (d *Desk) compare() {
	s := &d.Model.Showing
	s.Comparison, s.Comparing = nil, false
	run, base := s.Run, s.Baseline
	if run == nil || base == nil || s.Growing() || same(run, base) {
		return
	}
	s.Comparing = true
	d.Background(func() func() {
		c := report.Compare(base, run)
		return func() {
			if s.Run == run && s.Baseline == base {
				s.Comparison, s.Comparing = c, false
				d.Redraw(ChangedShown)
			}
		}
	})
}
