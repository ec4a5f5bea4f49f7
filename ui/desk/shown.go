package desk

import (
	"path/filepath"
	"slices"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/app/report"
	"assay/monitor"
)

// Showing is the run whose results are shown, and the baseline that it is compared with.
type Showing struct {
	Run        *bundle.Run        // nil: none yet
	Running    *bundle.Run        // the run in progress, shown or not: its results arrive one by one; nil: none
	Recent     []*bundle.Run      // runs in memory, newest first: those of this session and opened ones
	Baseline   *bundle.Run        // nil: none is pinned
	Comparison *report.Comparison // of Run with Baseline; nil: none, or not ready
	Comparing  bool
}

// maxRecent bounds the runs in memory, each with its samples and readings; maxWhole bounds those among them that can be reread.
const (
	maxRecent = 12
	maxWhole  = 1
)

// Growing reports whether the run shown is in progress.
func (s *Showing) Growing() bool { return s.Run != nil && s.Run == s.Running }

// Offered are the runs in memory that can be shown at once, latest first.
func (s *Showing) Offered() []*bundle.Run {
	list := slices.Clone(s.Recent)
	if s.Run != nil && s.Run != s.Running && !slices.Contains(list, s.Run) {
		list = append(list, s.Run)
	}
	slices.SortStableFunc(list, func(a, b *bundle.Run) int { return b.Meta.Started.Compare(a.Meta.Started) })
	if s.Running != nil {
		list = slices.Insert(list, 0, s.Running)
	}
	return list
}

// Offer is a run that can be shown: one in memory, or one on disk.
type Offer struct {
	Run  *bundle.Run     // nil: on disk
	Kept *bundle.Summary // nil: in memory
}

// Started is when the run began.
func (o *Offer) Started() time.Time {
	if o.Run != nil {
		return o.Run.Meta.Started
	}
	return o.Kept.Started
}

// maxOffered bounds the runs that are offered in addition to those in memory.
const maxOffered = 20

// Offers are the runs that can be shown, in memory or on disk, latest first; the one in progress comes first.
func (m *Model) Offers() []Offer {
	var list []Offer
	known := map[string]bool{}
	for _, r := range m.Showing.Offered() {
		list = append(list, Offer{Run: r})
		known[r.Meta.ID] = true
	}
	for i := range m.Runs.List {
		s := &m.Runs.List[i]
		if len(list) < maxOffered && !known[s.ID] && s.State != bundle.Damaged && s.State != bundle.Running {
			list = append(list, Offer{Kept: s})
		}
	}
	slices.SortStableFunc(list, func(a, b Offer) int {
		if running := m.Showing.Running; running != nil && (a.Run == running || b.Run == running) {
			return map[bool]int{true: -1, false: 1}[a.Run == running]
		}
		return b.Started().Compare(a.Started())
	})
	return list
}

// ShowOffer shows an offered run, after reading it if it is on disk.
func (d *Desk) ShowOffer(o Offer) {
	if o.Run != nil {
		d.ShowRun(o.Run)
		return
	}
	d.LoadRun(o.Kept.Dir, d.ShowRun)
}

// recallLast reads the list of runs, and shows the latest one again if nothing is shown yet.
func (d *Desk) recallLast() {
	d.Background(func() func() {
		list, err := d.Library.List(d.life)
		last := latest(list)
		return func() {
			m := d.Model
			if err != nil || m.Runs.Known || m.Runs.Busy {
				return
			}
			if m.Runs.List, m.Runs.Known = list, true; len(list) == 0 {
				return
			}
			if last != nil && m.Showing.Run == nil && m.Busy() == nil && len(m.Outcomes) == 0 {
				_, _ = m.Open(last) // the results are shown even if this version lacks the workloads
				d.ShowRun(last)
			}
			d.Redraw(ChangedLibrary | ChangedRun | ChangedResults)
		}
	})
}

// latest reads the latest run of a list that can be shown; nil: there is none.
func latest(list []bundle.Summary) *bundle.Run {
	for i := range list {
		if s := &list[i]; s.State != bundle.Damaged && s.State != bundle.Running && s.Watch == "" {
			if run, err := bundle.Load(s.Dir); err == nil {
				return run
			}
		}
	}
	return nil
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

// letGo drops older runs that the library lists as complete: they are read again when they are chosen.
func (s *Showing) letGo(library []bundle.Summary) {
	newer := 0
	s.Recent = slices.DeleteFunc(s.Recent, func(r *bundle.Run) bool {
		if newer++; newer <= maxWhole || r == s.Run || s.Pinned(r) {
			return false
		}
		return slices.ContainsFunc(library, func(o bundle.Summary) bool {
			return o.ID == r.Meta.ID && filepath.Clean(o.Dir) == filepath.Clean(r.Dir) &&
				o.Problem == "" && o.State == r.Meta.State && o.Results == len(r.Results)
		})
	})
}

// forgotten is the state of a deleted run.
type forgotten struct {
	run, baseline *bundle.Run // the recent run and the baseline; nil: it was not that
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

// take applies one update, and starts what follows the end of a run.
func (d *Desk) take(u app.Update) Change {
	shown, growing := d.Model.Showing.Run, d.Model.Showing.Growing()
	active := d.Model.Active
	c := d.Model.apply(u) | d.Model.Showing.apply(u)
	switch u := u.(type) {
	case app.AlertUpdate:
		d.notify(u.Alert, slices.ContainsFunc(active, func(a monitor.Alert) bool { return a.ID == u.Alert.ID }))
	case app.WatchUpdate:
		if !u.Watch.Running {
			d.refreshLibrary()
		}
	case app.StartUpdate:
		if u.Meta.Purpose == "" {
			d.remember(d.Model.Current)
		}
		if o := d.Model.Busy(); o != nil && o.Phase == Stopping {
			d.Session.Runs.Stop() // the session may not have known the run at the first Stop
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
		r = s.Running // the current state, not the one that was read
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
	run, base, all := s.Run, s.Baseline, d.Session.Workloads()
	if run == nil || base == nil || s.Growing() || same(run, base) {
		return
	}
	s.Comparing = true
	d.Background(func() func() {
		c := report.Compare(base, run, all)
		return func() {
			if s.Run == run && s.Baseline == base {
				s.Comparison, s.Comparing = c, false
				d.Redraw(ChangedShown)
			}
		}
	})
}
