package uitest

import (
	"slices"

	"assay/app"
	"assay/app/bundle"
)

// Tunes lists the settings that live tuning has asked for.
func (s *Session) Tunes() []app.TuneRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tunes)
}

// Keep makes the session keep points of live tuning, as if it had measured them.
func (s *Session) Keep(points ...app.Tuned) { s.KeepTuning(points) }

// StartTune is part of desk.Session.
func (s *Session) StartTune(r app.TuneRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tunes = append(s.tunes, r)
	return s.RefuseTune
}

// StopTuning is part of desk.Session.
func (s *Session) StopTuning() { s.note("stop tuning") }

// Tuned is part of desk.Session.
func (s *Session) Tuned(workload string) []app.Tuned {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.points[workload])
}

// ClearTuning is part of desk.Session.
func (s *Session) ClearTuning(workload string) []app.Tuned {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.points[workload]
	delete(s.points, workload)
	return old
}

// KeepTuning is part of desk.Session.
func (s *Session) KeepTuning(points []app.Tuned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.points == nil {
		s.points = map[string][]app.Tuned{}
	}
	for _, p := range points {
		s.points[p.Workload] = append(s.points[p.Workload], p)
	}
}

// SaveTuning is part of desk.Session.
func (s *Session) SaveTuning(workload string) ([]*bundle.Run, error) {
	if s.RefuseSave != nil {
		return nil, s.RefuseSave
	}
	s.ClearTuning(workload)
	return []*bundle.Run{{Meta: SweepMeta(), Dir: s.RunsDir() + "/20261120-121500-batching"}}, nil
}
