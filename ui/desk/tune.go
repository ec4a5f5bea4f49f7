package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/si"
	"assay/workloads"
)

// Tuning is the live tuning of one workload.
type Tuning struct {
	Asked   *app.TuneRequest // the request in progress; nil: none
	Next    *app.TuneRequest // the setting being moved, which is measured when it rests; nil: none
	Kept    *app.Tuned       // the point that others are compared with; nil: none
	Points  []app.Tuned      // measured, oldest first
	Newest  *app.Tuned       // the last one measured; nil: none
	AB      *app.ABUpdate    // the A/B comparison of Kept and another, in progress or done; nil: none
	Unsaved int              // number of points not saved
	Saved   string           // the outcome of saving, in a sentence
	Cleared []app.Tuned      // the last cleared points: they can be restored
	unsaved []app.Tuned      // of the cleared ones
	Failure string           // why the last setting has no point
	Moved   string           // the parameter of the failure
}

// Tuning returns the tuning of the chosen workload.
func (m *Model) Tuning() *Tuning { return m.tuningOf(m.Workload().Name) }

func (m *Model) tuningOf(workload string) *Tuning {
	t := m.tunings[workload]
	if t == nil {
		t = &Tuning{}
		m.tunings[workload] = t
	}
	return t
}

// CannotTune says why live tuning is not possible for the chosen workload; empty if it is.
func (m *Model) CannotTune() string {
	switch w := m.Workload(); {
	case w.Series:
		return "Not available: this workload is a series; no single setting is a point."
	case !w.Tunable():
		return "Not available: this workload is not timed."
	case m.Busy() != nil:
		return "Tuning would disturb the run in progress."
	}
	return ""
}

// SetLive turns live tuning on or off.
func (d *Desk) SetLive(on bool) {
	d.Model.Live = on
	d.Settings.setLive(on)
	if !on {
		d.stopTuning()
	}
	d.Redraw(ChangedTuning)
}

// LeaveTuning pauses live tuning while its chart is not visible: the measurement in flight is discarded, and memory is
// released.
func (d *Desk) LeaveTuning() {
	if d.Model.Live && d.Model.Busy() == nil && !d.shut {
		d.stopTuning()
	}
}

// dropMoved forgets a setting that was moved but not yet measured.
func (d *Desk) dropMoved() {
	d.pace.forget()
	if d.alarm != nil {
		d.alarm.Stop() // it would redraw the window, maybe during a run's samples
	}
	for _, t := range d.Model.tunings {
		t.Next = nil
	}
}

// stopTuning drops the pending request, stops the measurement in progress and releases its memory.
func (d *Desk) stopTuning() {
	d.dropMoved()
	d.Background(func() func() {
		d.Session.Tuner.Stop()
		return nil
	})
}

// Moved handles a parameter of the chosen workload that the user has set; typed means by typing, which takes longer. With
// live tuning on, the setting is measured.
func (d *Desk) Moved(param string, typed bool) {
	m := d.Model
	draft := m.Drafts[m.Workload().Name]
	t := m.Tuning()
	t.AB = nil
	if !m.Live || m.CannotTune() != "" || d.shut || m.Problem() != "" || draft.Values == nil || m.onlyPlans(param) {
		d.dropMoved()
		return
	}
	rest := paceSlide
	if typed {
		rest = paceType
	}
	t.Next = &app.TuneRequest{
		Workload: m.Workload().Name, Params: maps.Clone(draft.Values), Moved: param, Engine: m.Engine,
	}
	d.pace.move(*t.Next, rest, d.now())
	d.awaitPace()
}

// onlyPlans reports whether a parameter of the chosen workload only chooses what a run sweeps, so that it is not a setting to
// measure.
func (m *Model) onlyPlans(param string) bool {
	p, err := m.Workload().Param(param)
	return err == nil && p.Role == workloads.RolePlan
}

// Measure measures the setting of a parameter at once.
func (d *Desk) Measure(param string) {
	d.Moved(param, false)
	if d.pace.wanted != nil {
		d.pace.rest = 0
		d.startTuning()
	}
}

// awaitPace sets the timer for the next start.
func (d *Desk) awaitPace() {
	if d.pace.wanted == nil {
		return
	}
	if d.alarm != nil {
		d.alarm.Stop()
	}
	d.alarm = time.AfterFunc(max(0, d.pace.wait(d.now())), func() { d.queue.callNow(d.startTuning) })
}

// startTuning starts the pending measurement, if it is due.
func (d *Desk) startTuning() {
	if d.shut || d.Model.CannotTune() != "" {
		d.dropMoved()
		return
	}
	r, ok := d.pace.start(d.now())
	if !ok {
		d.awaitPace()
		return
	}
	for _, other := range d.Model.tunings {
		other.Asked = nil // of another workload: no update will report that it was superseded
	}
	t := d.Model.tuningOf(r.Workload)
	t.Failure, t.Saved = "", ""
	t.Asked, t.Next = &r, nil
	if err := d.Session.Tuner.Start(r); err != nil {
		d.tuned(app.TuneUpdate{Request: r, Err: err})
	}
	d.Redraw(ChangedTuning)
}

// tuned handles the end of a tuning.
func (d *Desk) tuned(u app.TuneUpdate) Change {
	t := d.Model.tuningOf(u.Request.Workload)
	if sameRequest(t.Asked, &u.Request) { // else a newer one has replaced it
		t.Asked = nil
		d.pace.end()
		d.awaitPace()
	}
	switch {
	case errors.Is(u.Err, app.ErrBusy), errors.Is(u.Err, app.ErrSuperseded), errors.Is(u.Err, context.Canceled):
	case u.Err != nil:
		t.Failure, t.Moved = d.Model.explain(u.Request.Workload, u.Err), u.Request.Moved
	default:
		t.add(u.Point)
		t.Unsaved = len(d.Session.Tuner.Points(u.Request.Workload))
	}
	return ChangedTuning
}

func sameRequest(a, b *app.TuneRequest) bool {
	return a != nil && a.Workload == b.Workload && a.Moved == b.Moved && a.Engine == b.Engine && maps.Equal(a.Params, b.Params)
}

// maxShown bounds the points drawn for a workload; the session has the same limit.
const maxShown = 200

// add adds a point, replacing an older one of the same case.
func (t *Tuning) add(p app.Tuned) {
	t.Points = slices.DeleteFunc(t.Points, func(old app.Tuned) bool {
		return old.Engine.Device == p.Engine.Device && maps.Equal(old.Case, p.Case)
	})
	t.Points = append(t.Points[max(0, len(t.Points)-maxShown+1):], p)
	t.Newest = &t.Points[len(t.Points)-1]
	t.Failure, t.Moved = "", ""
}

// explain rewords an error about a workload with the titles of its parameters.
func (m *Model) explain(workload string, failure error) string {
	w, err := workloads.Find(m.Workloads, workload)
	if err != nil {
		return failure.Error()
	}
	return w.Explain(failure)
}

// ClearTuning removes the points of the chosen workload from the chart. RestoreTuning restores them.
func (d *Desk) ClearTuning() { d.clearTuning(d.Model.Workload().Name) }

func (d *Desk) clearTuning(workload string) {
	t := d.Model.tuningOf(workload)
	unsaved := d.Session.Tuner.Clear(workload)
	*t = Tuning{Cleared: t.Points, unsaved: unsaved, Asked: t.Asked, Kept: t.Kept}
	d.Redraw(ChangedTuning)
}

// RestoreTuning restores the last cleared points, except those of cases that were measured again since. Saved points stay
// saved.
func (d *Desk) RestoreTuning() {
	name := d.Model.Workload().Name
	t := d.Model.tuningOf(name)
	if len(t.Cleared) == 0 {
		return
	}
	d.Session.Tuner.Keep(t.unsaved)
	restored := Tuning{Asked: t.Asked, Kept: t.Kept}
	for _, p := range slices.Concat(t.Cleared, t.Points) {
		restored.add(p)
	}
	restored.Unsaved = len(d.Session.Tuner.Points(name))
	*t = restored
	d.Redraw(ChangedTuning)
}

// KeepTuning makes the newest point of the chosen workload the one that others are compared with; if it is already, none
// is.
func (d *Desk) KeepTuning() {
	t := d.Model.Tuning()
	switch {
	case t.Newest == nil:
		return
	case t.Keeps(t.Newest):
		t.Kept = nil
	default:
		kept := *t.Newest
		t.Kept = &kept
	}
	d.Redraw(ChangedTuning)
}

// CompareTuning measures the kept point and the newest one alternately.
func (d *Desk) CompareTuning() {
	t := d.Model.Tuning()
	if t.Newest == nil || t.Kept == nil || t.Keeps(t.Newest) || d.Model.CannotTune() != "" || d.shut {
		return
	}
	d.dropMoved()
	r := app.ABRequest{A: *t.Kept, B: *t.Newest}
	t.AB, t.Asked, t.Failure = &app.ABUpdate{Request: r}, nil, ""
	if err := d.Session.Tuner.Compare(r); err != nil {
		d.compared(app.ABUpdate{Request: r, Err: err})
	}
	d.Redraw(ChangedTuning)
}

// compared takes the progress of an A/B comparison, or its end.
func (d *Desk) compared(u app.ABUpdate) Change {
	t := d.Model.tuningOf(u.Request.A.Workload)
	if t.AB == nil || !t.AB.Request.B.At.Equal(u.Request.B.At) {
		return 0 // a newer one, or another setting, replaced it
	}
	switch {
	case errors.Is(u.Err, app.ErrBusy), errors.Is(u.Err, app.ErrSuperseded), errors.Is(u.Err, context.Canceled):
		t.AB = nil
	case u.Err != nil:
		t.AB, t.Failure = nil, d.Model.explain(u.Request.A.Workload, u.Err)
	default:
		t.AB = &u
	}
	return ChangedTuning
}

// Keeps reports whether p is the point that others are compared with.
func (t *Tuning) Keeps(p *app.Tuned) bool {
	return t.Kept != nil && p != nil && t.Kept.At.Equal(p.At) && maps.Equal(t.Kept.Case, p.Case)
}

// SaveTuning writes the points of the chosen workload as a run.
func (d *Desk) SaveTuning() {
	name := d.Model.Workload().Name
	t := d.Model.tuningOf(name)
	if t.Unsaved == 0 || d.Model.Busy() != nil {
		return
	}
	n := t.Unsaved
	t.Unsaved = 0 // so that it cannot be requested twice
	d.Background(func() func() {
		runs, err := d.Session.Tuner.Save(name)
		return func() { d.savedTuning(name, n, runs, err) }
	})
	d.Redraw(ChangedTuning)
}

// savedTuning reports where the points were saved.
func (d *Desk) savedTuning(name string, n int, runs []*bundle.Run, err error) {
	t := d.Model.tuningOf(name)
	t.Unsaved = len(d.Session.Tuner.Points(name))
	if len(runs) > 0 {
		var names []string
		for _, r := range runs {
			names = append(names, r.Meta.ID)
		}
		t.Saved = fmt.Sprintf("%s saved as run %s.", si.Counted(n-t.Unsaved, "point"), strings.Join(names, " and "))
	}
	if err != nil {
		d.Fail("Cannot save the points", withRemedy(err, "Allow writing to that folder and save again; the points are still here."))
	}
	d.Redraw(ChangedTuning)
}
