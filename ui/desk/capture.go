package desk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/plain"
	"assay/ui/native"
	"assay/ui/view"
)

const captureType = "gputrace"

// NoCapture says why a run of the chosen workload cannot be captured now; empty: it can.
func (m *Model) NoCapture() string {
	e := m.NextEngine()
	switch {
	case e == nil:
		return "no engine is open yet"
	case !e.Captures:
		return "engine " + e.Title + " cannot be captured; Metal on a Mac can"
	case e.NoCapture != "":
		return plain.Text(e.NoCapture)
	}
	return m.Problem()
}

// CaptureRun asks for a new file, and runs the chosen workload while the device's debugger records its command buffers there.
func (d *Desk) CaptureRun() {
	w := d.Model.Workload()
	if why := d.Model.NoCapture(); why != "" {
		d.tellRefusal(w, why)
		return
	}
	if d.Model.Busy() != nil || d.shut || d.Modal() {
		return
	}
	values := d.Model.Drafts[w.Name].Values
	q := native.Question{Title: "Capture for Xcode", Name: w.Name + "." + captureType, Types: []string{captureType}}
	d.Files.Save(q, func(path string, err error) {
		if _, exists := os.Lstat(path); err == nil && exists == nil {
			err = errors.New(view.Homely(path) + " already exists, and a capture needs a new file")
		}
		if err != nil {
			d.Fail("Cannot capture", withRemedy(err, elsewhere))
			return
		}
		d.Settings.setFolder(filepath.Dir(path))
		request := d.sampled(app.Request{
			Jobs: []bundle.Job{{Workload: w.Name, Params: values}}, Engine: d.Model.Engine, Quick: d.Model.Quick, Capture: path,
		})
		d.begin(w.Name, func() (app.Request, error) { return request, nil }, func(why string) { d.tellRefusal(w, why) })
	})
}

// ShowCapture shows the folder of the capture of the chosen workload's last run.
func (d *Desk) ShowCapture() {
	if path := d.Model.Outcome().Captured(); path != "" {
		d.ShowRunFolder(filepath.Dir(path))
	}
}

// Captured is the file with the command buffers of the run; empty: none was written.
func (o *Outcome) Captured() string {
	if o.Phase.Busy() || o.Run == nil || o.Meta.Capture == "" {
		return ""
	}
	for _, e := range o.Run.Events {
		if e.Kind == bundle.Noted && e.Title == app.CaptureTitle && strings.HasPrefix(e.Text, o.Meta.Capture) {
			return o.Meta.Capture
		}
	}
	return ""
}
