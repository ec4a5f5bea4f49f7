package uitest

import (
	"slices"

	"assay/app"
	"assay/app/bundle"
)

// Tunes lists the settings requested by live tuning.
func (s *Session) Tunes() []app.TuneRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tunes)
}

// Keep adds points of live tuning to the session, as if it had measured them.
func (s *Session) Keep(points ...app.Tuned) { tunerService{s}.Keep(points) }

// tunerService is a Session as desk.TunerService.
type tunerService struct{ *Session }

// Start is part of desk.TunerService.
func (s tunerService) Start(r app.TuneRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tunes = append(s.tunes, r)
	return s.RefuseTune
}

// Compare is part of desk.TunerService.
func (s tunerService) Compare(app.ABRequest) error {
	s.note("compare")
	return s.RefuseTune
}

// Stop is part of desk.TunerService.
func (s tunerService) Stop() { s.note("stop tuning") }

// Points is part of desk.TunerService.
func (s tunerService) Points(workload string) []app.Tuned { return s.Tuned(workload) }

// Tuned lists the session's points of a workload.
func (s *Session) Tuned(workload string) []app.Tuned {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.points[workload])
}

// Clear is part of desk.TunerService.
func (s tunerService) Clear(workload string) []app.Tuned {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.points[workload]
	delete(s.points, workload)
	return old
}

// Keep is part of desk.TunerService.
func (s tunerService) Keep(points []app.Tuned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.points == nil {
		s.points = map[string][]app.Tuned{}
	}
	for _, p := range points {
		s.points[p.Workload] = append(s.points[p.Workload], p)
	}
}

// Save is part of desk.TunerService.
func (s tunerService) Save(workload string) ([]*bundle.Run, error) {
	if s.RefuseSave != nil {
		return nil, s.RefuseSave
	}
	s.Clear(workload)
	return []*bundle.Run{{Meta: SweepMeta(), Dir: s.RunsDir() + "/20261120-121500-batching"}}, nil
}
