package app

import (
	"cmp"
	"io"
	"math"
	"slices"

	"assay/internal/si"
	"assay/workloads/quant/plan"
)

// Survey is what formats do to the tensors of a model. All errors are those of the weights, in the format as it is, not of what
// a layer makes of them.
type Survey struct {
	File    *WeightsFile
	MaxRows int // rows read from each tensor; 0: all
	Formats []FormatTotal
	Tensors []SurveyedTensor // in the order of the file

	report *plan.Report
}

// FormatTotal is a model with all matrices in one format.
type FormatTotal struct {
	Name  string
	Bytes int64
	SNR   float64 // dB, over the matrices' weights, each matrix weighted by its number of weights; +Inf if exact
	Kept  int     // tensors that stay as they are in the file because they cannot be in the format
}

// SurveyedTensor is a tensor and what formats do to it.
type SurveyedTensor struct {
	WeightsTensor
	Rows, Read int          // of the matrix; the errors cover the rows read
	Kept       string       // why it has no losses and stays as it is; empty: it has one loss for each format of the survey
	Losses     []FormatLoss // in the order of the survey's formats
}

// FormatLoss is what a format costs and saves for one tensor.
type FormatLoss struct {
	Bytes    int64
	SNR      float64 // dB, of the weights; +Inf if exact
	Rel      float64 // relative error
	Max, RMS float64 // in the weights' unit
	Cosine   float64
	Clamped  int    // weights beyond what the format can store
	Infinite int    // weights that became infinite or NaN
	Absent   string // why the tensor cannot be in the format; empty: it can
}

func newSurvey(f *WeightsFile, r *SurveyRequest, report *plan.Report) *Survey {
	s := &Survey{File: f, MaxRows: r.MaxRows, report: report}
	for _, f := range report.Formats {
		bytes, kept := report.Size(f)
		s.Formats = append(s.Formats, FormatTotal{f.String(), bytes, plan.Decibels(report.Error(f)), kept})
	}
	for i := range report.Tensors {
		t := &report.Tensors[i]
		x := SurveyedTensor{WeightsTensor: f.Tensors[i], Rows: t.Rows, Read: t.Read, Kept: t.Kept}
		for j := range t.Losses {
			x.Losses = append(x.Losses, formatLoss(&t.Losses[j]))
		}
		s.Tensors = append(s.Tensors, x)
	}
	return s
}

func formatLoss(l *plan.Loss) FormatLoss {
	e := &l.Errors
	return FormatLoss{
		Bytes: l.Bytes, SNR: e.SNR(), Rel: e.Rel(), Max: e.MaxAbs, RMS: e.RMS(), Cosine: e.Cosine(),
		Clamped: l.Tally.Clamped, Infinite: l.Errors.Overflows, Absent: l.Absent,
	}
}

// relative converts a signal-to-noise ratio in dB to a relative error.
func relative(snr float64) float64 { return math.Pow(10, -snr/20) }

// Format returns the index of a format; −1: the survey does not have it.
func (s *Survey) Format(name string) int {
	return slices.IndexFunc(s.Formats, func(f FormatTotal) bool { return f.Name == name })
}

// Smallest returns the index of the format in which the model is smallest.
func (s *Survey) Smallest() int {
	best := 0
	for i := range s.Formats {
		if s.Formats[i].Bytes < s.Formats[best].Bytes {
			best = i
		}
	}
	return best
}

// KeptTensors are tensors that stay as they are for the same reason.
type KeptTensors struct {
	Why   string
	Names []string
}

// Kept returns the tensors that stay as they are in the file, by reason.
func (s *Survey) Kept() []KeptTensors {
	return s.byReason(func(t *SurveyedTensor) []string { return []string{t.Kept} })
}

// Absent returns the tensors that cannot be in one of the formats, by the reason, which names the format.
func (s *Survey) Absent() []KeptTensors {
	return s.byReason(func(t *SurveyedTensor) (why []string) {
		for i := range t.Losses {
			why = append(why, t.Losses[i].Absent)
		}
		return why
	})
}

// byReason groups tensors by their reasons; an empty one does not count.
func (s *Survey) byReason(of func(*SurveyedTensor) []string) (all []KeptTensors) {
	for i := range s.Tensors {
		t := &s.Tensors[i]
		for _, why := range of(t) {
			if why == "" {
				continue
			}
			at := slices.IndexFunc(all, func(k KeptTensors) bool { return k.Why == why })
			if at < 0 {
				at, all = len(all), append(all, KeptTensors{Why: why})
			}
			all[at].Names = append(all[at].Names, t.Name)
		}
	}
	return all
}

// Loss returns what format i does to the tensor; nil: it stays as it is.
func (t *SurveyedTensor) Loss(i int) *FormatLoss {
	if i < 0 || i >= len(t.Losses) || t.Losses[i].Absent != "" {
		return nil
	}
	return &t.Losses[i]
}

// Worst lists the tensors that can be in format i, lowest signal-to-noise ratio first, then those that stay as they are.
func (s *Survey) Worst(i int) []*SurveyedTensor {
	var all []*SurveyedTensor
	for j := range s.Tensors {
		all = append(all, &s.Tensors[j])
	}
	slices.SortStableFunc(all, func(a, b *SurveyedTensor) int { return CompareLoss(a.Loss(i), b.Loss(i)) })
	return all
}

// CompareLoss orders losses by their signal-to-noise ratio; nil comes last.
func CompareLoss(a, b *FormatLoss) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(a.SNR, b.SNR)
}

// WriteCSV writes a row for each tensor and format.
func (s *Survey) WriteCSV(w io.Writer) error { return s.report.WriteCSV(w) }

// WriteJSON writes the size of the model in each format, and the rows of WriteCSV.
func (s *Survey) WriteJSON(w io.Writer) error { return s.report.WriteJSON(w) }

// FormatSNR returns the signal-to-noise ratio of the model in format i, in words.
func (s *Survey) FormatSNR(i int) string {
	if s.Formats[i].Kept == len(s.Tensors) {
		return "fits no tensor"
	}
	return SNRText(s.Formats[i].SNR)
}

// SNRText returns a signal-to-noise ratio in words: "31.6 dB"; "exact" without an error, "overflow" if a weight became infinite.
func SNRText(snr float64) string {
	switch {
	case math.IsInf(snr, 1):
		return "exact"
	case math.IsInf(snr, -1) || math.IsNaN(snr):
		return "overflow"
	}
	return si.Format(snr, "dB")
}
