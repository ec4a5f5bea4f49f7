package desk

import "assay/ui/kit"

// SetAppearance chooses light, dark or what the system has.
func (d *Desk) SetAppearance(a kit.Appearance) {
	d.Settings.SetAppearance(a)
	d.applyLook()
}

// SetTextSize chooses the size of text, in percent.
func (d *Desk) SetTextSize(percent int) {
	d.Settings.setTextSize(min(kit.MostTextSize, max(kit.LeastTextSize, percent)))
	d.applyLook()
}

// Forget forgets all that is remembered between starts, and goes on with what a first start has. What is in the folder
// of runs stays.
func (d *Desk) Forget() {
	d.Settings.forget(d.Model.Workloads)
	d.Model.Quick, d.Model.Engine = d.Settings.quick(), d.Settings.engine()
	w := d.Model.Workload()
	d.Model.Proposed = &Proposal{Workload: w.Name, Values: w.Defaults(d.Model.Quick)}
	d.applyLook()
	d.Redraw(ChangedChoice | ChangedEngines)
}

func (d *Desk) applyLook() {
	d.App.Settings().SetTheme(kit.NewSizedLook(d.Settings.Appearance(), d.Settings.TextSize()))
	d.Redraw(ChangedLook)
}
