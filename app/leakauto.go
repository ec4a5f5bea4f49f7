package app

import "errors"

// leakAuto is the state of leak checks: the tolerance of those after runs, and the last check.
type leakAuto struct {
	on        bool
	tolerance int64
	last      *LeakCheck // since the baseline was set
}

// CheckAfterRuns turns on a check after each run, with that tolerance in bytes, once there is a baseline; or turns it off.
func (l *Leaks) CheckAfterRuns(on bool, tolerance int64) error {
	if err := checkTolerance(tolerance); err != nil {
		return err
	}
	s := l.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leakAuto.on, s.leakAuto.tolerance = on, tolerance
	return nil
}

// Last returns the last check since the baseline was set; false if there was none.
func (l *Leaks) Last() (LeakCheck, bool) {
	s := l.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leakAuto.last == nil {
		return LeakCheck{}, false
	}
	return *s.leakAuto.last, true
}

// checkAfterRun makes the check after a run, if the user wants one. If the next run has begun, the check follows that one.
func (s *Session) checkAfterRun() {
	s.mu.Lock()
	auto, has := s.leakAuto, s.baseline != nil
	s.mu.Unlock()
	if !auto.on || !has {
		return
	}
	if _, err := s.Leaks().Check(auto.tolerance); err != nil && !errors.Is(err, ErrBusy) && s.ctx.Err() == nil {
		s.raise(checkAlert, "the check after the run failed: "+err.Error())
	}
}
