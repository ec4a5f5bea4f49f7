package desk

import (
	"assay/app"
	"assay/ui/kit"
)

// SetAppearance chooses light, dark or the system's appearance.
func (d *Desk) SetAppearance(a kit.Appearance) {
	d.Settings.SetAppearance(a)
	d.applyLook()
}

// SetTextSize chooses the size of text, in percent.
func (d *Desk) SetTextSize(percent int) {
	d.Settings.setTextSize(min(kit.MaxTextSize, max(kit.MinTextSize, percent)))
	d.applyLook()
}

// Forget clears all stored settings and continues with the defaults. The folder of runs is not touched.
func (d *Desk) Forget() {
	d.Settings.forget(d.Model.Workloads)
	d.applyPool(app.DefaultPoolSettings())
	m := d.Model
	m.Quick, m.Engine, m.Live = d.Settings.quick(), d.Settings.engine(), d.Settings.live()
	m.Chosen = d.Settings.workload(m.Workloads)
	m.Recent = nil
	m.Forgotten++
	m.Proposed, m.Showing.Baseline = nil, nil
	d.recallDrafts()
	d.compare()
	d.applyLook()
	d.Redraw(ChangedChoice | ChangedEngines | ChangedShown | ChangedTuning)
}

func (d *Desk) applyLook() {
	d.App.Settings().SetTheme(kit.NewSizedLook(d.Settings.Appearance(), d.Settings.TextSize()))
	d.Redraw(ChangedLook)
}
