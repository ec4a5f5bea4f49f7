package uitest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"assay/app"
	"assay/workloads"
)

// Tunings is what searches found: a choice that is used, a default that stays, and a choice for another device.
type Tunings struct {
	Refuses error // the error of clearing; nil: it clears

	mu   sync.Mutex
	gone []string // IDs
}

// List is part of desk.TuningsService.
func (s *Tunings) List() ([]app.KeptTuning, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	here := app.TunedOn{Engine: "metal", Device: "Apple M3", System: "darwin 26.1"}
	found := workloads.Tuning{
		Op: "matmul", Type: "f32", Params: "M=64 N=4096 K=4096 Batch=1", Default: "matmul/simd/f32{staging=0,tile=32}", Impl: "blocked",
		Tunables: map[string]int32{"tile_rows": 128, "buffered": 1}, Gain: workloads.Gain{Median: 1.31, Lo: 1.29, Hi: 1.34}, Noise: 0.01, Candidates: 62,
		Operands: "memory", At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
	stays := found
	stays.Type, stays.Impl, stays.Tunables, stays.Gain = "f16", "", nil, workloads.Gain{Median: 1.001, Lo: 0.998, Hi: 1.004}
	other := found
	other.Params = "M=1 N=4096 K=4096 Batch=1"
	all := []app.KeptTuning{
		{On: here, Tuning: found},
		{On: here, Tuning: stays},
		{On: app.TunedOn{Engine: "metal", Device: "Apple M1"}, Tuning: other, Unused: "for another device: Apple M1"},
	}
	return slices.DeleteFunc(all, func(k app.KeptTuning) bool { return slices.Contains(s.gone, k.ID()) }), nil
}

// Clear is part of desk.TuningsService.
func (s *Tunings) Clear(ids []string) (int, error) {
	if s.Refuses != nil {
		return 0, s.Refuses
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = append(s.gone, ids...)
	return len(ids), nil
}

// Export is part of desk.TuningsService.
func (s *Tunings) Export(string) (int, error) { return 3, nil }

// Import is part of desk.TuningsService: everything is there again.
func (s *Tunings) Import(path string) (int, error) {
	if path == "" {
		return 0, errors.New("no file")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.gone)
	s.gone = nil
	return n, nil
}
