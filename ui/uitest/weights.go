package uitest

import (
	"context"
	"sync"

	"assay/app"
)

// Weighed is what a test's session reports about weight files.
type Weighed struct {
	RefuseWeights error // returned by opening
	RefuseSurvey  error // returned by the start of a survey
	Model         *app.WeightsFile

	mu       sync.Mutex
	surveys  []app.SurveyRequest
	loads    []app.LoadRequest
	canceled int
	exported []string
}

// Surveys lists the requested surveys.
func (w *Weighed) Surveys() []app.SurveyRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]app.SurveyRequest(nil), w.surveys...)
}

// Loads lists the requests to load weights.
func (w *Weighed) Loads() []app.LoadRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]app.LoadRequest(nil), w.loads...)
}

// SurveysCanceled counts the requests to cancel the survey.
func (w *Weighed) SurveysCanceled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.canceled
}

// TablesExported lists the paths and formats of exported tables.
func (w *Weighed) TablesExported() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.exported...)
}

type weightsService struct{ *Weighed }

// Open is part of desk.WeightsService. Without a model it reads the files.
func (s weightsService) Open(paths ...string) (*app.WeightsFile, error) {
	if s.RefuseWeights != nil || s.Model != nil {
		return s.Model, s.RefuseWeights
	}
	return (&app.Weights{}).Open(paths...)
}

// Start is part of desk.WeightsService.
func (s weightsService) Start(r app.SurveyRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.surveys = append(s.surveys, r)
	return s.RefuseSurvey
}

// StartLoad is part of desk.WeightsService.
func (s weightsService) StartLoad(r app.LoadRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads = append(s.loads, r)
	return s.RefuseSurvey
}

// Cancel is part of desk.WeightsService.
func (s weightsService) Cancel() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.canceled++
}

// Look is part of desk.WeightsService.
func (s weightsService) Look(_ context.Context, r app.WeightsLookRequest) (*app.WeightsLook, error) {
	if s.RefuseWeights != nil {
		return nil, s.RefuseWeights
	}
	look := &app.WeightsLook{Tensor: r.Tensor, Format: r.Format, Rows: 4096, Read: r.MaxRows, SNR: 21.5, Clamped: 3, First: -8}
	for code := -8; code < 8; code++ {
		look.Counts = append(look.Counts, 1000-15*code*code)
		look.Exact, look.Rounded = append(look.Exact, float32(code)/100+0.002), append(look.Rounded, float32(code)/100)
	}
	return look, nil
}

// ExportTable is part of desk.WeightsService.
func (s weightsService) ExportTable(path string, _ app.WeightsTable, format string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exported = append(s.exported, path+" "+format)
	return nil
}
