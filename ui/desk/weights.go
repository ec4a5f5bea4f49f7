package desk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"assay/app"
	"assay/ui/native"
	"assay/ui/view"
	"assay/workloads"
)

// WeightsService reads weight files. Opening and exporting may take a while: call them through Background.
type WeightsService interface {
	Open(paths ...string) (*app.WeightsFile, error)
	// Start surveys weights in the background, reported by SurveyUpdates.
	Start(app.SurveyRequest) error
	// StartLoad loads weights into buffers in the background, reported by SurveyUpdates.
	StartLoad(app.LoadRequest) error
	Cancel()
	Look(context.Context, app.WeightsLookRequest) (*app.WeightsLook, error)
	ExportTable(path string, t app.WeightsTable, format string) error
}

// Weights is the model whose tensors are shown, and the survey of it.
type Weights struct {
	File     *app.WeightsFile // nil: none is open
	Opening  bool
	Survey   *app.Survey // of File; nil: none yet
	Loaded   *app.Load   // what loading File last took; nil: it was not loaded
	Loading  bool        // loading is in progress rather than a survey
	Running  bool        // a survey is in progress
	Canceled bool        // the last survey was canceled
	Progress app.SurveyProgress
	Failure  string // why the last file could not be opened, or the last survey failed; empty: neither
}

// apply takes the state of a survey.
func (w *Weights) apply(u app.SurveyUpdate) Change {
	if !w.Running {
		return 0
	}
	if !u.Ended {
		w.Progress = u.SurveyProgress
		return ChangedWeights
	}
	w.Running = false
	switch {
	case errors.Is(u.Err, context.Canceled):
		w.Canceled = true
	case u.Err != nil:
		w.Failure = u.Err.Error()
	case u.Load != nil:
		w.Loaded = u.Load
	default:
		w.Survey, w.File = u.Survey, u.Survey.File // the files may have changed since they were opened
	}
	return ChangedWeights
}

// OpenWeights opens what the paths name as one model and shows its tensors. If it cannot be opened, the current model stays.
func (d *Desk) OpenWeights(paths ...string) {
	w := &d.Model.Weights
	if w.Running {
		d.Fail("Cannot open "+filepath.Base(paths[0]), app.ErrSurveying)
		return
	}
	d.opens++
	turn := d.opens
	w.Opening, w.Failure = true, ""
	d.Redraw(ChangedWeights)
	service := d.Session.Weights
	d.Background(func() func() {
		f, err := service.Open(paths...)
		return func() {
			if turn != d.opens {
				return // another model was requested since
			}
			w.Opening = false
			if err != nil {
				w.Failure = err.Error()
			} else {
				*w = Weights{File: f}
			}
			d.Redraw(ChangedWeights)
		}
	})
}

// StartSurvey surveys the open model.
func (d *Desk) StartSurvey(formats []string, rows int) {
	w := &d.Model.Weights
	if w.File == nil || w.Running || w.Opening {
		return
	}
	service, r := d.Session.Weights, app.SurveyRequest{Paths: w.File.Paths, Formats: formats, MaxRows: rows}
	d.readWeights(false, func() error { return service.Start(r) })
}

// StartLoad loads the open model into buffers of the engine of the next run.
func (d *Desk) StartLoad() {
	w := &d.Model.Weights
	if w.File == nil || w.Running || w.Opening {
		return
	}
	service, r := d.Session.Weights, app.LoadRequest{Paths: w.File.Paths, Engine: d.Model.Engine}
	d.readWeights(true, func() error { return service.StartLoad(r) })
}

// readWeights starts reading all weights of the open model in the background.
func (d *Desk) readWeights(loading bool, start func() error) {
	w := &d.Model.Weights
	w.Running, w.Loading, w.Canceled, w.Failure, w.Progress = true, loading, false, "", app.SurveyProgress{}
	d.Redraw(ChangedWeights)
	d.Background(func() func() {
		err := start()
		if err == nil {
			return nil
		}
		return func() {
			w.Running, w.Failure = false, err.Error()
			d.Redraw(ChangedWeights)
		}
	})
}

// CancelSurvey ends the survey in progress.
func (d *Desk) CancelSurvey() { d.Session.Weights.Cancel() }

// LookAtTensor reads what a format makes of a tensor of the open model, and passes it to then.
func (d *Desk) LookAtTensor(tensor, format string, rows int, then func(*app.WeightsLook)) {
	file := d.Model.Weights.File
	if file == nil || d.Modal() {
		return
	}
	service, r := d.Session.Weights, app.WeightsLookRequest{Paths: file.Paths, Tensor: tensor, Format: format, MaxRows: rows}
	d.Background(func() func() {
		look, err := service.Look(context.Background(), r) // reads few rows
		return func() {
			switch {
			case err != nil:
				d.Fail("Cannot look at "+tensor, err)
			case d.Model.Weights.File == file && !d.Modal():
				then(look)
			}
		}
	})
}

// MeasureTensor brings the workload for weights to the front, with a file's tensor chosen.
func (d *Desk) MeasureTensor(file, tensor string) {
	at := slices.IndexFunc(d.Model.Workloads, func(w workloads.Workload) bool { return w.Name == WeightsWorkload })
	if at < 0 {
		d.Fail("Cannot measure "+tensor, fmt.Errorf("this version has no workload %s", WeightsWorkload))
		return
	}
	v := maps.Clone(d.Model.Drafts[WeightsWorkload].Values)
	v[WeightsFile], v[WeightsSource], v[WeightsTensor] = file, FromFile, tensor
	d.Model.Proposed = &Proposal{Workload: WeightsWorkload, Values: v}
	d.Show(PageRun)
	d.Choose(at)
}

// ExportWeights asks for a file and writes a table of weights there. what names the table.
func (d *Desk) ExportWeights(what, name string, t app.WeightsTable, format string) {
	if d.Modal() {
		return
	}
	q := native.Question{Title: "Export " + what, Name: name + "." + format, Types: []string{format}}
	d.Files.Save(q, func(path string, err error) {
		if err != nil {
			d.Fail("Cannot export", withRemedy(err, elsewhere))
			return
		}
		service := d.Session.Weights
		d.Background(func() func() {
			err := service.ExportTable(path, t, format)
			return func() {
				if err != nil {
					d.Fail("Cannot export", withRemedy(err, elsewhere))
					return
				}
				d.Settings.setFolder(filepath.Dir(path))
				d.Say(fmt.Sprintf("Exported %s to %s", what, view.Homely(path)))
			}
		})
	})
}
