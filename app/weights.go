package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/internal/meant"
	"assay/workloads"
	"assay/workloads/quant"
	"assay/workloads/quant/plan"
	"assay/workloads/quant/weightfile"
)

// Weights is the service for weight files: their tensors, what number formats do to them, and a format for each tensor within a
// budget.
type Weights struct{ session *Session }

// Weights is the service for files of weights.
func (s *Session) Weights() *Weights { return &Weights{s} }

// WeightsFile is what the headers of weight files say.
type WeightsFile struct {
	Name    string          `json:"file"` // the path; with several, the first one and how many more
	Paths   []string        `json:"-"`    // as requested
	Files   []string        `json:"files"`
	Bytes   int64           `json:"bytes"` // of all tensors
	Weights int64           `json:"weights"`
	Tensors []WeightsTensor `json:"tensors"`
	// Metadata is what the files say about themselves, such as general.architecture; for arrays it has the length.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// WeightsTensor is a tensor of a file.
type WeightsTensor struct {
	Name    string  `json:"name"`
	Type    string  `json:"type"` // as the file names it: "BF16", "q4_K"
	Shape   []int64 `json:"shape"`
	Bytes   int64   `json:"bytes"`
	Weights int64   `json:"weights"`
	File    string  `json:"file"`                    // the path of the file that it is in
	Unread  string  `json:"not_available,omitempty"` // why its weights cannot be read; empty: they can be
}

// ShapeText is the tensor's shape in words: "4096 × 1024", or "scalar".
func (t *WeightsTensor) ShapeText() string {
	if len(t.Shape) == 0 {
		return "scalar"
	}
	return workloads.ShapeText(t.Shape)
}

// Matrix reports whether a run of the quantization workload can measure the tensor.
func (t *WeightsTensor) Matrix() bool { return len(t.Shape) == 2 && t.Weights > 0 && t.Unread == "" }

// Open reads the headers, but no tensors, of files, indexes and folders that make up one model. An error names the file, and the
// tensor and the byte or the limit concerned.
func (w *Weights) Open(paths ...string) (*WeightsFile, error) {
	f, err := weightfile.OpenPaths(paths)
	if err != nil {
		return nil, err
	}
	return weightsFile(f, paths), f.Close()
}

func weightsFile(f *weightfile.File, paths []string) *WeightsFile {
	out := &WeightsFile{Name: f.Name(), Paths: slices.Clone(paths), Files: f.Parts(), Tensors: []WeightsTensor{}, Metadata: f.Metadata()}
	tensors := f.Tensors()
	for i := range tensors {
		t := &tensors[i]
		x := WeightsTensor{Name: t.Name, Type: t.Type, Shape: t.Shape, Bytes: t.Bytes(), Weights: t.Elements(), File: f.PartOf(t)}
		if err := t.Readable(); err != nil {
			x.Unread = err.Error()
		}
		out.Tensors = append(out.Tensors, x)
		out.Bytes, out.Weights = out.Bytes+x.Bytes, out.Weights+x.Weights
	}
	return out
}

// SurveyFormats are the default formats of a survey.
func SurveyFormats() []string {
	return []string{"f16", "q8_0", "int8 row", "q6_K", "q4_K", "q4_0", "int4 block 32"}
}

// CheckFormat rejects an unknown format and names the kinds that exist.
func CheckFormat(name string) error {
	_, err := quant.ParseFormat(name)
	return err
}

// FormatNames are examples of formats: each kind with the groups that can share a scale.
func FormatNames() []string {
	var names []string
	for _, k := range quant.Kinds() {
		if !k.Scaled() {
			names = append(names, k.String())
			continue
		}
		for _, shared := range []int{0, quant.PerRow, 32, 64, 128, 256} {
			names = append(names, quant.Format{Kind: k, Block: shared}.String())
		}
	}
	return names
}

// SurveyRequest says which weights to survey, and how.
type SurveyRequest struct {
	Paths   []string // see Open
	Formats []string // empty: SurveyFormats
	MaxRows int      // of each tensor, spread evenly over it; 0: all
}

// formats returns the formats of the request, each once.
func (r *SurveyRequest) formats() ([]quant.Format, error) {
	names := r.Formats
	if len(names) == 0 {
		names = SurveyFormats()
	}
	var all []quant.Format
	for _, name := range names {
		f, err := quant.ParseFormat(name)
		if err != nil {
			return nil, fmt.Errorf("%w%s", err, meant.Hint(name, FormatNames()))
		}
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all, nil
}

// Check rejects a request for formats that do not exist.
func (r *SurveyRequest) Check() error {
	_, err := r.formats()
	return err
}

// FormatName returns the survey's name for a format, which may be written in another way; empty if there is none.
func (r *SurveyRequest) FormatName(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	f, err := quant.ParseFormat(name)
	if err != nil {
		return "", err
	}
	if all, err := r.formats(); err != nil || !slices.Contains(all, f) {
		return "", fmt.Errorf("format %s is not in the survey", f)
	}
	return f.String(), nil
}

// SplitFormats returns the formats in a comma-separated list. A part that is not a format by itself belongs to the one before it.
func SplitFormats(list string) []string {
	var all []string
	for _, part := range strings.Split(list, ",") {
		switch part = strings.TrimSpace(part); {
		case part == "":
		case len(all) > 0 && CheckFormat(all[len(all)-1]+", "+part) == nil:
			all[len(all)-1] += ", " + part
		default:
			all = append(all, part)
		}
	}
	return all
}

// SurveyProgress is how far a survey has come.
type SurveyProgress struct {
	Done, Total int64         // bytes of tensors
	Tensor      string        // the one being read
	Left        time.Duration // until it ends; 0: unknown
}

// Fraction is the share that is done, 0…1.
func (p *SurveyProgress) Fraction() float64 {
	if p.Total == 0 {
		return 0
	}
	return float64(p.Done) / float64(p.Total)
}

// surveyInterval is how often a survey reports its progress.
const surveyInterval = 250 * time.Millisecond

// Survey reads all tensors and measures what each format makes of each matrix. It takes less than 100 MB in addition to the table,
// however large the files are. Only one survey runs at a time, and none during a run: ErrSurveying and ErrBusy. told is called
// with the progress a few times a second.
func (w *Weights) Survey(ctx context.Context, r SurveyRequest, told func(SurveyProgress)) (*Survey, error) {
	ctx, end, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return survey(ctx, r, told)
}

// Start is Survey in the background, reported by SurveyUpdates.
func (w *Weights) Start(r SurveyRequest) error {
	ctx, end, err := w.begin(w.session.ctx)
	if err != nil {
		return err
	}
	w.session.work.Go(func() { // begin refuses a closed session
		found, err := survey(ctx, r, func(p SurveyProgress) { w.session.publish(SurveyUpdate{SurveyProgress: p}) })
		end()
		w.session.publish(SurveyUpdate{Ended: true, Survey: found, Err: err})
	})
	return nil
}

// Cancel ends the survey in progress, if any, within one piece of a tensor.
func (w *Weights) Cancel() {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	if cancel := w.session.survey; cancel != nil {
		cancel()
	}
}

// begin reserves the session for a survey until end is called.
func (w *Weights) begin(ctx context.Context) (bound context.Context, end func(), err error) {
	s := w.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, errors.New("survey weights: the session is closed")
	}
	release, err := s.device.survey()
	if err != nil {
		return nil, nil, err
	}
	bound, cancel := context.WithCancel(ctx)
	s.survey = cancel
	return bound, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		cancel()
		s.survey = nil
		release()
	}, nil
}

// survey opens the files and surveys them.
func survey(ctx context.Context, r SurveyRequest, told func(SurveyProgress)) (*Survey, error) {
	formats, err := r.formats()
	if err != nil {
		return nil, err
	}
	f, err := weightfile.OpenPaths(r.Paths)
	if err != nil {
		return nil, err
	}
	begun, next := time.Now(), time.Time{}
	report, err := plan.Survey(ctx, f, plan.Options{Formats: formats, MaxRows: r.MaxRows, Progress: func(p plan.Progress) {
		now := time.Now()
		if now.Before(next) && p.Done < p.Total {
			return
		}
		next = now.Add(surveyInterval)
		told(SurveyProgress{p.Done, p.Total, p.Tensor, surveyLeft(now.Sub(begun), p.Done, p.Total)})
	}})
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return newSurvey(weightsFile(f, r.Paths), &r, report), nil
}

// surveyLeft estimates the time left from what a survey took so far; 0: it is too early for an estimate.
func surveyLeft(took time.Duration, done, total int64) time.Duration {
	if took < time.Second || done == 0 {
		return 0
	}
	return time.Duration(float64(took) / float64(done) * float64(total-done))
}

// WeightsTable is a table that can be exported: of a survey or of a plan.
type WeightsTable interface {
	WriteCSV(io.Writer) error
	WriteJSON(io.Writer) error
}

// Export formats of tables.
const (
	CSVTable  = "csv"
	JSONTable = "json"
)

// WriteTable writes a table as CSVTable or JSONTable.
func WriteTable(w io.Writer, t WeightsTable, format string) error {
	if format == JSONTable {
		return t.WriteJSON(w)
	}
	return t.WriteCSV(w)
}

// ExportTable writes a table to a file, which is replaced only once everything is written.
func (w *Weights) ExportTable(path string, t WeightsTable, format string) error {
	return bundle.WriteFile(path, func(out io.Writer) error { return WriteTable(out, t, format) })
}

// Has reports whether each of the words, in lower case, is in the tensor's name, type or shape.
func (t *WeightsTensor) Has(words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(t.Name + "\n" + t.Type + "\n" + t.ShapeText())
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}
