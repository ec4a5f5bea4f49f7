package app

import (
	"fmt"
	"slices"
	"time"

	"assay/app/bundle"
	"assay/internal/severity"
	"assay/monitor"
)

// observe adds a snapshot.
func (a *activeWatch) observe(s monitor.Snapshot) {
	a.mu.Lock()
	if a.bundle == nil || a.finished {
		a.mu.Unlock()
		return
	}
	a.keep(a.bundle.Snapshot(a.part(s)))
	if cost, ok := s.Value(monitor.WatchedCost); ok {
		a.costs = append(a.costs, cost)
	}
	a.latest = s
	for _, j := range a.kinds {
		j.Observe(&s)
		j.Judge(a.began.Add(a.warmUp(s.Time.Sub(a.began))), s.Time, a.request.Tolerance)
		a.tell(j, s.Time)
	}
	a.mu.Unlock()
	a.publish()
}

// machineEvery is how often a watch records the machine's readings in addition to the program's: it may last for days.
const machineEvery = 10 * time.Second

// part returns what is recorded of a snapshot.
func (a *activeWatch) part(s monitor.Snapshot) monitor.Snapshot {
	if s.Time.Sub(a.machine) >= machineEvery {
		a.machine = s.Time
		return s
	}
	of := monitor.Watched()
	s.Readings = slices.DeleteFunc(slices.Clone(s.Readings), func(r monitor.Reading) bool { return !slices.Contains(of, r.Metric) })
	return s
}

// tell raises or clears the alert of a kind while the program is watched. It waits at first, when much looks like a leak.
func (a *activeWatch) tell(j *judged, now time.Time) {
	confirm := watchConfirm
	if half := a.request.For / 2; half > 0 {
		confirm = min(confirm, half)
	}
	watched := now.Sub(a.began) - a.warmUp(now.Sub(a.began))
	if watched < confirm {
		return
	}
	leaking := j.Verdict.Shape.Leaking()
	switch {
	case leaking && (j.leakID == "" || watched > j.stated*5/4):
		a.state(j)
		j.stated = watched
	case !leaking && j.leakID != "":
		a.withdraw(j)
	}
}

// state updates what is recorded about a leak.
func (a *activeWatch) state(j *judged) {
	if j.leakID == "" {
		a.leaks++
		j.leakID = fmt.Sprintf("leak-%d", a.leaks)
	}
	text := j.sentence(a.info.Name, a.began)
	e := bundle.LeakEvent(j.leakID, alertTitle(j.Alert), text, j.Verdict.Fit.PerSecond.Rate())
	e.Unit = j.Unit + "/s"
	a.event(e)
	a.session.raise(j.Alert, text)
}

func (a *activeWatch) withdraw(j *judged) {
	a.event(bundle.Event{
		Kind: bundle.LeakWithdrawn, ID: j.leakID, Severity: severity.Critical, Title: alertTitle(j.Alert), Text: j.Words(a.began),
	})
	j.leakID = ""
	a.session.clear(j.Alert)
}

// finish makes the final judgment of all kinds and closes the bundle.
func (a *activeWatch) finish(end watchEnd) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.finished = true
	to := a.latest.Time
	if end.tail {
		to = to.Add(-min(watchTail, to.Sub(a.began)/tailShare))
	}
	for _, j := range a.kinds {
		j.Judge(a.began.Add(a.warmUp(a.latest.Time.Sub(a.began))), to, a.request.Tolerance)
		switch leaking := j.Verdict.Shape.Leaking(); {
		case leaking:
			a.state(j)
		case j.leakID != "":
			a.withdraw(j)
		}
		if !j.Verdict.Shape.Leaking() {
			a.event(bundle.Event{Kind: bundle.Noted, Title: j.Title, Text: j.Words(a.began)})
		}
		a.info.Verdicts = append(a.info.Verdicts, j.Record(a.began))
	}
	a.info.Ended, a.info.ExitCode = end.why, end.code
	a.info.Took(a.costs)
	a.bundle.Watched(a.info)
	a.event(bundle.Event{Kind: bundle.RunEnded, Title: "Watch ended", Text: end.why})
	a.keep(a.bundle.Finish(end.state, nil))
}

// mark records a mark in the program's output.
func (a *activeWatch) mark(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.finished || len(a.marks) > MaxMarks {
		return
	}
	a.marks = append(a.marks, WatchMark{time.Now(), text})
	if a.bundle == nil {
		return // open records it
	}
	if len(a.marks) > MaxMarks {
		a.event(bundle.Event{Kind: bundle.Noted, Title: "Marks", Text: fmt.Sprintf("only the first %d marks are kept", MaxMarks)})
		return
	}
	a.event(bundle.MarkEvent(text))
}

func (a *activeWatch) event(e bundle.Event) {
	e.Time = time.Now()
	a.keep(a.bundle.Event(e))
}

// keep records the first failure to write. The bundle continues in memory.
func (a *activeWatch) keep(err error) {
	if err != nil && a.lost == nil {
		a.lost = err
		a.session.raise(bundleAlert, err.Error())
	}
}
