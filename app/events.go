package app

import (
	"time"

	"assay/app/bundle"
	"assay/monitor"
	"assay/workloads"
)

// Update is one thing that a session publishes to its subscribers: switch on the type. Only the types below are updates.
type Update interface{ update() }

func (TickUpdate) update()     {}
func (StartUpdate) update()    {}
func (ProgressUpdate) update() {}
func (ResultUpdate) update()   {}
func (FindingUpdate) update()  {}
func (AlertUpdate) update()    {}
func (NoteUpdate) update()     {}
func (EndUpdate) update()      {}
func (TuneUpdate) update()     {}
func (SavedUpdate) update()    {}
func (ABUpdate) update()       {}
func (WatchUpdate) update()    {}
func (SurveyUpdate) update()   {}

// Updates.
type (
	// TickUpdate comes at every tick of the monitor.
	TickUpdate struct{ Snapshot monitor.Snapshot }
	// StartUpdate comes when a run starts.
	StartUpdate struct{ Meta bundle.Meta }
	// ProgressUpdate comes often during a run.
	ProgressUpdate struct {
		RunID string
		At    time.Time // time of the progress, on the snapshots' clock; it may reach subscribers later
		workloads.Progress
		// Fraction of the whole run that is done, 0…1, and an estimate of the seconds left; 0: not known.
		Fraction float64
		Left     float64
	}
	// ResultUpdate comes with every result.
	ResultUpdate struct {
		RunID  string
		Result workloads.Result
	}
	// FindingUpdate comes with every finding; its result already has the mark.
	FindingUpdate struct {
		RunID   string
		Finding workloads.Finding
	}
	// AlertUpdate comes when an alert is raised or cleared, and when the text of an active one changes.
	AlertUpdate struct{ Alert monitor.Alert }
	// NoteUpdate comes when something happened in a run that live charts mark: the pool refused a request or was shrunk.
	NoteUpdate struct {
		RunID string
		Event bundle.Event
	}
	// WatchUpdate comes with every reading of a watched program, and when its watch begins and ends.
	WatchUpdate struct{ Watch Watch }
	// SurveyUpdate comes a few times a second while weights are surveyed or loaded, and when that has ended.
	SurveyUpdate struct {
		SurveyProgress
		Ended  bool
		Survey *Survey // what was found; nil: it is in progress, failed, or was no survey
		Load   *Load   // what loading the weights took, if that was requested
		Err    error   // why it failed; context.Canceled if it was canceled
	}
	// EndUpdate comes when a run is over and its bundle written.
	EndUpdate struct {
		Run *bundle.Run
		Err error
	}
)
